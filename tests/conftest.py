"""The environment of every test: no tracing, no keys, and the rules of `tests/suite`."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = (
    "pytester",
    "tests.suite.calls_of_models",
    "tests.suite.ci_skips",
    "tests.suite.colors",
    "tests.suite.doctests",
    "tests.suite.groups",
    "tests.suite.loopback_only",
    "tests.suite.postgres",
)

# Set before LangChain is imported. A developer's own keys must not change what a test sees.
os.environ["LANGSMITH_TRACING"] = os.environ["LANGSMITH_TRACING_V2"] = "false"
for name in ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
    os.environ.pop(name, None)

# Lines wrap at the width of a terminal, and this tells it.
os.environ.pop("COLUMNS", None)

# Every client of an API reads all certificates of the machine, 25 ms each time; tests speak to loopback, without TLS.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).parent / "suite" / "unused_certificate.pem")

# A script that starts the tests in its background has SIGINT ignored, and so would the programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The time of one example means nothing on a busy machine.
settings.register_profile("suite", parent=settings.get_profile(settings.get_current_profile_name()), deadline=None)
settings.load_profile("suite")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected out of every search for garbage: a million objects, which took half the time of a run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_teardown() -> None:
    """Forget what a test has learned of servers: they are remembered by class, name and address."""
    if (refusals := sys.modules.get("answergraph.asking.providers.refusals")) is not None:
        refusals.forget_refusals()
