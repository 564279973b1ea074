"""Writes the server's settings: loopback only, password required, no reports sent, Browser in our style."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Final

from hydra_kg.stores.neo4j.connection.local_home import Home, ServerInstance
from hydra_kg.util.package_data import find_content

BOLT: Final = 7687
HTTP: Final = 7474


def style() -> str:
    """Return the command that makes Browser draw our labels, on one line.

    It is JSON, because ``;`` separates commands.
    """
    rules = json.loads(find_content("docker", "style.json").read_text("utf-8"))
    return "style " + json.dumps(rules, separators=(",", ":"))


def browser_commands() -> str:
    """Return Browser's style and connection commands: show only relationships that a query asked for."""
    return style() + '; config {"autoComplete":false,"playImplicitInitCommands":false}'


def conf_text(instance: ServerInstance) -> str:
    """Return the whole neo4j.conf."""
    lines = {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{instance.bolt}",
        "server.bolt.advertised_address": f"localhost:{instance.bolt}",
        "server.http.listen_address": f"127.0.0.1:{instance.http}",
        "server.http.advertised_address": f"localhost:{instance.http}",
        "server.https.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "server.memory.heap.initial_size": f"{instance.heap}m",
        "server.memory.heap.max_size": f"{instance.heap}m",
        "server.memory.pagecache.size": f"{instance.page_cache}m",
        "server.directories.plugins": "plugins",
        "db.tx_log.rotation.retention_policy": "1 days 500M",
        # An end takes 0.5 s then instead of 11: nobody's last words are waited for, all that was committed is safe.
        "db.shutdown_transaction_end_timeout": "1s",
        "internal.server.bolt.thread_pool_shutdown_wait_time": "200ms",
        "browser.post_connect_cmd": browser_commands(),
    }
    head = "# Written by hydra-kg at every start. Your own settings: custom.conf next to this file.\n"
    return head + "".join(f"{k}={v}\n" for k, v in lines.items())


def write_conf(home: Home, instance: ServerInstance) -> None:
    """Write neo4j.conf. Settings of ``conf/custom.conf``, if it exists, come last and override the others."""
    text = conf_text(instance)
    if own := _read_custom_settings(home):
        names = {name for name, _ in own}
        other_lines = [line for line in text.splitlines() if line.partition("=")[0] not in names]
        text = "\n".join([*other_lines, *(f"{name}={value}" for name, value in own)]) + "\n"
    (home.conf / "neo4j.conf").write_text(text, "utf-8")


def java_options(home: Home) -> list[str]:
    """Return Java's options: values of ``server.jvm.additional`` in ``conf/custom.conf``, one per line."""
    return [value for name, value in _read_custom_settings(home) if name == "server.jvm.additional"]


def _read_custom_settings(home: Home) -> list[tuple[str, str]]:
    custom = home.conf / "custom.conf"
    if not custom.is_file():
        return []
    lines = [line for line in custom.read_text("utf-8").splitlines() if "=" in line and not line.startswith("#")]
    pairs = (line.partition("=") for line in lines)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def is_free(port: int) -> bool:
    """Return True if no program uses a port of this machine's loopback."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port(preferred: int, *, reserved: frozenset[int] = frozenset()) -> int:
    """Return the preferred port if it is free, else any free one; 0 means no preference."""
    if preferred and preferred not in reserved and is_free(preferred):
        return preferred
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = int(s.getsockname()[1])
        if port not in reserved:
            return port


def memory_mib() -> int:
    """Return the memory that this process may use, in MiB: the machine's, or the limit of a container."""
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            sizes.append(int(Path(file).read_text("ascii")))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return min(sizes) >> 20


def get_default_heap() -> int:
    """Return an eighth of the memory in MiB, at least 512 MiB, at most 2 GiB.

    More gained nothing on 5 million relationships.
    """
    return max(512, min(2048, memory_mib() // 8))


def get_default_page_cache() -> int:
    """Return an eighth of the memory, at least 128 MiB, at most 4 GiB."""
    return max(128, min(4096, memory_mib() // 8))
