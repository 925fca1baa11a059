"""The triage rules one by one: the conclusions of each, and cases without a conclusion."""

import pytest

from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText, Conclusion
from answergraph.graphs.add_ons.triage.offline.triage_rules import judge, judge_passed
from answergraph.graphs.add_ons.triage.run_files.case_facts import OtherResult
from answergraph.graphs.add_ons.triage.run_files.junit_results import Status

SOURCE = "def test_rate():\n>       assert rate({given}) == 2\nE       {error}\n\ntest_rates.py:4: {kind}"


def other(file: str, status: Status, order: str, message: str = "") -> OtherResult:
    return OtherResult(file=file, status=status, order=order, message=message, written='<testcase name="test_rate" time="0.2">')


def failed_again(message: str, file: str = "again.xml") -> OtherResult:
    return other(file, "failed", "the same cases", message)


PASSED_ALIKE = other("again.xml", "passed", "the same cases")
PASSED_ALONE = other("alone.xml", "passed", "no other")


def case(
    details: str,
    *others: OtherResult,
    status: Status = "failed",
    message: str = "",
    output: str = "",
    log: str = "",
) -> CaseText:
    return CaseText(
        case="r.xml#2",
        test="test_rates::test_rate",
        status=status,
        started="2026-11-21T10:00:00",
        seconds="0.1",
        ran_after="1 others, the last of them test_rates::test_first",
        kind="passed" if status == "passed" else "failed",
        other_results=len(others),
        others=list(others),
        elsewhere=[],
        tries=[],
        written='<testcase name="test_rate" time="0.1">',
        sign="",
        message=message or next((line[1:].strip() for line in details.splitlines() if line.startswith("E ")), ""),
        details=details,
        output=output,
        log=log,
    )


def pytest_failure(error: str, kind: str = "AssertionError", given: str = "1") -> str:
    return SOURCE.format(error=error, kind=kind, given=given)


def concluded(facts: CaseText) -> tuple[bool | None, str | None] | None:
    conclusion = judge(facts)
    return None if conclusion is None else (conclusion.misjudged, conclusion.cause)


BY_ZERO = "E   ZeroDivisionError: division by zero\n\nrates.py:3: ZeroDivisionError"
PLAIN = pytest_failure("assert 3 == 2")
THREE = failed_again("assert 3 == 2")


@pytest.mark.parametrize(
    ("error", "kind", "cause"),
    [
        ("OSError: [Errno 28] No space left on device", "OSError", "temporary_error"),
        ("sqlite3.OperationalError: database or disk is full", "OperationalError", "temporary_error"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "ConnectionRefusedError", "temporary_error"),
        ("socket.gaierror: [Errno -2] Name or service not known", "gaierror", "temporary_error"),
        ("lookup db.shop on 127.0.0.11:53: server misbehaving", "Error", "temporary_error"),
        ("TimeoutError: timed out", "TimeoutError", "temporary_error"),
        ("ModuleNotFoundError: No module named 'lamps'", "ModuleNotFoundError", "tool_bug"),
        ("ImportError: cannot import name 'x' from 'helpers'", "ImportError", "tool_bug"),
        ("NameError: name 'rat' is not defined", "NameError", "tool_bug"),
    ],
)
def test_the_exception_decides(error: str, kind: str, cause: str) -> None:
    assert concluded(case(pytest_failure(error, kind))) == (True, cause)


def test_an_application_that_lacks_a_name_disagrees_with_the_test() -> None:
    details = "E   ImportError: cannot import name 'rate' from 'shop'\n\nshop/api.py:1: ImportError"
    assert concluded(case(details)) == (None, None)


@pytest.mark.parametrize(
    "details",
    [
        "E       fixture 'lamp' not found",
        "ScopeMismatch: You tried to access the function scoped fixture lamp with a session scoped request object.",
    ],
)
def test_a_broken_setup_is_the_fault_of_the_test(details: str) -> None:
    assert concluded(case(details, status="error", message="failed on setup with 'Failed'")) == (True, "tool_bug")


def test_an_application_error_during_setup_is_undecided() -> None:
    details = "conftest.py:4:\n_ _\nE   ZeroDivisionError: division by zero\n\nshop/rates.py:3: ZeroDivisionError"
    assert concluded(case(details, status="error", message="failed on setup with 'ZeroDivisionError'")) is None


