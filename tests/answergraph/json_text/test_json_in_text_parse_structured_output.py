"""The search that reads replies finds everything that TAKT's ``parse_structured_output`` finds."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answergraph.kit import parse_structured_output

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=3)
NOISE = st.text(alphabet="ab {}\"'`\n:[]", max_size=8)


def takt(text: str) -> Any:
    """Find an object in TAKT's three ways: the whole text, the first fence, the first to the last brace."""
    fence = re.search(r"```(?:json)?[ \t]*\n(\{.*?\})[ \t]*\n```", text, re.DOTALL)
    whole = text.strip() if text.strip().startswith("{") else ""
    braces = text[text.find("{") : text.rfind("}") + 1] if "{" in text else ""
    for candidate in (whole, fence[1] if fence else "", braces):
        try:
            found = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


def written(value: dict[str, Any], indent: int | None, fence: str | None) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text if fence is None else f"\n```{fence}\n{text}\n```\n"


@given(value=OBJECTS, indent=st.sampled_from([None, 2]), fence=st.sampled_from([None, "", "json"]), before=NOISE, after=NOISE)
@example(value={}, indent=None, fence=None, before="a ", after=" b")
@example(value={"a": "}"}, indent=2, fence="json", before="[1]", after="")
def test_what_takt_finds_is_found(value: dict[str, Any], indent: int | None, fence: str | None, before: str, after: str) -> None:
    text = f"{before}{written(value, indent, fence)}{after}"
    expected = takt(text)
    if expected is not None:
        assert parse_structured_output(text) == expected


@given(st.text(alphabet="{}[]\":,a1 \n`'", max_size=40))
def test_any_text_gives_an_object_or_nothing(text: str) -> None:
    found = parse_structured_output(text)
    assert found is None or isinstance(found, dict)
    if (expected := takt(text)) is not None and text.count('"a"') <= 1 and text.count('""') <= 1:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"step": 1}', {"step": 1}),
        ("  {}  ", {}),
        ('```json\n{"step": 1}\n```', {"step": 1}),
        ('```\n[1]\n```\n{"step": 1}', {"step": 1}),
        ('```json\n{"step": 1}\n```\n```json\n{"step": 2}\n```', {"step": 1}),
        ('It is {"step": 1}, as I said: {"step": 1}.', {"step": 1}),
        ("I say {'step': 1,}", {"step": 1}),
        ('[{"step": 1}]', {"step": 1}),
        ('Either {"step": 1} or {"step": 2}.', None),
        ('{"step": 1, "step": 2}', None),
        ('{"step": NaN}', None),
        ('{"step": 1', None),
        ("[1, 2]", None),
        ("5", None),
        ("", None),
    ],
)
def test_an_object_is_found_where_there_is_one(text: str, found: Any) -> None:
    assert parse_structured_output(text) == found


@pytest.mark.parametrize(("text", "found"), [("[1, 2]", [1, 2]), ("5", 5), ("```\n[1]\n```", [1]), ('x {"a": 1}', {"a": 1})])
def test_other_values_count_where_they_are_asked_for(text: str, found: Any) -> None:
    assert parse_structured_output(text, objects_only=False) == found
