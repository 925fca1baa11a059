import time
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from answergraph.many import map_answers
from answergraph.many.batches.provider_errors import is_passing, retry_after, status_of
from answergraph.many.pace import Pace
from tests.answergraph.many.invoices import agent_of, collected, read_number, rows
from tests.suite.colors import Run


class ProviderError(Exception):
    """An error with the attributes that clients of providers give theirs."""

    def __init__(self, status: int | None, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"status {status}")
        if status is None:
            self.request = httpx.Request("POST", "http://127.0.0.1/")
        else:
            self.status_code = status
            self.response = SimpleNamespace(status_code=status, headers=headers or {})


def caused_by(cause: BaseException) -> BaseException:
    error = RuntimeError("wrapped")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (ProviderError(429), True),
        (ProviderError(503), True),
        (ProviderError(None), True),
        (ConnectionResetError(), True),
        (httpx.ReadTimeout("slow"), False),  # without its request nothing tells it from another error
        (caused_by(ProviderError(500)), True),
        (ProviderError(400), False),
        (ValueError(), False),
    ],
)
def test_failures_that_pass_are_told_from_mistakes(error: BaseException, passing: bool) -> None:
    assert is_passing(error) is passing


def test_the_providers_headers_say_how_long_to_wait() -> None:
    assert retry_after(ProviderError(429, {"retry-after": "7"})) == 7
    assert retry_after(ProviderError(429, {"retry-after-ms": "250", "retry-after": "7"})) == 0.25
    assert retry_after(caused_by(ProviderError(429, {"retry-after": "9999"}))) == 60
    assert retry_after(ProviderError(429, {"retry-after": "soon"})) is None
    assert status_of(caused_by(ProviderError(429))) == 429


def test_refusals_for_the_rate_halve_the_rows_at_once_and_answers_raise_them_again() -> None:
    pace = Pace(16)
    for _ in range(8):  # refusals of rows that were under way together
        assert pace.refused(ProviderError(429, {"retry-after": "50"}), tries=1) == 50
    assert pace.at_once == 8
    assert 0 < pace.seconds_to_wait <= 50
    for _ in range(200):
        pace.answered()
    assert pace.at_once == 16
    pace.refused(ProviderError(500), tries=1)
    assert pace.at_once == 16


def test_rows_are_asked_again_when_the_provider_said_so(run: Run) -> None:
    refused: dict[str, float] = {}

    def limited(text: str) -> Any:
        if text not in refused:
            refused[text] = time.monotonic()
            return ProviderError(429, {"retry-after-ms": "30"})
        return read_number(text) if time.monotonic() - refused[text] >= 0.03 else ProviderError(400)

    ends = collected(run, map_answers(agent_of(limited), rows(12), key="id", input="body"))
    assert {row.answer.number for row in ends.values()} == set(range(12))


def test_a_provider_that_keeps_failing_ends_the_row_with_its_error(run: Run) -> None:
    asked: list[str] = []

    def broken(text: str) -> Any:
        asked.append(text)
        return ProviderError(503, {"retry-after-ms": "1"})

    ends = collected(run, map_answers(agent_of(broken), rows(1), key="id", input="body"))
    assert (ends["k0"].status, ends["k0"].group.rule, len(asked)) == ("unanswered", "ProviderError", 6)