@pytest.mark.parametrize(
    ("details", "others", "cause"),
    [
        (PLAIN, (THREE, PASSED_ALONE), "tool_bug"),  # order: fails after the others twice, passes alone
        (PLAIN, (PASSED_ALONE,), None),
        (PLAIN, (PASSED_ALIKE,), None),
        # That a test draws lots, waits or reads the clock does not show that this made it fail.
        (pytest_failure("assert 3 == 2", given="random.random()"), (PASSED_ALIKE,), None),
        (pytest_failure("assert 3 == 2", given="latency_seconds, timeout"), (PASSED_ALIKE,), None),
        (pytest_failure("assert 3 == 2", given="date.today()"), (PASSED_ALIKE,), None),
    ],
)
def test_a_test_that_passed_in_another_run_should_have_passed(
    details: str, others: tuple[OtherResult, ...], cause: str | None
) -> None:
    conclusion = judge(case(details, *others))
    assert conclusion is not None
    assert (conclusion.misjudged, conclusion.cause) == (True, cause)
    assert others[-1]["written"] in conclusion.quotes
    unknown = "The same test passed in another run of the folder; what differed between the runs cannot be told."
    assert (conclusion.explanation == unknown) == (cause is None)


@pytest.mark.parametrize(
    ("details", "others"),
    [
        (PLAIN, ()),
        (PLAIN, (THREE,)),
        (pytest_failure("assert 3 == 2").replace("test_rate()", "test_rate(lamp)"), ()),
        ("E   TypeError: 'int' object is not iterable\n\nrates.py:3: TypeError", ()),
        (f"def test_rate():\n>   rate(1)\n\ntest_rates.py:4:\n_ _\n{BY_ZERO}", ()),
    ],
)
def test_a_failure_without_another_explanation_is_a_disagreement(details: str, others: tuple[OtherResult, ...]) -> None:
    assert concluded(case(details, *others)) == (None, None)


@pytest.mark.parametrize(
    "details",
    [
        pytest_failure("assert 3 == 2", given="time.sleep(1)"),
        pytest_failure("assert 3 == 2", given="random.random()"),
        pytest_failure("assert 3 == 2", given="datetime.now()"),
        pytest_failure("assert 3 == 2", given="os.environ"),
        pytest_failure("Failed: DID NOT RAISE TimeoutError", "Failed", given="x"),
        "",
    ],
)
def test_a_failure_with_another_possible_explanation_is_undecided(details: str) -> None:
    assert concluded(case(details)) is None


def test_repeated_timeouts_are_undecided() -> None:
    late = [failed_again("TimeoutError: timed out", file) for file in ("again.xml", "third.xml")]
    assert concluded(case(pytest_failure("TimeoutError: timed out", "TimeoutError"), *late)) is None


@pytest.mark.parametrize(("year", "verdict"), [("2025", (True, "tool_bug")), ("2026", None)])
def test_comparing_the_current_year_with_a_fixed_one_is_the_fault_of_the_test(
    year: str, verdict: tuple[bool, str] | None
) -> None:
    facts = case(pytest_failure(f"AssertionError: assert '© 2026 Lamps' == '© {year} Chairs'", given="date"))
    assert concluded(facts) == verdict


def test_a_failed_check_beside_an_application_that_got_no_more_memory_may_be_a_leak() -> None:
    logged = "ERROR shop.Cart java.lang.OutOfMemoryError: Java heap space"
    assert concluded(case(pytest_failure("assert 503 == 200"), output=logged)) == (None, None)


def test_a_blank_marked_line_of_pytest_says_nothing() -> None:
    assert case("E   assert 3 == 2\nE   \nE\nE     - two\n\ntest_rates.py:4: AssertionError").marked_lines == [
        "assert 3 == 2",
        "- two",
    ]


def test_a_failed_check_beside_a_logged_connection_error_is_temporary() -> None:
    logged = "ERROR rates:rates.py:9 cannot fetch: Connection refused"
    conclusion = judge(case(pytest_failure("assert 503 == 200"), output=logged))
    assert conclusion is not None
    assert (conclusion.cause, conclusion.quotes) == ("temporary_error", (logged,))


@pytest.mark.parametrize(
    ("output", "misjudged"), [("Exception in thread T-1: x", True), ("ERROR order refused", None), ("", None)]
)
def test_a_passed_case_is_doubted_only_for_unnoticed_errors(output: str, misjudged: bool | None) -> None:
    conclusion: Conclusion | None = judge_passed(case("", output=output, status="passed"))
    assert (conclusion.misjudged if conclusion else None) == misjudged


