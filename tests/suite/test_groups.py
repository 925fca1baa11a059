"""The groups: which tests run, which are left, and the report of their number."""

import pytest

from tests.suite import groups

SUITE = """
import pytest

def test_fast(): pass

@pytest.mark.postgres
def test_slow(): pass

@pytest.mark.torture
@pytest.mark.server
def test_slow_in_two_ways(): pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(SUITE)
    return pytester


def test_make_test_runs_what_is_not_slow_and_says_what_it_left(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess(plugins=[groups])
    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines(["left to make test-slow: 1 postgres, 1 server, torture"])


def test_make_test_slow_runs_the_rest(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--slow", plugins=[groups])
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.no_fnmatch_line("left to *")


@pytest.mark.torture
def test_two_processes_report_the_same_numbers_as_one(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of others take seconds to import
    result = suite.runpytest_subprocess("-p", "xdist", "-p", "tests.suite.groups", "-n", "2")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["left to make test-slow: 1 postgres, 1 server, torture"])


def test_an_unknown_mark_is_an_error(suite: pytest.Pytester) -> None:
    suite.makepyfile("import pytest\n\n@pytest.mark.sever\ndef test_misspelt(): pass\n")
    result = suite.runpytest_inprocess("--strict-markers", plugins=[groups])
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'sever' not found in `markers` configuration option*"])
