"""Faults that an independent test found with numbers (F9); each test failed before its fix."""

from typing import Any

import pytest

from answergraph import check_evidence
from answergraph.evidence import FromTools, ToolRun


def counted(value: float, text: str, args: dict[str, Any] | None = None, **mark: Any) -> bool:
    run = ToolRun("call", "read", args or {}, (text,))
    return check_evidence({"n": value}, [run], marks={"n": FromTools(**mark)}).support == 1


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
    (120000000, "1.2億円", {"units": "円"}),
    (70000, "7만 원", {"units": "원"}),
    (15, "เวลา๑๕นาที", {"units": "นาที"}),
    (2500000, "2,5 Mio. Euro", {"units": "Euro", "locale": "de"}),
    (3.5, "٣٫٥ ثانية", {}),
    (5, "genau 5 Fehler", {}),
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
    (12, "12 %", {}),
    (12, "12 pour cent", {}),
    (5, "± 5", {}),
    (300, "第300条", {}),
    (3, "3万元", {"units": "元"}),
    (5, "5分30秒", {"units": "分"}),
    (5, "fast 5 Fehler", {}),
    (5, "environ 5 minutes", {"units": "minutes"}),
    (5, "3月5日", {}),
    (30, "12時30分", {}),
    (1, "3分の1", {}),
    (3, "3个半", {}),
    (5, "5 pm", {}),
    (5.5, "(5.50) USD", {}),
    (5.5, "▲5.5", {}),
    (30_000_000, "5億3000万", {}),
    (5_000, "3万5千", {}),
    (14, "um 14 Uhr", {}),
]


@pytest.mark.parametrize(("value", "text", "mark"), ACCEPTED_NUMBERS)
def test_f9_a_number_is_read_as_people_write_it(value: float, text: str, mark: dict[str, Any]) -> None:
    assert counted(value, text, **mark)


@pytest.mark.parametrize(("value", "text", "mark"), REFUSED_NUMBERS)
def test_f9_a_number_is_never_misread(value: float, text: str, mark: dict[str, Any]) -> None:
    assert not counted(value, text, **mark)


@pytest.mark.parametrize(
    ("value", "text", "args"),
    [(3, "3 open orders", {"id": 3}), (10, "10 failed", {"n": 10}), (200, "status 200", {"offset": 0, "limit": 200})],
)
def test_f9_an_argument_with_the_same_digits_makes_no_echo(value: float, text: str, args: dict[str, Any]) -> None:
    assert counted(value, text, args)
    name, given = next((name, given) for name, given in args.items() if given == value)
    assert not counted(value, f"{name}: {given}", args)
