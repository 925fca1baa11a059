"""In CI a skip fails, wherever it comes from; langchain-tests' inapplicable cases do not."""

import pytest

from tests.suite import ci_skips

LANGCHAINS_CASE = """
from langchain_tests.unit_tests import ChatModelUnitTests

class TestModel:
    test_serdes = ChatModelUnitTests.test_serdes

    class chat_model_class:
        is_lc_serializable = staticmethod(lambda: False)

    @pytest.fixture
    def model(self): ...
"""
SUITE = """
import pytest

@pytest.mark.skip(reason="not today")
def test_marked(): ...

def test_serdes():
    pytest.skip("not one of theirs")

@pytest.mark.xfail
def test_known_fault():
    assert False
"""
MODULE = "import pytest\npytest.skip('whole module', allow_module_level=True)"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("CI", "true")
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(test_few=SUITE, test_none=MODULE)
    return pytester


def test_in_ci_a_skip_is_a_failure(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--continue-on-collection-errors", plugins=[ci_skips])
    result.assert_outcomes(failed=1, errors=2, xfailed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*CI allows no skips. *whole module*", "*CI allows no skips. *not today*"])


@pytest.mark.torture
def test_two_processes_fail_as_one_does(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of others take seconds to import
    result = suite.runpytest_subprocess("-p", "xdist", "-p", "tests.suite.ci_skips", "-n", "2", "test_few.py")
    result.assert_outcomes(failed=1, errors=1, xfailed=1)


def test_langchains_inapplicable_cases_are_skips(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_few=SUITE + LANGCHAINS_CASE)
    result = suite.runpytest_inprocess("-k", "TestModel", "test_few.py", plugins=[ci_skips])
    result.assert_outcomes(skipped=1, deselected=3)


def test_elsewhere_a_skip_is_a_skip(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI")
    result = suite.runpytest_inprocess(plugins=[ci_skips])
    result.assert_outcomes(skipped=3, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
