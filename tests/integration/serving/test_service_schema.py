"""The service does what its OpenAPI document says, for made-up requests of schemathesis; longer runs are by hand."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from .conftest import Keyed

EXPECTED = """
[checks]
# A question that is too long for its own deadline, and a service that is too busy, are answered so on purpose.
not_a_server_error.expected-statuses = ["2xx", "4xx", "503", "504"]
# 422 also says what no schema can: that there is no such strategy.
positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "409", "413", "422", "429", "503", "504"]
"""


@pytest.mark.slow
def test_made_up_requests_find_nothing(keyed: Keyed, tmp_path):
    (tmp_path / "schemathesis.toml").write_text(EXPECTED)
    chosen = ["--phases", "fuzzing", "--max-examples", "2", "--max-time", "20", "--seed", "1"]
    chosen += ["--suppress-health-check", "all", "--exclude-path-regex", "^/v1/fusion$", "--no-color"]
    document, header = f"{keyed.service.url}/openapi.json", f"Authorization: Bearer {keyed.key['alice']}"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run", document]
    run = subprocess.run(
        [*command, "-H", header, *chosen], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout
    found = re.search(r"(\d+) generated, \1 passed", run.stdout)
    assert found is not None, run.stdout
    assert int(found[1]) > 10
