"""What docker/ holds is well formed and says one thing in all places; nothing of it is run here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from hydra_kg.pages.drawing import COLOURS
from hydra_kg.stores.neo4j.connection.hydra_labels import LABELS
from hydra_kg.stores.neo4j.local_server.conf import browser_commands, style
from hydra_kg.stores.neo4j.local_server.java import lock, version
from hydra_kg.util.package_data import find_content

DOCKER = find_content("docker")
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))
NEO4J = COMPOSE["services"]["neo4j"]


@pytest.mark.slow
def test_compose_fits_the_schema_of_its_specification():
    pytest.importorskip("check_jsonschema", reason="check-jsonschema, which ships the schema, is not installed")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(DOCKER / "compose.yaml")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_is_whole():
    """What the schema does not see: every name that is used is declared, every variable has a default or an error."""
    used = [v.partition(":")[0] for s in COMPOSE["services"].values() for v in s.get("volumes", [])]
    assert {name for name in used if name.isidentifier()} == set(COMPOSE["volumes"])
    assert {name for s in COMPOSE["services"].values() for name in s.get("secrets", [])} == set(COMPOSE["secrets"])
    assert set(COMPOSE["services"]["cli"]["depends_on"]) <= set(COMPOSE["services"])
    build = COMPOSE["services"]["cli"]["build"]
    assert (DOCKER / build["context"] / build["dockerfile"]).resolve() == DOCKER / "Dockerfile"
    lines = [line for line in (DOCKER / "compose.yaml").read_text("utf-8").splitlines() if not line.startswith("#")]
    variables = re.findall(r"\$\{(\w+)(:[-?])?", "\n".join(lines))
    assert all(fallback for _, fallback in variables), variables


def test_the_container_is_as_closed_as_the_local_server():
    assert all(port.startswith("127.0.0.1:") for port in NEO4J["ports"])
    settings = NEO4J["environment"]
    assert "NEO4J_AUTH" not in settings  # it would stand in the output of `docker inspect`
    assert settings["NEO4J_AUTH_FILE"] == "/run/secrets/neo4j_auth"
    assert settings["NEO4J_dbms_usage__report_enabled"] == settings["NEO4J_client_allow__telemetry"] == "false"
    assert json.loads(settings["NEO4J_PLUGINS"]) == ["apoc"]


def test_browser_draws_alike_in_the_container_and_beside_it():
    assert NEO4J["environment"]["NEO4J_browser_post__connect__cmd"] == browser_commands()
    assert ";" not in style()  # it separates commands
    assert "\n" not in style()


def test_the_container_is_of_the_locked_release():
    assert f":{'.'.join(version().split('.')[:2])}-community}}" in NEO4J["image"]
    name = "{http://maven.apache.org/POM/4.0.0}"
    properties = ElementTree.parse(DOCKER / "pom.xml").getroot().find(f"{name}properties")
    versions = {p.tag.removeprefix(name): p.text for p in properties}
    assert versions["neo4j"] == version()
    assert {f"plugins/apoc-{part}-{versions['apoc']}.jar" for part in ("core", "common")} <= lock().keys()
    assert f"lib/neo4j-browser-{versions['browser']}.jar" in lock()


def test_every_label_has_a_style():
    """An unlisted label gets a colour of Browser's own, which wins over that of the listed ones."""
    rules = json.loads((DOCKER / "style.json").read_text("utf-8"))
    hidden = {"Name", "Word", "PassageWord", "Predicate", "LoadChunk", "LoadFile", "ClassChunk", "Store", "KeptAnswer"}
    shown = set(LABELS) - {f"Hydra{kind}" for kind in hidden}
    assert shown == {key.removeprefix("node.") for key in rules if key.startswith("node.")}


def test_a_source_has_the_same_colour_in_browser_and_in_the_drawing():
    rules = json.loads((DOCKER / "style.json").read_text("utf-8"))
    voices = {name: rule["color"] for name, rule in rules.items() if name.startswith("node.HydraVoice")}
    assert voices == {f"node.HydraVoice{n}": colour for n, colour in enumerate(COLOURS, 1)}


def test_the_image_is_built_from_files_that_are_there():
    text = (DOCKER / "Dockerfile").read_text("utf-8")
    root = DOCKER.parent
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, _ = (word for word in line.split() if not word.startswith("--"))
        assert all((root / source).exists() for source in sources), line
    assert re.search(r"^USER (?!root)", text, re.MULTILINE)
    assert set(re.findall(r"^([A-Z]+) ", text, re.MULTILINE)) <= {
        "ARG",
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "USER",
        "ENTRYPOINT",
        "CMD",
    }


@pytest.mark.parametrize("given, expected", [("", "from the secret"), ("given", "given")])
def test_the_entry_point_takes_the_password_from_the_secret(tmp_path, given, expected):
    (tmp_path / "hydra-kg").write_text('#!/bin/sh\necho "$NEO4J_PASSWORD|$*"\n')
    (tmp_path / "hydra-kg").chmod(0o755)
    (tmp_path / "auth").write_text("neo4j/from the secret")
    script = (DOCKER / "entrypoint.sh").read_text("utf-8").replace("/run/secrets/neo4j_auth", str(tmp_path / "auth"))
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "NEO4J_PASSWORD": given}
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-c", script, "entrypoint", "ask", "who is it?"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout == f"{expected}|ask who is it?\n"


def test_the_readme_says_what_was_not_run():
    text = (DOCKER / "README.md").read_text("utf-8")
    assert "Checked, not run" in text
    for path in re.findall(r"`(tests/[\w/.]+\.py)`", text):
        assert Path(DOCKER.parent, path).is_file(), path
