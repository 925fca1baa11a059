"""The marks for fields of an answer that tool results must support: quotes, and numbers from tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, time
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any, ClassVar, cast
from uuid import UUID

from pydantic import BaseModel, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from answergraph.evidence.numbers.formula import parsed
from answergraph.evidence.texts.language_words import marks_of
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments

MIN_QUOTE_COLUMNS = 8
"""Minimum length of a quote; a letter has one column, a CJK character two."""

MARKS = "answergraph_marks"
"""Key of the marks in the metadata of a schema of pydantic-core."""

SCALARS = (str, int, float, Decimal, bool, date, time, Enum, UUID)
"""The classes of values that can be looked up in a source."""

Units = str | Sequence[str] | Mapping[str, float]
"""Unit names; a mapping gives each one's size in the field's unit."""


class _SchemaMethod:
    """Pydantic's schema method; detects a mark class that was not called."""

    def __get__(self, mark: Mark | None, cls: type[Mark]) -> Callable[..., CoreSchema]:
        return partial(_marked_schema, cls.__name__, mark)


def _marked_schema(name: str, mark: Mark | None, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
    if mark is None:
        raise AgentSpecError(f"{name} is a class; write Annotated[…, {name}()].")
    if source is mark:
        raise AgentSpecError(f"{name}() is not a type; write Annotated[…, {name}()].")
    schema = handler(source)
    metadata = schema.get("metadata", {})
    return cast("CoreSchema", {**schema, "metadata": {**metadata, MARKS: (*metadata.get(MARKS, ()), mark)}})


class _Mark:
    """What all marks have: Pydantic's schema of the marked type, and a form as JSON."""

    __get_pydantic_core_schema__: ClassVar = _SchemaMethod()

    def as_json(self) -> dict[str, object]:
        pairs = {name: dict(value) for name in ("units", "spelled") if (value := getattr(self, name, None)) is not None}
        kind = next(name for name, cls in _KINDS.items() if cls is type(self))
        return {"kind": kind, **asdict(cast("Any", self)), **pairs}


@explains_arguments("Annotated[str, Quote()]")
@dataclass(frozen=True, kw_only=True)
class Quote(_Mark):
    """Mark text as quoted word for word from a tool result of the run: a string, or a list of them.

    Example:
        >>> from typing import Annotated
        >>> from pydantic import TypeAdapter
        >>> TypeAdapter(Annotated[list[str], Quote()]).json_schema()["minItems"]
        1
    """

    min_items: int = 1
    """Minimum number of quotes in a list, also in the JSON Schema. With 0 the field may be empty or missing; its quotes are
    still checked."""
    min_length: int = MIN_QUOTE_COLUMNS
    """Minimum length of a quote in columns: a letter has one, a Chinese, Japanese or Korean character two."""
    rewrite: bool = False
    """Whether an accepted answer has the passage of the result instead of the model's quote."""

    def __post_init__(self) -> None:
        _refuse_negative(self.min_items, self.min_length)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        words = f"Copied word for word from a tool result, at least {self.min_length} characters."
        return _shown(self.min_items, words, core_schema, handler)


@explains_arguments("Annotated[float, FromTools()]")
@dataclass(frozen=True, init=False)
class FromTools(_Mark):
    """Mark a number, or a list of numbers, as taken from a tool result of the run.

    Example:
        >>> FromTools(units={"ms": 1, "s": 1000}, rounding=0).units
        (('ms', 1.0), ('s', 1000.0))
    """

    units: tuple[tuple[str, float], ...]
    """The allowed units, each with its size in the field's unit; empty: the number has no unit."""
    rounding: int | None
    """Decimals to which the answer may be rounded; ``None``: no rounding."""
    min_items: int
    """As for ``Quote``."""
    locale: str | None
    """The locale of digit groups and decimal marks, ``"de"`` or ``"fr_CA"``; ``None``: English, ambiguous numbers are refused."""
    echoes: bool
    """Whether a number counts although the tool received it as an argument, for tools that check the model's number."""

    def __init__(
        self,
        units: Units = (),
        rounding: int | None = None,
        *,
        min_items: int = 1,
        locale: str | None = None,
        echoes: bool = False,
    ) -> None:
        """Accept ``units`` as one name, several names of the same size, or a mapping from name to size.

        Raises:
            AgentSpecError: If a number is negative, or the locale is not known.
        """
        if locale is not None and marks_of(locale) is None:
            raise AgentSpecError(f"FromTools does not know the locale {locale!r}; write one such as 'de', 'fr', 'de_CH', 'en'.")
        _refuse_negative(rounding or 0, min_items)
        named = (units,) if isinstance(units, str) else units
        factors = named.items() if isinstance(named, Mapping) else [(name, 1) for name in named]
        object.__setattr__(self, "units", tuple((name, float(factor)) for name, factor in factors))
        for name, value in {"rounding": rounding, "min_items": min_items, "locale": locale, "echoes": echoes}.items():
            object.__setattr__(self, name, value)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        unit = f", in {self.units[0][0]}" if len(self.units) == 1 else ""
        rounded = "as it stands there" if self.rounding is None else f"rounded to {self.rounding} decimals at most"
        return _shown(self.min_items, f"A number of a tool result{unit}, {rounded}.", core_schema, handler)


@explains_arguments("Annotated[float, Grounded()]")
@dataclass(frozen=True, init=False)
class Grounded(_Mark):
    """Mark a value that stands in a source: any scalar (text, number, date, time, bool, enum, ``Literal``), or a list of them.

    Compared by value: ``date(2025, 10, 27)`` is found in "10/27/2025" and "27 octobre 2025", ``Decimal("-254")`` in "(254)".

    Example:
        >>> Grounded(label="total").label
        ('total',)
    """

    label: tuple[str, ...]
    """The value of that: words that stand in the same row, sentence, pair or column header; any of them."""
    spelled: tuple[tuple[str, Any], ...]
    """How a source writes a value; else a value's own words."""
    units: tuple[tuple[str, float], ...] | None
    """As for ``FromTools``; ``None``: a currency or a per cent sign may stand beside it, no other unit may be joined to it."""
    rounding: int | None
    min_items: int
    locale: str | None
    """The locale of numbers and dates; ``None``: the source decides, two readings are ambiguous."""
    min_sources: int
    """How many sources must hold it; two calls, or two texts, are two sources unless their texts are equal."""
    echoes: bool

    def __init__(  # noqa: PLR0913  # each is one keyword of the declaration
        self,
        *,
        label: str | Sequence[str] = (),
        spelled: Mapping[str, object] | None = None,
        units: Units | None = None,
        rounding: int | None = None,
        locale: str | None = None,
        min_items: int = 1,
        min_sources: int = 1,
        echoes: bool = False,
    ) -> None:
        """Choose what counts.

        Raises:
            AgentSpecError: If a number is negative, the locale is not known, or a label or a spelling has no word.
        """
        if min_sources < 1:
            raise AgentSpecError(f"min_sources={min_sources!r} asks for no source; write 1 or more.")
        number = FromTools(units or (), rounding, min_items=min_items, locale=locale, echoes=echoes)
        labels = (label,) if isinstance(label, str) else tuple(label)
        if not all(isinstance(text, str) and any(map(str.isalnum, text)) for text in (*labels, *(spelled or ()))):
            raise AgentSpecError("A label or a spelling of Grounded needs at least one word; write label='total'.")
        object.__setattr__(self, "label", labels)
        object.__setattr__(self, "spelled", tuple((spelled or {}).items()))
        object.__setattr__(self, "units", None if units is None else number.units)
        object.__setattr__(self, "min_sources", min_sources)
        for name in ("rounding", "min_items", "locale", "echoes"):
            object.__setattr__(self, name, getattr(number, name))

    def __get_pydantic_json_schema__(self, core_schema: object, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        named = f", of {' or '.join(self.label)}" if self.label else ""
        return _shown(self.min_items, f"As it stands in a source{named}.", core_schema, handler)


@explains_arguments('Annotated[float, Derived("sum(items[].price)")]')
@dataclass(frozen=True)
class Derived(_Mark):
    """Mark a number that is recomputed from other fields of the answer, which must be supported themselves.

    ``formula`` has paths of fields, beside this one or from the top of the answer, numbers, ``+ - * /``, and sum, len, min, max
    and round; two lists of items are computed in pairs.

    Example:
        >>> Derived("sum(items[].price * items[].count) + shipping", rounding=2).rounding
        2
    """

    min_items: ClassVar[int] = 0

    formula: str
    rounding: int | None = field(default=None, kw_only=True)
    """Decimals to which the answer may be rounded; ``None``: not at all."""

    def __post_init__(self) -> None:
        parsed(self.formula)
        _refuse_negative(self.rounding or 0)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return _shown(0, f"Computed: {self.formula}.", core_schema, handler)


@explains_arguments('Annotated[str, SupportedBy("quotes")]')
@dataclass(frozen=True, init=False)
class SupportedBy(_Mark):
    """Mark a claim, such as a verdict or a cause, that other fields of the same object must say.

    By rule: its numbers, ids and names stand in the units of those fields, with most of its words, and a denial is in both or in
    neither. With ``GroundedAnswer(judge=…)``, a model is then asked once about all claims of the answer.

    Example:
        >>> SupportedBy("quotes").fields
        ('quotes',)
    """

    min_items: ClassVar[int] = 0

    fields: tuple[str, ...]
    """Beside this one, or from the top of the answer."""

    def __init__(self, field: str, *fields: str) -> None:
        """Name the fields; they have marks of their own."""
        names = (field, *fields)
        if not all(isinstance(name, str) and name for name in names):
            raise AgentSpecError(f"SupportedBy{names!r} names no field; write SupportedBy('quotes').")
        object.__setattr__(self, "fields", names)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return _shown(0, f"Only what {' and '.join(self.fields)} say.", core_schema, handler)


Mark = Quote | FromTools | Grounded | Derived | SupportedBy

_KINDS: Mapping[str, Callable[..., Mark]] = {
    "quote": Quote,
    "from_tools": FromTools,
    "grounded": Grounded,
    "derived": Derived,
    "supported_by": SupportedBy,
}


def mark_from_json(data: Mapping[str, Any]) -> Mark:
    """Return a mark from a bundle; raise ``ValueError`` if it is not a mark."""
    fields = {name: value for name, value in data.items() if name != "kind"}
    try:
        return _KINDS[data["kind"]](*fields.pop("fields", ()), **fields)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{dict(data)!r} is not a mark") from error


def _refuse_negative(*numbers: int) -> None:
    if min(numbers) < 0:
        raise AgentSpecError(f"A mark needs a number of at least 0, not {min(numbers)!r}.")


def _shown(min_items: int, words: str, core_schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
    shown = dict(handler(core_schema))
    shown.setdefault("description", words)
    for part in (shown, *shown.get("anyOf", ())):
        if part.get("type") == "array" and min_items:
            part["minItems"] = max(min_items, part.get("minItems", 0))
    return shown


class Abstention(BaseModel):
    """Say that no answer can be given on the evidence there is, and what is missing for one."""

    missing: list[str] = Field(min_length=1, description="What would be needed for an answer and was not found.")
    tried: list[str] = Field(default_factory=list, description="What was tried to find it.")
