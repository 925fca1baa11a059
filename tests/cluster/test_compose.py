"""The files of a deployment agree with each other and with Aegra; no image is built and no container started here."""

import json
import re
import subprocess
import tomllib
from typing import Any

import pytest

from tests.cluster.servers import COMMAND, DEPLOYED, ENVIRONMENT, IMAGE, missing
from tests.suite.langgraph_dev import REPOSITORY

SERVICES: dict[str, Any] = DEPLOYED["services"]
SERVERS = ["server-1", "server-2"]
PORT = COMMAND[COMMAND.index("--port") + 1]
SETTINGS_OF_AEGRA = """
import json
from aegra_api import settings
from pydantic_settings import BaseSettings
kinds = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, BaseSettings)]
print(json.dumps([name for kind in kinds for name in kind.model_fields]))
"""


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def test_nginx_asks_each_server_at_the_port_that_its_image_listens_on() -> None:
    nginx = (REPOSITORY / "examples" / "server" / "nginx.conf").read_text()
    assert re.findall(r"^\s+server (\S+) ", nginx, re.M) == [f"{name}:{PORT}" for name in SERVERS]
    assert nginx.count("{") == nginx.count("}")
    assert re.findall(r"^EXPOSE (\d+)$", IMAGE, re.M) == [PORT]
    assert f"127.0.0.1:{PORT}/ready" in SERVICES["server-1"]["healthcheck"]["test"][-1]


def test_the_second_server_waits_for_the_first_and_the_first_for_the_migration() -> None:
    waits = {name: {each: how["condition"] for each, how in SERVICES[name].get("depends_on", {}).items()} for name in SERVICES}
    assert waits["migrate"] == {"postgres": "service_healthy"}
    assert waits["server-1"] == {"migrate": "service_completed_successfully", "redis": "service_healthy"}
    assert waits["server-2"] == {"server-1": "service_healthy"}
    assert waits["nginx"] == dict.fromkeys(SERVERS, "service_healthy")
    assert all("healthcheck" in SERVICES[name] for name in ("postgres", "redis", *SERVERS))


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_has_time_to_hand_on_its_runs_before_it_is_killed(name: str) -> None:
    drain = int(SERVICES[name]["environment"]["WORKER_DRAIN_TIMEOUT"])
    assert drain < int(COMMAND[COMMAND.index("--timeout-graceful-shutdown") + 1]) < seconds(SERVICES[name]["stop_grace_period"])


def test_only_nginx_can_be_reached_and_only_from_this_machine() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "nginx": ["127.0.0.1:8080:80"]
    }


def test_the_image_installs_a_group_of_the_project_from_files_that_it_gets() -> None:
    (group,) = re.findall(r"--group (\w+)", IMAGE)
    assert group in tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["dependency-groups"]
    left_out = (REPOSITORY / ".dockerignore").read_text().splitlines()
    assert {"constraints.txt", "pyproject.toml", "langgraph.json"}.isdisjoint(left_out)


@pytest.mark.cluster
def test_each_setting_is_one_that_aegra_or_a_graph_reads() -> None:
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    command = [str(ENVIRONMENT / "bin" / "python"), "-c", SETTINGS_OF_AEGRA]
    known = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY).stdout)
    ours = {"OPENAI_API_KEY", "ANSWERGRAPH_MODELS", "LANGSMITH_TRACING"}
    assert set(SERVICES["server-1"]["environment"]) - set(known) - ours == set()
