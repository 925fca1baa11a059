"""The rules for wrong values and crashes of the application, with messages of many tools."""

from dataclasses import replace

import pytest

from answergraph.graphs.add_ons.triage.offline.disagreement_rules import Sides, sides_of
from tests.graphs.add_ons.triage.offline.test_triage_rules import case, concluded

REAL, DISAGREE, OPEN = (False, None), (None, None), None
JAVA = "\n\tat com.shop.CartTest.adds(CartTest.java:12)"
DOTNET = "\n   at Shop.Tests.CartTests.Adds() in /src/Shop.Tests/CartTests.cs:line 12"
NODE = "\n    at TestContext.<anonymous> (file:///app/test/cart.test.mjs:5:10)"
FIBONACCI = (
    "n = 5, expected = 8\n\n    @pytest.mark.parametrize({names}, [(1, 1), (5, 8)])\n    def test_rate(n, expected):\n"
    ">       assert rate(n) == expected\nE       assert 5 == 8\n\ntest_rates.py:12: AssertionError"
)


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        ("    cart_test.go:12: \n\tError:      \tNot equal: \n\t    expected: 5\n\t    actual  : 4", DISAGREE),  # testify
        ("Failed\n    cart_test.go:12: Add(2, 2) = 5, want 4", DISAGREE),
        (f"org.opentest4j.AssertionFailedError: expected: <5> but was: <4>{JAVA}", DISAGREE),  # JUnit 5
        (f"org.opentest4j.AssertionFailedError: \nexpected: 5\n but was: 4{JAVA}", DISAGREE),  # AssertJ
        (f"java.lang.AssertionError: \nExpecting:\n <4>\nto be equal to:\n <5>\nbut was not.{JAVA}", DISAGREE),
        (f"java.lang.AssertionError: \nExpected: is <5>\n     but: was <4>{JAVA}", DISAGREE),  # Hamcrest
        (
            "org.scalatest.exceptions.TestFailedException: 3 did not equal 4\n\tat com.shop.CartSpec.new(CartSpec.scala:12)",
            DISAGREE,
        ),
        (f"  Expected: 5\n  But was:  4{DOTNET}", DISAGREE),  # NUnit
        (f"Assert.Equal() Failure: Values differ\nExpected: 5\nActual:   4{DOTNET}", DISAGREE),  # xUnit
        (f"Assert.AreEqual failed. Expected:<5>. Actual:<4>. {DOTNET}", DISAGREE),  # MSTest
        (
            "Failure/Error: expect(cart.total).to eq(5)\n\n  expected: 5\n       got: 4\n\n  (compared using ==)",
            DISAGREE,
        ),  # RSpec
        ("Expected: 5\n  Actual: 4\n    test/cart_test.rb:12:in `test_adds'", DISAGREE),  # Minitest
        ("  test/cart_test.exs:12\n     Assertion with == failed\n     left:  3\n     right: 4", DISAGREE),  # ExUnit
        ("cart_test.cc:12\nExpected equality of these values:\n  add(1, 2)\n    Which is: 3\n  4", DISAGREE),  # GoogleTest
        ("REQUIRE( add(1,2) == 4 )\nexpansion:\n3 == 4\n\nat /app/test/cart_test.cpp:12", DISAGREE),  # Catch2
        ('XCTAssertEqual failed: ("4") is not equal to ("5")\nCartTests.swift:12', DISAGREE),
        (
            f"AssertionError [ERR_ASSERTION]: Expected values to be:\n+ actual - expected\n\n+   total: 4\n-   total: 5\n{NODE}",
            DISAGREE,
        ),
        (f"AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\nundefined !== 9\n{NODE}", DISAGREE),
        (f"Error: expect(received).toHaveLength(expected)\n\nExpected length: 7\nReceived length: 1{NODE}", DISAGREE),
        (FIBONACCI.format(names='"n, expected"'), DISAGREE),
        (FIBONACCI.format(names="('n', 'expected')"), DISAGREE),
        # An empty result, a status, a time and a wording disagree in every tool.
        (f"Error: expect(received).toHaveLength(expected)\n\nExpected length: 2\nReceived length: 0{NODE}", DISAGREE),
        (f"Assert.Equal() Failure\nExpected: 200\nActual:   500{DOTNET}", DISAGREE),
        (f"Assert.Equal() Failure\nExpected: 2026-01-02T00:00:00\nActual:   2026-01-03T00:00:00{DOTNET}", DISAGREE),
        (
            f"AssertionError [ERR_ASSERTION]: Expected values to be:\n+ actual - expected\n\n+   id: 'a'\n-   id: 'b'\n{NODE}",
            DISAGREE,
        ),
        (FIBONACCI.format(names='"n"'), DISAGREE),  # the expected value comes from a fixture
    ],
)
def test_a_wrong_number_is_read_from_the_output_of_every_tool(
    details: str, verdict: tuple[bool | None, str | None] | None
) -> None:
    assert concluded(case(details, message=details.strip().splitlines()[0])) == verdict


