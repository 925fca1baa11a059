"""A faithful quote may have another layout: the marks of lists, cells, pairs, literals and fences are no words."""

import pytest

from answergraph import Grounded, Quote
from answergraph.evidence import FromTools
from answergraph.kit import locate

TABLE = "| name | port | state |\n|---|---|---|\n| alpha | 8080 | up |\n| beta | 9090 | down |"
CSV = "name,port,state\nalpha server,8080,up\nbeta server,9090,down"
ITEMS = "Steps:\n\n- stop the service\n- copy the files\n- start it again"
LITERALS = 'message = (\n    "The disk of the server "\n    "is full."\n)'
JSON = '{"service": "alpha beta", "reason": "the disk is full", "port": 8080}'
CJK = "这个版本支持Python语言的类型检查"
CODE = "merged = merge(firstOptions, middleOptions, lastOptions.value)"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("a = compute(b)\nreturn a + b\n", "```python\na = compute(b)\nreturn a + b\n```"),
        ("The disk is full.\nThe service stopped.", "> The disk is full.\n> The service stopped."),
        ("The disk is full, so the service stopped.", "The disk is full . . ."),
        ("The disk of db-7, the oldest, is full since Monday and must go.", "The disk of db-7 … is full since … and must go"),
        (ITEMS, "stop the service\ncopy the files"),
        (LITERALS, "The disk of the server is full."),
        (JSON, "reason: the disk is full"),
        (JSON, "reason = the disk is full"),
        (TABLE, "alpha, 8080, up"),
        (TABLE, "alpha 8080 up"),
        (CSV, "alpha server, 8080, up"),
        (CSV, "alpha server | 8080 | up"),
        (CSV.replace(",", "\t"), "alpha server | 8080 | up"),
        (CJK, "这个版本支持 Python 语言的类型检查"),
        (CJK.replace("Python", " Python "), CJK),
    ],
)
def test_a_quote_in_another_layout_is_supported(source: str, quote: str) -> None:
    assert locate(quote, Quote(), [source])["status"] == "supported"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        (ITEMS, "stop the service copy the files"),
        (ITEMS, "stop the service\nstart it again"),
        (TABLE, "alpha, 9090, down"),
        (TABLE, "alpha, up, 8080"),
        (CSV, "8080, up, beta server"),
        (CSV, "alpha server, up"),
        ("The names, alpha and beta, are long.", "The names | alpha and beta | are long"),
        (JSON, "reason: alpha beta"),
        (JSON, "alpha beta: the disk is full"),
        (JSON, 'reason: "disk is full"'),
        (LITERALS, "The disk of the server full."),
        (CODE, "merge(firstOptions, ...lastOptions.value)"),
        ("The disk of db-7 is not full since Monday and must not go.", "The disk of db-7 … full since … must go"),
    ],
)
def test_a_quote_that_joins_what_stands_apart_is_not(source: str, quote: str) -> None:
    assert locate(quote, Quote(), [source])["status"] != "supported"


def test_each_part_of_a_quote_with_two_ellipses_is_marked() -> None:
    source = "The disk of db-7, the oldest, is full since Monday and must go."
    (place,) = locate("The disk of db-7 … is full since … and must go", Quote(), [source])["evidence"]
    assert [place["unit"][start:end] for start, end in place["marks"]] == ["The disk of db-7", "is full since", "and must go"]


PAGE = """<!doctype html>
<html><body><p>The disk is full.</p>
<!-- The deadline is on Friday, 7 May 2026. -->
<div hidden><div>The refund was approved by Ada.</div> It is 120 EUR.</div>
<p style="color:red; display: none">The server was restarted twice.</p>
<p style=display:none>The price is 40 EUR.</p><p style="font-family:'A B';visibility:hidden">The order was cancelled.</p>
<script>let text = "<div hidden>The lease ends in May.";</script><style>/* The roof is new. */</style>
<p style="opacity:0.0">The fee was waived.</p><span style='font-size: 0px'>The bridge is closed.</span>
<template><template></template><p>The heating was repaired.</p></template>
<p>The service has stopped.</p></body></html>"""


@pytest.mark.parametrize(
    "quote",
    [
        "The deadline is on Friday",
        "The refund was approved by Ada",
        "It is 120 EUR.",
        "The server was restarted twice",
        "The price is 40 EUR.",
        "The order was cancelled.",
        "The lease ends in May.",
        "The roof is new.",
        "The heating was repaired.",
        "The fee was waived.",
        "The bridge is closed.",
    ],
)
def test_what_no_reader_of_a_web_page_sees_is_no_evidence(quote: str) -> None:
    assert locate(quote, Quote(), [PAGE])["status"] != "supported"
    assert locate(quote, Grounded(), [PAGE])["status"] != "supported"


def test_the_attributes_of_a_page_are_quoted_but_hold_no_value() -> None:
    page = '<html><body><p title="The lease ends in May">Soon.</p></body></html>'
    assert locate("The lease ends in May", Quote(), [page])["status"] == "supported"
    assert locate("The lease ends in May", Grounded(), [page])["status"] == "not_found"


def test_a_template_and_a_style_of_other_xml_are_data() -> None:
    source = "<theme><template>The letter of May</template><style>Bold and upright</style></theme>"
    for words in ("The letter of May", "Bold and upright"):
        assert locate(words, Grounded(), [source])["status"] == "supported"


def test_what_a_reader_of_a_web_page_sees_is_evidence_at_its_place() -> None:
    (place,) = locate("The service has stopped.", Quote(), [PAGE])["evidence"]
    (mark,) = place["marks"]
    assert place["unit"][slice(*mark)] == "The service has stopped."
    assert locate("The disk is full. The service has stopped.", Quote(), [PAGE])["status"] != "supported"
    assert locate(120, FromTools(units="EUR"), [PAGE])["status"] != "supported"
