"""The measure of growth tells a reader of quadratic time from one of linear time."""

import pytest

from tests.torture.growth import MAX_EXPONENT, growth


@pytest.mark.torture
def test_a_quadratic_reader_is_seen_though_its_first_times_are_too_short_to_measure() -> None:
    assert (
        growth(lambda text: [text[at:].count("x") for at in range(0, len(text), 50)], lambda size: "y" * size, 128_000).exponent
        > 1.7
    )


@pytest.mark.torture
def test_a_quadratic_reader_is_seen_though_its_first_run_takes_long() -> None:
    runs: list[int] = []

    def read(text: str) -> None:
        runs.append(len(text))
        for at in range(0, len(text) if len(runs) > 1 else 200_000, 10):
            text[at % len(text) :].count("x")

    assert growth(read, lambda size: "y" * size, 32_000).exponent > 1.7


@pytest.mark.torture
def test_a_linear_reader_is_linear() -> None:
    assert growth(lambda text: [ord(character) for character in text], lambda size: "y" * size, 512_000).exponent < MAX_EXPONENT
