"""What an independent test found wrong, finding by finding: each of these was the other way round before."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from answergraph import FromTools, Quote, ToolRun, check_evidence
from tests.answergraph.evidence.altered_cases import ALTERED
from tests.answergraph.evidence.measure_real import accepted, cases
from tests.answergraph.evidence.real_cases import FAITHFUL
from tests.answergraph.evidence.real_texts import real_texts

TEXTS = list(real_texts(6, languages=0))
few = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def quoted(quote: str, *texts: str, **args: Any) -> bool:
    runs = [ToolRun(f"call_{place}", "read", args, (text,)) for place, text in enumerate(texts)]
    return bool(check_evidence({"quote": quote}, runs, marks={"quote": Quote()}).evidence)


def counted(value: float, text: str, args: dict[str, Any] | None = None, **mark: Any) -> bool:
    run = ToolRun("call", "read", args or {}, (text,))
    return bool(check_evidence({"n": value}, [run], marks={"n": FromTools(**mark)}).evidence)


@pytest.mark.parametrize("kind", sorted(FAITHFUL))
def test_a_faithful_quote_of_a_real_text_is_kept(kind: str) -> None:
    found = list(cases(kind, FAITHFUL[kind], TEXTS, 8))
    assert sum(accepted(found)) >= 0.8 * len(found)


@few
@given(st.sampled_from(sorted(ALTERED)), st.integers(0, 2**32))
def test_an_altered_quote_of_a_real_text_is_never_accepted(kind: str, seed: int) -> None:
    found = next(cases(f"{kind} {seed}", ALTERED[kind], TEXTS, 1), None)
    assume(found is not None)
    assert found is not None
    assert accepted([found]) == [False]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("FAILED tests/x.py::test_a", "\x1b[31mFAILED\x1b[0m tests/x.py::test_a"),
        ("the server is down", "the ser\u00adver is\u200b down"),
        ("def read(path):\n    return open(path)", "  12\tdef read(path):\n  13\t    return open(path)"),
        ("the disk is full\nand nobody cares", "# the disk is full\n# and nobody cares"),
        ("use the new server here", "use the **new** [server](https://x.org/a) `here`"),
        ("the server has stopped", "<html><body><p>the <b>server</b> has stopped</p></body></html>"),
        ('"status":"failed at noon"', '{"status": "failed at noon"}'),
        ("The server didn't answer.", "the server didn't answer"),
        ('"the server didn\'t answer"', "the server didn't answer"),
        ("…the server didn't answer...", "and the server didn't answer in time"),
        ("the server – since noon - is down", "the server — since noon — is down"),
        ("the connection was closed", "the connec-\ntion was closed"),
        ("the server … gave no answer", "the server of the east wing gave no answer"),
    ],
)
def test_what_cannot_change_the_meaning_is_read_over(quote: str, text: str) -> None:
    assert quoted(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("6' pipe of copper", '6" pipe of copper'),
        ("6′ pipe of copper", "6″ pipe of copper"),
        ("x-1 is the inverse", "x⁻¹ is the inverse"),
        ("x2 is the square", "x² is the square"),
        ("echo '$HOME' today", 'echo "$HOME" today'),
        ("PASSED test_b", "test_a PASSED\ntest_b FAILED"),
        ("two years from purchase returns are free", "the warranty is two years from purchase\n\nreturns are free"),
        ("is broken The fix", "what is broken\n\n# The fix"),
        ("erfolgreich abgeschlossen", "Der Lauf wurde nicht erfolgreich abgeschlossen"),
        ("завершено успешно", "Не завершено успешно"),
        ("terminé avec succès", "Le programme n'est pas terminé avec succès"),
        ("open the connection", "the client failed to open the connection"),
        ("all tests were run.", "who knows whether all tests were run?"),
        ("the tests … have passed", "the tests that had not passed before have passed"),
        ("the server is up … the disk is full", "the server is up.\nIn July the disk is full"),
        ("tests passed … with errors", "- tests passed\n- run with errors"),
        ('["north wind", "calm"] ["storm", "rain"]', '["north wind", "calm"]\n\n["storm", "rain"]'),
    ],
)
def test_what_may_change_the_meaning_is_not(quote: str, text: str) -> None:
    assert not quoted(quote, text)


def test_a_quote_with_an_ellipsis_names_both_its_spans() -> None:
    text = "12:00 the server of the east wing gave no answer"
    run = ToolRun("call", "read", {}, (text,))
    found = list(check_evidence({"q": "the server … gave no answer"}, [run], marks={"q": Quote()}).evidence["q"])
    assert (text[found[1] : found[2]], text[found[3] : found[4]]) == ("the server", "gave no answer")


@pytest.mark.parametrize(
    "text",
    ["first line here\nsecond line there", "- first line here\n- second line there", "1\tfirst line here\n2\tsecond line there"],
)
def test_rows_are_quoted_together_with_their_line_break_alone(text: str) -> None:
    rows = [line.partition("\t")[2] or line for line in text.split("\n")]
    assert quoted("\n".join(rows), text)
    assert not quoted(" ".join(rows), text)


ACCEPTED_NUMBERS: list[tuple[float, str, dict[str, Any]]] = [
    (-5, "-$5.00", {"units": "$"}),
    (-5, "($5.00)", {"units": "$"}),
    (-5, "-USD 5.00", {"units": "USD"}),
    (-1234.5, "(1,234.50)", {}),
    (-1250, "1250.00-", {}),
    (-5, "minus 5", {}),
    (150000, "1.5 × 10^5", {}),
    (150000, "1.5×10⁵", {}),
    (12500, "12.500 Euro", {"units": "Euro", "locale": "de"}),
    (1234.5, "1.234,50", {"locale": "de"}),
    (1234567, "1 234 567", {"locale": "fr"}),
    (1234567, "1'234'567", {}),
    (1234567, "12,34,567", {}),
    (5e9, "$5 bn", {"units": "$"}),
    (5e6, "5 Mio.", {}),
    (5e7, "5 crore", {}),
    (5e4, "5万", {}),
    (3, "共3个文件", {}),
    (12, "耗时12毫秒", {"units": "毫秒"}),
    (3, "失敗3件", {}),
    (123, "١٢٣ ملف", {}),
    (12, "US$12", {"units": "$"}),
    (14, "name,time (ms)\na,12\nb,14", {"units": "ms"}),
    (12, '{"value": 12, "unit": "ms"}', {"units": "ms"}),
]
REFUSED_NUMBERS: list[tuple[float, str, dict[str, Any]]] = [
    (5, "-$5.00", {"units": "$"}),
    (1234.5, "(1,234.50)", {}),
    (5, "minus 5", {}),
    (1.5, "1.5 × 10^5", {}),
    (12.5, "12.500 Euro", {}),
    (12500, "12.500 Euro", {}),
    (567, "1 234 567", {}),
    (5, "$5 bn", {"units": "$"}),
    (5, "5 Millionen", {}),
    (5, "5 gazillion", {}),
    (20, "3 h 20 min", {"units": "min"}),
    (5, "5 - 10", {}),
    (10, "5 to 10 failed", {}),
    (5, "at least 5", {}),
    (100, "100+ users", {}),
    (1, "1 1/2 cups", {}),
    (3.11, "Python 3.11", {}),
    (1234, "#1234", {}),
    (20, "Nov 20, 2026", {}),
    (300, '{"min": 5}', {"units": {"min": 60}}),
    (5, "5 m per second", {"units": "m"}),
    (12, '{"value": 12, "unit": "s"}', {"units": "ms"}),
]


@pytest.mark.parametrize(("value", "text", "mark"), ACCEPTED_NUMBERS)
def test_a_number_is_read_as_people_write_it(value: float, text: str, mark: dict[str, Any]) -> None:
    assert counted(value, text, **mark)


@pytest.mark.parametrize(("value", "text", "mark"), REFUSED_NUMBERS)
def test_a_number_is_never_misread(value: float, text: str, mark: dict[str, Any]) -> None:
    assert not counted(value, text, **mark)


@pytest.mark.parametrize(
    ("value", "text", "args"),
    [(3, "3 open orders", {"id": 3}), (10, "10 failed", {"n": 10}), (200, "status 200", {"offset": 0, "limit": 200})],
)
def test_an_argument_with_the_same_digits_makes_no_echo(value: float, text: str, args: dict[str, Any]) -> None:
    assert counted(value, text, args)
    name, given = next((name, given) for name, given in args.items() if given == value)
    assert not counted(value, f"{name}: {given}", args)


WRITTEN = "all tests have passed today"


@pytest.mark.parametrize(
    "args",
    [
        {"text": f"note: {WRITTEN}."},
        {"code": "print('all tests ' + 'have passed today')"},
        {"data": "YWxsIHRlc3RzIGhhdmUgcGFzc2VkIHRvZGF5"},
        {"notes": [{"body": WRITTEN}]},
    ],
)
def test_what_the_model_wrote_by_one_tool_is_no_evidence_when_another_reads_it(args: dict[str, Any]) -> None:
    runs = [ToolRun("1", "write", args, ("ok",), counts=False), ToolRun("2", "read_back", {}, (WRITTEN,))]
    assert "your own words" in check_evidence({"q": WRITTEN}, runs, marks={"q": Quote()}).problems["q"]
    assert not check_evidence({"q": WRITTEN}, runs[::-1], marks={"q": Quote()}).problems


def test_the_models_prose_is_no_evidence_when_a_tool_repeats_it() -> None:
    run = ToolRun("1", "transcript", {}, (f"assistant: {WRITTEN}",), written=(f"I think that is so. {WRITTEN}.",))
    assert check_evidence({"q": WRITTEN}, [run], marks={"q": Quote()}).problems


@pytest.mark.parametrize(
    ("quote", "text", "args"),
    [
        ("a" * 50_000, "a" * 100_000, {}),
        ("aaaa", "aaaa " * 10_000, {"pattern": "aaaa"}),
        ("x " * 500 + "y", "x " * 50_000, {}),
        ("<b>bold text here</b>", "<!-- " * 25_000 + "</x>", {}),
        ("an *odd* text", "*_`[" * 25_000, {}),
        ("spaces and more", " " * 150_000 + "\n" * 50_000, {}),
    ],
)
def test_no_text_makes_a_quote_slow(quote: str, text: str, args: dict[str, Any]) -> None:
    started = time.process_time()
    quoted(quote, text, **args)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("text", ["0 1 " * 30_000, "1 1 1 1\n" * 15_000, json.dumps([1, 0] * 15_000)])
def test_no_text_makes_a_number_slow(text: str) -> None:
    started = time.process_time()
    counted(1, text, {"page": 1})
    assert time.process_time() - started < 1
