"""The calculator's expressions: allowed ones, refused ones, and their values."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.calculator.llm_math.math_expression import CalculationError, calculate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100 * 0.2", "20.0"),
        ("100 - 20", "80"),
        ("80 * 0.1", "8.0"),
        ("37593 * 67", "2518731"),
        ("37593**(1/5)", "8.222831614237718"),
        ("5/2", "2.5"),
        ("7//2", "3"),
        ("-7 // 2", "-4"),
        ("7 % 3", "1"),
        ("round(2.5)", "2.0"),
        ("1,000*2", "2000"),
        ("1,234,567 + 1", "1234568"),
        ("1,000.5 * 2", "2001.0"),
        ("10**20", "100000000000000000000"),
        ("2**63 - 1", "9223372036854775807"),
        ("2**64 + 1", "18446744073709551617"),
        ("2**64 + 1 - 2**64", "1"),
        ("10**30 % 7", "1"),
        ("9223372036854775807", "9223372036854775807"),
        ("100000 * 100000", "10000000000"),
        ("[3 + 4]", "7"),
        ("１００ × ０．２", "20.0"),
        ("8 ÷ 2 − 1", "3.0"),
        ("2 * pi", "6.283185307179586"),
        ("-2**2", "-4"),
        ("sqrt(16) + abs(-3)", "7.0"),
        ("7 // sqrt(4)", "3.0"),
        ("10 // abs(-3)", "3"),
        ("2 ** round(-3)", "0.125"),
        ("0.5**1000", "9.332636185032189e-302"),
        ("1**99999999999999999999", "1"),
    ],
)
def test_arithmetic_is_evaluated(text: str, value: str) -> None:
    assert str(calculate(text).value) == value


@pytest.mark.parametrize(("text", "value"), [("2^10", 1024), ("2^3+1", 9), ("2^3^2", 512), ("-2^2", -4), ("２＾３", 8)])
def test_a_caret_is_read_as_power_and_reported(text: str, value: int) -> None:
    calculation = calculate(text)
    assert (calculation.value, calculation.note) == (value, "^ was read as power")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9**9**9", "too large"),
        ("9^9^9", "too large"),
        ("-(9**9**9)", "too large"),
        ("(10**300)**(10**300)", "too large"),
        ("10.0**400", "too large"),
        ("1e308 * 10", "too large"),
        ("exp(1000)", "too large"),
        ("1e999", "too large"),
        ("10**400", "too large"),
        ("2**1024", "too large"),
        ("1/0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("7 // (3 - 3)", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("sqrt(-1)", "no real number"),
        ("log(0)", "no real number"),
        ("(-8)**(1/3)", "no real number"),
        ("x + 1", "'x' is not arithmetic on numbers"),
        ("__import__('os').system('ls')", "not arithmetic"),
        ("(1).real", "not arithmetic"),
        ("sum(1)", "not arithmetic"),
        ("sqrt", "not arithmetic"),
        ("sqrt(x=4)", "not arithmetic"),
        ("sqrt(*[4])", "not arithmetic"),
        ("'a' * 3", "not arithmetic"),
        ("2j", "not arithmetic"),
        ("True + 1", "not arithmetic"),
        ("1 << 100", "not arithmetic"),
        ("5 if 1 else 2", "not arithmetic"),
        ("1 < 2", "not arithmetic"),
        ("[1, 2]", "a comma"),
        ("1,00 * 2", "a comma"),
        ("1,0000", "a comma"),
        ("3² + 1", "not one arithmetic expression"),
        ("1 + 2\n3 + 4", "not one arithmetic expression"),
        ("x = 3", "not one arithmetic expression"),
        ("", "not one arithmetic expression"),
        ("2 +", "not one arithmetic expression"),
        ("(" * 400 + "1" + ")" * 400, "not one arithmetic expression"),
        ("1+" * 600 + "1", "longer than 1000 characters"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(CalculationError, match=why):
        calculate(text)


def test_a_long_chain_of_signs_has_a_value_or_a_reason() -> None:
    with pytest.raises(CalculationError, match="nested too deeply"):
        calculate("-" * 990 + "1")


def value_or_reason(text: str) -> float | str:
    try:
        return calculate(text).value
    except CalculationError as error:
        return str(error)


Calculated = tuple[str, Fraction, Fraction]
"""An expression, its value, and the largest number met on the way, by which rounding errors are measured."""


def combined(parts: tuple[Calculated, str, Calculated]) -> Calculated:
    (left, a, most_left), sign, (right, b, most_right) = parts
    if sign == "/" and b == 0:
        sign = "-"
    value = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}[sign]
    reach = {"+": most_left + most_right, "-": most_left + most_right, "*": most_left * most_right}
    # What division does to an error depends on how much of the divisor was rounding.
    most = reach.get(sign) or most_left * most_right / min(b * b, abs(b))
    return f"({left}) {sign} ({right})", value, max(most, abs(value), Fraction(1))


def negated(part: Calculated) -> Calculated:
    text, value, most = part
    return f"-({text})", -value, most


def squared(part: Calculated) -> Calculated:
    text, value, most = part
    return f"({text})**2", value**2, most**2


def written(number: Fraction, text: str) -> Calculated:
    return text, number, max(abs(number), Fraction(1))


integers = st.integers(0, 10**9).map(lambda number: written(Fraction(number), str(number)))
grouped = st.integers(0, 10**9).map(lambda number: written(Fraction(number), f"{number:,}"))
decimals = st.decimals(0, 10**6, places=3).map(lambda number: written(Fraction(number), f"{number:f}"))
expressions = st.recursive(
    integers | grouped | decimals,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(combined),
        inner.map(negated),
        inner.map(squared),
    ),
    max_leaves=8,
)


@given(expressions)
def test_a_value_is_that_of_exact_arithmetic(expression: Calculated) -> None:
    text, value, most = expression
    found = value_or_reason(text)
    if isinstance(found, str):
        # Only a divisor that rounding made zero, and what no double holds, may be without a value.
        assert "division by zero" in found or most > 2**1000
    else:
        assert abs(Fraction(found) - value) <= most * Fraction(1, 10**9)


@given(st.lists(st.integers(-(10**40), 10**40), min_size=1, max_size=4))
def test_integers_stay_exact(numbers: list[int]) -> None:
    text = " + ".join(f"({number}) * {number}" for number in numbers)
    assert calculate(text).value == sum(number * number for number in numbers)


@given(st.text(alphabet="0123456789+-*/%^().,eE[] \n_xpisqrt'", max_size=40))
def test_any_text_has_a_value_or_a_reason(text: str) -> None:
    found = value_or_reason(text)
    assert found if isinstance(found, str) else abs(found) >= 0
