"""The files for readers behind a balancer fit their schemas, and say what the service needs; nothing is run here."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import click
import kubernetes_validate
import pytest
import yaml

from hydra_kg.cli.main import main
from hydra_kg.util.package_data import find_content

DOCKER = find_content("docker")
KUBERNETES: list[dict[str, Any]] = list(yaml.safe_load_all((DOCKER / "readers.kubernetes.yaml").read_text("utf-8")))
COMPOSE = yaml.safe_load((DOCKER / "readers.compose.yaml").read_text("utf-8"))
READER = next(d for d in KUBERNETES if d["kind"] == "Deployment")["spec"]["template"]["spec"]


def containers() -> list[dict[str, Any]]:
    job = next(d for d in KUBERNETES if d["kind"] == "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return [*READER["containers"], *job["initContainers"], *job["containers"]]


@pytest.mark.parametrize("document", KUBERNETES, ids=lambda d: d["kind"])
def test_kubernetes_takes_it(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, "1.33", strict=True)


def test_the_schema_sees_a_mistake() -> None:
    wrong = yaml.safe_load(yaml.safe_dump(KUBERNETES[1]))
    wrong["spec"]["template"]["spec"]["containers"][0]["livenessProbe"]["httpget"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.33", strict=True)


def test_compose_fits_the_schema_of_its_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [*command, str(DOCKER / "readers.compose.yaml")], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_is_whole() -> None:
    services = COMPOSE["services"]
    used = {v.partition(":")[0] for s in services.values() for v in s.get("volumes", [])}
    assert {name for name in used if name.isidentifier()} | {"neo4j"} == set(COMPOSE["volumes"])
    assert {name for s in services.values() for name in s.get("secrets", [])} <= set(COMPOSE["secrets"])
    assert set(services["proxy"]["depends_on"]) <= set(services)
    lines = [x for x in (DOCKER / "readers.compose.yaml").read_text("utf-8").splitlines() if not x.startswith("#")]
    assert all(fallback for _, fallback in re.findall(r"\$\{(\w+)(:[-?])?", "\n".join(lines)))
    assert all(p.startswith("127.0.0.1:") for s in services.values() for p in s.get("ports", []))
    assert all("limits" in services[n]["deploy"]["resources"] for n in ("reader1", "reader2", "reader3", "loader"))


def commands() -> list[list[str]]:
    found = [[str(word) for word in c["args"]] for c in containers()]
    return [*found, [str(word) for word in COMPOSE["services"]["reader1"]["command"]]]


@pytest.mark.parametrize("words", commands(), ids=lambda words: " ".join(words[:3]))
def test_every_command_is_one_of_ours(words: list[str]) -> None:
    """Options and their number fit; nothing is carried out."""
    command: click.Command = main
    while isinstance(command, click.Group):
        command, words = command.get_command(click.Context(command), words[0]), words[1:]
    known = {name for option in command.params for name in option.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_probes_ask_what_is_served_under_a_name_that_is_let_in() -> None:
    (reader,) = READER["containers"]
    probes = {name: reader[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    assert [p["path"] for p in probes.values()] == ["/livez", "/livez", "/readyz"]
    assert all(p["httpHeaders"] == [{"name": "Host", "value": "localhost"}] for p in probes.values())
    config = (DOCKER / "readers.haproxy.cfg").read_text("utf-8")
    assert "uri /readyz ver HTTP/1.1 hdr Host localhost" in config


def test_containers_are_closed_and_limited() -> None:
    for one in containers():
        assert one["securityContext"]["readOnlyRootFilesystem"] is True
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= one["resources"]["limits"].keys()
    mounted = {m["name"] for m in READER["containers"][0]["volumeMounts"]}
    assert mounted == {v["name"] for v in READER["volumes"]}


def test_it_grows_with_the_questions_that_wait() -> None:
    scaler = next(d for d in KUBERNETES if d["kind"] == "HorizontalPodAutoscaler")["spec"]
    names = [m["pods"]["metric"]["name"] for m in scaler["metrics"] if m["type"] == "Pods"]
    watch = (find_content("docker").parent / "hydra_kg" / "serving" / "http" / "gate" / "watch.py").read_text("utf-8")
    assert all(f'Gauge("{name}"' in watch for name in names)
    assert names
