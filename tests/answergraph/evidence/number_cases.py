"""Generated cases for numbers: a value, its mark, and the text it must be found in, or must not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from answergraph.evidence import FromTools

NumberCase = tuple[float, FromTools, str]

TEMPLATES = (
    "{}",
    "total: {}",
    "it took {} in all",
    '{{"total": {}, "unit": "x"}}',
    "({})",
    "a={}; b=none",
    "sum = {}.",
    '{{"total":{},"unit":null}}',
)


def _text(written: str, random: Random) -> str:
    return random.choice(TEMPLATES).format(written)


def _value(random: Random) -> float:
    return random.choice((random.randint(10, 10**9), round(random.uniform(-1e4, 1e6), random.randint(1, 6))))


def _whole(random: Random) -> int:
    return random.randint(1000, 10**9)


def written_plainly(random: Random) -> NumberCase:
    value = _value(random)
    return value, FromTools(), _text(repr(value), random)


def written_with_groups(random: Random) -> NumberCase:
    value = _whole(random)
    return value, FromTools(), _text(f"{value:,}", random)


def written_with_full_width_digits(random: Random) -> NumberCase:
    value = _whole(random)
    return value, FromTools(), _text(str(value).translate({48 + n: 0xFF10 + n for n in range(10)}), random)


def written_with_an_exponent(random: Random) -> NumberCase:
    value = random.randint(1, 999)
    return value * 1000.0, FromTools(), _text(f"{value}e3", random)


def written_with_its_unit(random: Random) -> NumberCase:
    value, factor = random.randint(1, 10**5), random.choice((1, 1000))
    unit = "ms" if factor == 1 else "s"
    text = random.choice((f"took {value} {unit}", f"took {value}{unit}.", f'{{"duration_{unit}": {value}}}', f"{unit}={value}"))
    return value * factor, FromTools(units={"ms": 1, "s": 1000}), text


def rounded_as_declared(random: Random) -> NumberCase:
    value, places = random.uniform(-1e3, 1e3), random.randint(0, 4)
    return round(value, places), FromTools(rounding=places), _text(repr(value), random)


TRUE_NUMBERS: dict[str, Callable[[Random], NumberCase | None]] = {
    case.__name__: case
    for case in (
        written_plainly,
        written_with_groups,
        written_with_full_width_digits,
        written_with_an_exponent,
        written_with_its_unit,
        rounded_as_declared,
    )
}


def number_with_digits_swapped(random: Random) -> NumberCase | None:
    digits = list(str(_whole(random)))
    at = random.randrange(len(digits) - 1)
    swapped = [*digits[:at], digits[at + 1], digits[at], *digits[at + 2 :]]
    return None if swapped == digits else (int("".join(swapped)), FromTools(), _text("".join(digits), random))


def number_with_one_digit_changed(random: Random) -> NumberCase | None:
    value = _value(random)
    digits = list(repr(value))
    at = random.choice([index for index, digit in enumerate(digits) if digit.isdigit()])
    digits[at] = random.choice("0123456789")
    changed = float("".join(digits))
    return None if changed == value else (changed, FromTools(), _text(repr(value), random))


def number_with_its_sign_changed(random: Random) -> NumberCase:
    value = _value(random)
    return -value, FromTools(), _text(repr(value), random)


def part_of_a_number(random: Random) -> NumberCase | None:
    digits = str(_whole(random))
    start, end = sorted(random.sample(range(len(digits) + 1), 2))
    part = int(digits[start:end])
    return None if end - start == len(digits) else (part, FromTools(), _text(digits, random))


def part_of_a_grouped_number(random: Random) -> NumberCase:
    value = _whole(random)
    group = random.choice(f"{value:,}".split(","))
    return int(group), FromTools(), _text(f"{value:,}", random)


def part_of_a_word_date_or_version(random: Random) -> NumberCase:
    value = random.randint(10, 99)
    text = random.choice(("id{}x", "2026-11-{}", "v1.{}.3", "10:{}:07", "worker-{}", "a{}", "{}/7", "{}-90", "0x{}", "10.0.{}.1"))
    return value, FromTools(), _text(text.format(value), random)


def another_power_of_ten(random: Random) -> NumberCase:
    value = _whole(random)
    return value * random.choice((10, 100, 0.1, 0.001)), FromTools(), _text(str(value), random)


def the_same_number_with_another_unit(random: Random) -> NumberCase:
    value = random.randint(1, 10**5)
    text = random.choice((f"took {value} min", f"took {value}", f"{value} msec", f'{{"duration_h": {value}}}', f"{value}%"))
    return value, FromTools(units={"ms": 1, "s": 1000}), text


def rounded_further_than_declared(random: Random) -> NumberCase | None:
    value, places = random.uniform(-1e3, 1e3), random.randint(1, 4)
    rounded = round(value, places - 1)
    is_declared = round(value, places) == rounded
    return None if is_declared else (rounded, FromTools(rounding=places), _text(repr(value), random))


def rounded_the_wrong_way(random: Random) -> NumberCase:
    value, places = random.uniform(-1e3, 1e3), random.randint(0, 4)
    off = round(round(value, places) + random.choice((-1, 1)) * 10**-places, places)
    return off, FromTools(rounding=places), _text(repr(value), random)


CORRUPTED_NUMBERS: dict[str, Callable[[Random], NumberCase | None]] = {
    case.__name__: case
    for case in (
        number_with_digits_swapped,
        number_with_one_digit_changed,
        number_with_its_sign_changed,
        part_of_a_number,
        part_of_a_grouped_number,
        part_of_a_word_date_or_version,
        another_power_of_ten,
        the_same_number_with_another_unit,
        rounded_further_than_declared,
        rounded_the_wrong_way,
    )
}
