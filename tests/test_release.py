"""What a release needs: workflows that run commands of the Makefile, and one command that writes a version down."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_runs_only_targets_of_the_makefile(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text())
    commands = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    assert {
        target for command in commands for line in re.findall(r"^make (.+)$", command, re.MULTILINE) for target in line.split()
    } <= TARGETS


def test_every_supported_python_runs_the_tests() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    supported = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == supported


def test_only_the_job_that_publishes_may_ask_for_a_token() -> None:
    for file in WORKFLOWS:
        workflow = yaml.safe_load(file.read_text())
        assert workflow["permissions"] == {"contents": "read"}
        tokens = [name for name, job in workflow["jobs"].items() if "id-token" in job.get("permissions", {})]
        assert tokens == (["publish"] if file.stem == "release" else [])


@pytest.mark.parametrize("version", ["", "0.2.0"])
def test_a_release_needs_a_version_and_a_clean_tree(tmp_path: Path, version: str) -> None:
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    clone = tmp_path / "clone"
    (clone / "unfinished.txt").write_text("")
    command = ["make", "release", f"VERSION={version}"]
    ended = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ("Commit or stash" if version else "Say which version") in ended.stdout
