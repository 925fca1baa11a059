"""Other people's test suites with our ``create_agent``, beside a control run: ``make compat`` writes ``docs/compatibility.md``.

The suites come from the source distributions on the package index. Nothing in them is changed but where ``create_agent`` comes
from. A test that fails although it passes in the control run has to be explained below, or this fails.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.compat.swapped import REPORT, SWAP

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compatibility.md"

DRAWN = "the reasons stand on the drawn edges"
WIRE = "a recorded request: our tools are sent as they are, not as strict ones"
MALFORMED = "a malformed call is answered with an error in the same run"
IDS = "a call without an id is given one"
LIMIT = "the caller's recursion limit is left alone"
INSIDE = "replaces a private function of LangChain's, which is not called"


@dataclass(frozen=True)
class Suite:
    """The tests of one source distribution."""

    package: str
    version: str
    folder: str
    explained: dict[str, str]
    """Per end of a test's name, why it fails here."""


SUITES = (
    Suite(
        "langchain",
        "1.4.7",
        "tests/unit_tests/agents",
        {
            "test_async_middleware_with_can_jump_to_graph_snapshot": DRAWN,
            "test_create_agent_diagram": DRAWN,
            "test_per_call_needs_a_tool_call_id": IDS,
            "test_per_call_same_tool_twice_routes_each_answer_to_its_own_call": IDS,
            "test_tool_runtime_config_access": LIMIT,
            "test_create_agent_does_not_patch_model_output": MALFORMED,
            "test_create_agent_answers_invalid_tool_calls_on_next_turn": MALFORMED,
            "test_invalid_structured_tool_call_does_not_end_agent": MALFORMED,
            "test_create_agent_patches_only_invalid_tool_calls_with_ids[-True]": MALFORMED,
            "test_middleware_model_swap_provider_to_tool_strategy": INSIDE,
            "test_inference_to_native_output[False]": WIRE,
            "test_inference_to_native_output[True]": WIRE,
            "test_strict_mode[False]": WIRE,
            "test_strict_mode[True]": WIRE,
        },
    ),
    Suite("langgraph_swarm", "0.1.0", "tests", {}),
)
WITHOUT_TESTS = ("deepagents 0.7.8", "copilotkit 0.1.96")
"""Their source distributions hold no tests."""

ABOVE = """# Compatibility

The test suites of other people's packages, run with nothing changed but where `create_agent` comes from, beside a control run
with LangChain's. They come from the source distributions on the package index; `make compat` runs them and writes this page.
A test counts here if it builds an agent.

| suite | tests | control | answergraph |
|---|---|---|---|
"""
BELOW = """
The source distributions of {without} hold no tests. The programs in `tests/graphs/agent/moving_over` and the deferred runs in
`tests/graphs/agent/test_create_deferred.py` stand in for them.

## Every difference
"""


def unpacked(suite: Suite, into: Path) -> Path:
    """Download a source distribution and return its folder."""
    name = f"{suite.package.replace('_', '-')}=={suite.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(into), name]
    subprocess.run(command, check=True)
    (archive,) = into.glob(f"{suite.package}-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into / archive.name.removesuffix(".tar.gz")


def results(suite: Suite, folder: Path, *, swap: bool) -> dict[str, Any]:
    """Run the tests; return the outcome of each that builds an agent."""
    report = folder / f"report-{swap}.json"
    # By another name: the suite has a package ``tests`` of its own.
    shutil.copy(Path(__file__).with_name("swapped.py"), folder.parent / "create_agent_swapped.py")
    path = os.pathsep.join([str(folder.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, REPORT: str(report), "PYTHONPATH": path, **({SWAP: "1"} if swap else {})}
    options = ["-q", "--tb=no", "-p", "create_agent_swapped", "-p", "no:cacheprovider", "--disable-socket", "--allow-unix-socket"]
    command = [sys.executable, "-m", "pytest", *options, *suite.folder.split()]
    subprocess.run(command, cwd=folder, env=environment, check=False)
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def compared(suite: Suite) -> tuple[str, list[str], list[str]]:
    """Return a row of the page, the lines of its differences, and what is wrong with them."""
    with tempfile.TemporaryDirectory() as into:
        folder = unpacked(suite, Path(into))
        control, ours = results(suite, folder, swap=False), results(suite, folder, swap=True)
    names = [name for name, result in control.items() if result.get("builds") or ours.get(name, {}).get("builds")]
    passed = [[name for name in names if run.get(name, {}).get("outcome") == "passed"] for run in (control, ours)]
    missing = sorted(set(passed[0]) - set(passed[1]))
    unexplained = [name for name in missing if not any(name.endswith(end) for end in suite.explained)]
    stale = [end for end in suite.explained if not any(name.endswith(end) for name in missing)]
    lines = [f"- {suite.package} `{end}`: {why}." for end, why in suite.explained.items()]
    row = f"| {suite.package} {suite.version} | {len(names)} | {len(passed[0])} | {len(passed[1])} |"
    return row, lines, [*(f"not explained: {name}" for name in unexplained), *(f"passes now: {end}" for end in stale)]


def main() -> int:
    """Run every suite, write the page, and say what is wrong."""
    rows, lines, wrong = [], [], []
    for suite in SUITES:
        row, differences, problems = compared(suite)
        rows.append(row)
        lines += differences
        wrong += problems
    PAGE.write_text("\n".join([ABOVE + "\n".join(rows), BELOW.format(without=" and ".join(WITHOUT_TESTS)), *lines]) + "\n")
    print("\n".join([*rows, *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
