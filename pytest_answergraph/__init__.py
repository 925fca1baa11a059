"""``pytest --triage``: triages the failures after a test run. The fixture ``tape`` records and plays runs of agents.

A separate package, because pytest imports plugins in every run: answergraph is imported only for a triage.
"""

import io
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("answergraph", "triage of failures")
    group.addoption("--triage", action="store_true", help="judge each failure, real or flaky, with the evidence")
    group.addoption("--triage-model", default="offline", help="'offline', 'openai:NAME' or 'provider:NAME'; default: offline")
    group.addoption("--triage-html", metavar="PATH", help="also write the triage as a page")

    group.addoption(
        "--answergraph-record-mode",
        choices=("once", "none", "all"),
        default="none" if os.environ.get("CI") else "once",
        help="when the fixture tape records; default: once, and none where CI is set",
    )


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Callable[..., AbstractContextManager[Any]]:
    """Return ``use_tape`` with a file named after the test: ``tapes/<module>/<test>.jsonl`` beside the test's file."""
    name = re.sub(r"[^\w.\[\]-]+", "_", request.node.name)
    path = request.path.parent / "tapes" / request.path.stem / f"{name}.jsonl"
    mode = request.config.getoption("answergraph_record_mode")

    def use(**options: object) -> AbstractContextManager[Any]:
        # Imported after the tests have begun, because they may test this package.
        from answergraph.testing import use_tape  # noqa: PLC0415 - see above

        return use_tape(path, **{"mode": mode, **options})

    return use


# Before pytest's own plugin reads the option.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("triage") or hasattr(config, "workerinput"):  # a worker of xdist reports to its controller
        return
    if not hasattr(config.option, "xmlpath"):
        raise pytest.UsageError("--triage reads the run's JUnit XML: leave out -p no:junitxml.")
    folder = Path(tempfile.mkdtemp(prefix="pytest-triage-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    if not config.option.xmlpath:
        config.option.xmlpath = str(folder / "results.xml")
    config.pluginmanager.register(_Triage(config, folder), "answergraph-triage-run")


class _Triage:
    """Passes on the results once pytest has written them."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self._config, self._folder = config, folder
        self._results = Path(config.option.xmlpath).absolute()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the triage below pytest's own summary."""
        if not self._results.is_file():
            return
        if self._results.parent != self._folder:
            shutil.copyfile(self._results, self._folder / "results.xml")
        terminalreporter.section("triage")
        for line in self._triage().splitlines():
            terminalreporter.write_line(line)

    def _triage(self) -> str:
        # Imported after the tests, because they may test these packages.
        try:
            from answergraph.cli.triage.triage_run import TriageOptions, triage_and_print  # noqa: PLC0415 - see above
            from answergraph.runtime.extras import MissingExtraError  # noqa: PLC0415 - see above
        except ImportError as error:
            return f"--triage needs answergraph's command line: {error}. Run: pip install 'answergraph[cli,triage]'"
        page, model = self._config.getoption("triage_html"), self._config.getoption("triage_model")
        output = io.StringIO()
        try:
            triage_and_print(model, str(self._folder), TriageOptions(html=Path(page) if page else None), output)
        except (MissingExtraError, ValueError, OSError) as error:
            return f"--triage: {error}"
        return output.getvalue()
