"""``answergraph new`` writes a project that works."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
import yaml

from tests.answergraph.cli.test_command_line import answergraph
from tests.suite import processes
from tests.suite.langgraph_dev import OFFLINE

FILES = {"Makefile", "langgraph.json", "my_agent.py", "requirements.txt", "test_my_agent.py", ".github/workflows/tests.yml"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    code, out, err = answergraph("new", str(tmp_path / "my_agent"))
    assert (code, err) == (0, f"Next: cd {tmp_path / 'my_agent'} && make test\n")
    assert {Path(line) for line in out.splitlines()} == {tmp_path / "my_agent" / name for name in FILES}
    return tmp_path / "my_agent"


def test_a_new_project_names_its_agent_for_the_server(project: Path) -> None:
    assert {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()} == FILES
    served = json.loads((project / "langgraph.json").read_text())
    assert served["graphs"] == {"my_agent": "./my_agent.py:agent"}
    assert "NAME" not in "".join((project / name).read_text() for name in FILES)


def test_its_workflow_runs_the_tests_with_the_python_of_the_job(project: Path) -> None:
    (job,) = yaml.safe_load((project / ".github/workflows/tests.yml").read_text())["jobs"].values()
    assert job["steps"][-1] == {"run": "make test PYTHON=python"}
    planned = subprocess.run(
        ["make", "--dry-run", "test", "PYTHON=python"], cwd=project, capture_output=True, text=True, check=True
    )
    assert "python -m pytest" in planned.stdout.splitlines()


@pytest.mark.torture
def test_its_test_passes(project: Path) -> None:
    (project / ".installed").touch()  # what requirements.txt asks for is installed here
    done = subprocess.run(["make", "test"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.server
def test_its_server_answers_and_ends_with_ctrl_c(project: Path) -> None:
    (project / ".installed").touch()
    port = processes.free_port()
    server = processes.start(["make", "dev", f"PORT={port}"], project, OFFLINE, project / "log")
    try:
        server.wait_until(processes.answers(f"http://127.0.0.1:{port}/ok"))
        given = {"messages": [{"role": "user", "content": "What does ci.log show?"}]}
        run = {"assistant_id": "my_agent", "input": given}
        answer = httpx.post(f"http://127.0.0.1:{port}/runs/wait", json=run, timeout=processes.GRACE_SECONDS).json()
        assert (answer["structured_response"], answer["outcome"]["status"]) == (None, "refused")
        assert httpx.get(f"http://127.0.0.1:{port}/page/", timeout=processes.GRACE_SECONDS).is_success
        assert refuses_other_websites(f"http://127.0.0.1:{port}/runs/wait", run)
        os.killpg(server.process.pid, signal.SIGINT)
        server.process.wait(timeout=processes.GRACE_SECONDS)
    finally:
        server.kill()


def refuses_other_websites(address: str, run: Mapping[str, object]) -> bool:
    """Ask as the browser of somebody who has another website open: with a preflight, and without one."""
    origin = {"origin": "https://example.com"}
    asked_before = httpx.options(
        address, headers={**origin, "access-control-request-method": "POST"}, timeout=processes.GRACE_SECONDS
    )
    plain = {**origin, "sec-fetch-site": "cross-site", "content-type": "text/plain"}
    sent = httpx.post(address, content=json.dumps(run), headers=plain, timeout=processes.GRACE_SECONDS)
    return "access-control-allow-origin" not in asked_before.headers and sent.status_code == httpx.codes.FORBIDDEN


@pytest.mark.program
def test_its_agent_answers_on_the_command_line(project: Path) -> None:
    command = [sys.executable, "-m", "answergraph", "ask", "What does ci.log show?", "--agent", "my_agent:agent"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused: I am a set of rules")


@pytest.mark.parametrize("name", ["my-agent", "1st", "class", ".", ""])
def test_a_name_that_no_module_can_have_is_bad_usage(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = answergraph("new", name)
    assert (code, "cannot be the name of a Python module" in err, list(tmp_path.iterdir())) == (2, True, [])


@pytest.mark.parametrize("name", ["json", "langgraph"])
def test_a_name_that_a_module_has_is_refused_as_the_project_would_hide_it(name: str, tmp_path: Path) -> None:
    code, _, err = answergraph("new", str(tmp_path / name))
    assert (code, "is the name of a module of this Python already" in err, list(tmp_path.iterdir())) == (2, True, [])


def test_nothing_is_overwritten(project: Path) -> None:
    code, _, err = answergraph("new", str(project))
    assert (code, "exists already" in err) == (2, True)