def importing(error: str, *frames: str) -> str:
    shown = "\n_ _ _\n".join(f"{frame}: " for frame in frames[:-1])
    return f"{shown}\nE   {error}\n\n{frames[-1]}: {error.split(':', maxsplit=1)[0]}"


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        # The application's own module lacks the name, whoever imports it.
        (
            importing(
                "ImportError: cannot import name 'titleize' from 'inflection' (/srv/app/inflection/__init__.py)", "test_x.py:3"
            ),
            (None, None),
        ),
        (importing("ModuleNotFoundError: No module named 'rates.tables'", "test_rates.py:3"), (None, None)),
        (importing("ModuleNotFoundError: No module named 'shop.tables'", "test_x.py:3", "shop/api.py:1"), (None, None)),
        # A third-party module that the application imports may be missing only on this machine.
        (importing("ModuleNotFoundError: No module named 'tabulatorix'", "test_x.py:3", "shop/api.py:1"), None),
        # The test's own helpers, and packages that only the test needs.
        (importing("ModuleNotFoundError: No module named 'tests.lamps'", "test_x.py:3"), (True, "tool_bug")),
        (
            importing("ImportError: cannot import name 'x' from 'collections' (/usr/lib/python3.12/collections)", "test_x.py:3"),
            (True, "tool_bug"),
        ),
        # The place of the installation does not show who owns it.
        (
            importing("ImportError: cannot import name 'x' from 'pandas' (/v/site-packages/pandas/__init__.py)", "test_x.py:3"),
            None,
        ),
        ("Cannot find module '../src/cart' from 'test/cart.test.js'", (None, None)),
        ("Cannot find module 'lodash' from 'test/cart.test.js'", (True, "tool_bug")),
        ("java.lang.NoClassDefFoundError: org/lib/Thing\n\tat com.shop.CartTest.adds(CartTest.java:9)", (True, "tool_bug")),
    ],
)
def test_a_missing_module_is_judged_by_its_owner(details: str, verdict: tuple[bool | None, str | None] | None) -> None:
    assert concluded(case(details)) == verdict


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        (
            "java.lang.AssertionError: expected [1.2.1] but found [1.2.0]\n\tat com.shop.CartTest.adds(CartTest.java:29)",
            (None, None),
        ),
        (
            "Error: expect(received).toBe(expected)\n\nExpected: 6\nReceived: 5\n    at Object.adds (test/cart.test.js:4:9)",
            (None, None),
        ),
        ("AssertionError: expected 5 to be 6\n\n- 6\n+ 5\n\n ❯ cart.test.ts:4:37", (None, None)),
        ("thread 'adds' panicked at tests/cart.rs:154:5:\nassertion `left == right` failed\n  left: 5\n right: 6", (None, None)),
        ("CartTest::adds\nFailed asserting that 19 matches expected 20.\n\n/srv/app/test/CartTest.php:24", (None, None)),
        ("cart.cpp:72: error: check_eq(3628800, 3628801)", (None, None)),
        ("Error: no such rate\n    at Object.rate (lib/rates.js:2:9)\n    at test/rates.test.js:14:11", (None, None)),
        ("Error: no such rate\n    at Object.<anonymous> (test/rates.test.js:21:11)", None),
        ("Test suite failed to run\n\ntsconfig.json:4 - error TS6046: expected: 'es5'", None),
        # The application may have asked for more and more: a leak and a small machine look the same.
        ("E   MemoryError: cannot allocate memory\n\nshop/api.py:3: MemoryError", (None, None)),
        ("E   OSError: [Errno 24] Too many open files\n\nshop/api.py:3: OSError", None),
        ("java.lang.OutOfMemoryError: Java heap space", None),
        ("java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays.copyOf(Arrays.java:3512)", None),
        ("E   MemoryError\n\ntests/test_api.py:3: MemoryError", (True, "temporary_error")),
        ("E   OSError: [Errno 12] Cannot allocate memory\n\ntests/test_api.py:3: OSError", (True, "temporary_error")),
        ("browserType.launch: Executable doesn't exist at /ms/chrome\n    at test/cart.spec.ts:4:2", (True, "tool_bug")),
        (">   os.environ['SHOP_URL']\nE   KeyError: 'SHOP_URL'\n\ntest_rates.py:4: KeyError", (True, "tool_bug")),
        (">   os.environ['SHOP_URL']\nE   KeyError: 'SHOP_URL'\n\nshop/api.py:4: KeyError", None),
    ],
)
def test_failures_of_many_tools_are_judged(details: str, verdict: tuple[bool | None, str | None] | None) -> None:
    assert concluded(case(details, message=details.splitlines()[0])) == verdict
