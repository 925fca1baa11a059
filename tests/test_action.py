"""The composite action, carried out as GitHub does it: inputs, steps in bash, and the files that steps write to."""

import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
STEPS = ("Install answergraph", "Triage")
REPORT = """<testsuite name="shop" tests="3" failures="1" errors="1">
<testcase classname="tests.test_shop" name="test_add" file="tests/test_shop.py" line="4">
<failure message="assert 3 == 4">def test_add():
&gt;       assert add(1, 2) == 4
E       assert 3 == 4
E        +  where 3 = add(1, 2)

tests/test_shop.py:4: AssertionError</failure></testcase>
<testcase classname="tests.test_shop" name="test_rates"><error message="refused">E   ConnectionRefusedError: Connection refused

shop/rates.py:7: ConnectionRefusedError</error></testcase>
<testcase classname="tests.test_shop" name="test_ok"/></testsuite>"""


@dataclass
class Job:
    """A runner with its folders, as far as this action uses them."""

    place: Path

    def __post_init__(self) -> None:
        for name in ("runner", "workspace/test-results"):
            (self.place / name).mkdir(parents=True)
        (self.place / "workspace/test-results/junit.xml").write_text(REPORT)

    def use(self, *names: str, **given: str) -> subprocess.CompletedProcess[str]:
        """Carry out the steps of these names one after another, and return the last of them that ran."""
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        inputs = {name: about.get("default", "") for name, about in action["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        assert action["runs"]["using"] == "composite"
        assert [step["name"] for step in action["runs"]["steps"]] == [*STEPS]
        for step in action["runs"]["steps"]:
            if step["name"] not in names:
                continue
            ended = self.step(step, inputs)
            if ended.returncode:
                break
        return ended

    def step(self, step: dict[str, Any], inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert step["shell"] == "bash"
        own = {name: evaluated(str(value), inputs) for name, value in step.get("env", {}).items()}
        script = self.place / "step.sh"
        script.write_text(evaluated(step["run"], inputs))
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        return subprocess.run(
            command, cwd=self.place / "workspace", env={**self.surroundings(), **own}, capture_output=True, text=True, check=False
        )

    def surroundings(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "ANSWERGRAPH_", "PYTEST"))}
        files = {f"GITHUB_{name}": str(self.place / name.lower()) for name in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH", "STATE")}
        # The dependencies are those of this environment: the step installs answergraph alone, and asks no index.
        alone = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "false", "PYTHONPATH": sysconfig.get_path("purelib")}
        alone |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        of_job = {"RUNNER_TEMP": "runner", "GITHUB_WORKSPACE": "workspace"}
        return {
            **kept,
            **alone,
            **files,
            **{name: str(self.place / folder) for name, folder in of_job.items()},
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "shop/shop",
            "GITHUB_SHA": "a" * 40,
        }


def evaluated(text: str, inputs: dict[str, str]) -> str:
    """Evaluate the expressions of a step; the action uses inputs only."""
    text = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)
    assert "${{" not in text
    return text


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return Job(tmp_path_factory.mktemp("job"))


@pytest.mark.torture
def test_the_action_installs_triages_and_fails_the_job_as_asked(job: Job) -> None:
    given = {
        "fail_on": "disagreement,unknown",
        "history": "nights.db",
        "html": "page.html",
        "junit": "out.xml",
        "python": sys.executable,
    }
    ended = job.use(*STEPS, folder="test-results", **given)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    error, notice = ended.stdout.splitlines()
    assert error.startswith("::error file=tests/test_shop.py,line=4,title=")
    assert notice.startswith("::notice ")
    summary = (job.place / "step_summary").read_text()
    assert "| test and application disagree | 1 |" in summary
    assert "| should have passed | 1 |" in summary
    assert f"https://github.example/shop/shop/blob/{'a' * 40}/tests/test_shop.py#L4" in summary
    assert {"nights.db", "page.html", "out.xml"} <= {path.name for path in (job.place / "workspace").iterdir()}


@pytest.mark.torture
def test_the_action_passes_where_nothing_is_to_fail_and_tells_of_a_folder_that_is_not_there(job: Job) -> None:
    assert job.use(STEPS[0], folder="", python=sys.executable).returncode == 0  # as a second use of the action in one job
    ended = job.use(STEPS[1], folder="test-results")
    assert (ended.returncode, ended.stderr) == (0, "")
    ended = job.use(STEPS[1], folder="no-results")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "'no-results' does not exist" in ended.stderr