def imported(error: str, place: str = "shop/cart.py:9", source: str = "RATES = rates()", inner: str = "") -> str:
    above = "tests/test_cart.py:3: in <module>\n    from shop.cart import Cart"
    return f"{above}\n{place}: in <module>\n    {source}\n{inner}E   {error}"


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        (imported("ZeroDivisionError: division by zero"), OPEN),
        (imported("ValueError: mutable default <class 'list'> for field children is not allowed"), OPEN),
        (imported("NameError: name 'List' is not defined"), OPEN),
        (imported("KeyError: 'URL'", source="URL = os.environ['URL']"), (True, "tool_bug")),
        (imported("ValidationError: 1 validation error for Settings", source="settings = Settings()"), (True, "tool_bug")),
        # An incompatible version of Python or of a package, and a module of the test itself.
        (imported("TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'"), OPEN),
        (imported("AttributeError: module 'numpy' has no attribute 'bool'"), OPEN),
        (imported("TypeError: bad", inner="/v/site-packages/flask/app.py:3: in __init__\n    x\n"), OPEN),
        (imported("ZeroDivisionError: division by zero", place="tests/helpers/test_base.py:9"), OPEN),
    ],
)
def test_an_application_that_breaks_while_it_is_imported_meets_no_check_and_is_left_open(
    details: str, verdict: tuple[bool | None, str | None] | None
) -> None:
    assert concluded(case(details, status="error", message="collection failure")) == verdict


@pytest.mark.parametrize(
    "details",
    [
        "line 1, col 1, Error - Unexpected var, use let or const instead. (no-var)",  # ESLint
        'shop/cart.py:3: error: Incompatible return value type (got "int", expected "str")  [return-value]',  # mypy
        "shop/cart.py:3:1: E302 expected 2 blank lines, found 1",  # flake8
    ],
)
def test_a_finding_of_a_linter_is_a_real_failure(details: str) -> None:
    assert concluded(replace(case(details), test="shop.cart::lint")) == REAL


UNWRITTEN = ">       raise NotImplementedError\nE       NotImplementedError\n\n{place}: NotImplementedError"
REACHED = "def test_rate():\n>       assert rate() == 2\n\ntests/test_rates.py:4: \n_ _ _\n"


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        (REACHED + UNWRITTEN.format(place="shop/rates.py:9"), DISAGREE),
        (REACHED + UNWRITTEN.format(place="tests/adapters.py:9"), OPEN),  # perhaps the exercise under test
        (REACHED + UNWRITTEN.format(place="tests/test_rates.py:14"), OPEN),  # a test double
        # The application rejects its input, and the test may have passed a wrong one.
        ("Error: Invalid or expired code.\n    at verify (lib/codes.js:2:9)\n    at test/codes.test.js:14:11", DISAGREE),
        ("Error: no such rate\n    at rate (lib/rates.js:2:9)\n    at test/rates.test.js:14:11", DISAGREE),
    ],
)
def test_the_message_of_an_application_error_decides(details: str, verdict: tuple[bool | None, str | None] | None) -> None:
    assert concluded(case(details, message=details.splitlines()[0])) == verdict


@pytest.mark.parametrize(
    ("details", "sides"),
    [
        (FIBONACCI.format(names='"n, expected"'), Sides("8", "5", "test_rates.py:12", "")),
        (
            f"Error: expect(received).toBe(expected)\n\nExpected: 6\nReceived: 5{NODE}",
            Sides("6", "5", "test/cart.test.mjs:5", ""),
        ),
        (
            REACHED
            + "def rate():\n>       return 1 / 0\n"
            + "E       ZeroDivisionError: division by zero\n\nshop/rates.py:9: ZeroDivisionError",
            Sides("no error", "ZeroDivisionError: division by zero", "tests/test_rates.py:4", "shop/rates.py:9"),
        ),
    ],
)
def test_a_disagreement_says_what_was_expected_what_came_and_where_both_stand(details: str, sides: Sides) -> None:
    told = sides_of(case(details, message=details.splitlines()[0]))
    assert told.test_place.endswith(sides.test_place)
    assert replace(told, test_place=sides.test_place) == sides
