"""Refuses guards that cannot work or have nothing to check."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import partial

from pydantic import TypeAdapter

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.evidence.marked_type import MarkedType, Place
from answergraph.evidence.marks import FromTools, SupportedBy
from answergraph.middleware.stack import MiddlewareStack
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.field_path import FieldPath

_UNREACHED = (
    "{where}: {mark} is in {within}, where no value is checked. Put it on a field of a Pydantic model, dataclass or TypedDict, "
    "on the items of a list or on the values of a dict."
)
_AS_DEFAULT = "{where}: {mark} is the default of this field and marks nothing. Write Annotated[…, {mark}] as its type."
_NEVER_HELD = "{where}: {mark} is on a value that is not a {kind}, so no answer could ever be accepted. {instead}"
_UNKNOWN_TYPE = (
    "The values of {where} do not carry their type, so {mark} cannot be found in them. Declare a Pydantic model or a "
    "dataclass that has it on its field."
)
_UNCHECKED = (
    "{where} is marked with {mark}, but nothing checks it. Add GroundedAnswer() to middleware=[…], or leave out the mark."
)
_NOTHING_TO_CHECK = (
    "{name} has nothing to check: no field of {types} is marked. Mark what must be in a tool result, Annotated[str, Quote()] or "
    "Annotated[float, FromTools()], write fields='all' to check every field, or leave out {name}."
)

_UNMARKED = (
    "{where}: {mark} rests on {name!r}, which has no mark. Mark it, Annotated[list[str], Quote()], or name a field that has one."
)
_NO_JUDGE = (
    "{where}: no rule can say whether quotes say yes or no, as {mark} asks. Write GroundedAnswer(judge='openai:gpt-4.1-mini')."
)
_NO_SOURCE = (
    "{name} has no source: the agent has no tools, so no answer could ever be accepted. To check against the caller's own "
    "messages and documents, write {name}(sources=Input()), from answergraph.middleware."
)
_NO_DEFAULT = (
    "{name}(on_doubt='omit') could leave nothing out: no field that it checks has a default in a Pydantic model or dataclass. "
    "Write one, such as buyer: str | None = None, or on_doubt='refuse' or 'review'."
)

_LIKE_A_TOOL = 0.9
"""Minimum similarity of a misspelt tool, of 1."""

_PLACES: RecentCache[list[Place]] = RecentCache()


def check_marks(stack: MiddlewareStack, schemas: Sequence[AnswerSchema]) -> None:
    """Raise ``AgentSpecError`` for marks without a checker, or a checker without marks."""
    places = {schema.label: _PLACES.get_or_make(partial(_places, schema), schema) for schema in schemas}
    marked = [(label, place) for label, found in places.items() for place in found]
    checking = [m.name for m in stack.middleware if getattr(m, "checks_marks", False)]
    if marked and not checking:
        raise _mistake(_UNCHECKED, *marked[0])
    checks_all = any(getattr(m, "fields", "") == "all" for m in stack.middleware if getattr(m, "checks_marks", False))
    has_judge = any(getattr(m, "judge", None) is not None for m in stack.middleware)
    for label, place in marked:
        if isinstance(place.mark, SupportedBy):
            _check_claim(label, place, place.mark, None if checks_all else places[label], has_judge=has_judge)
    if schemas and checking and not marked and not checks_all:
        raise AgentSpecError(_NOTHING_TO_CHECK.format(name=checking[0], types=" | ".join(places)))

    for each in stack.middleware:
        if (
            schemas
            and getattr(each, "on_doubt", "") == "omit"
            and not any(_may_omit(schema, places[schema.label], each) for schema in schemas)
        ):
            raise AgentSpecError(_NO_DEFAULT.format(name=each.name))


def _may_omit(schema: AnswerSchema, marked: Sequence[Place], middleware: object) -> bool:
    """Return whether a field that is checked has a default."""
    if isinstance(schema.declared, dict):
        return False
    optional = MarkedType(TypeAdapter(schema.declared).core_schema).optional_paths()
    return bool(optional) if getattr(middleware, "fields", "") == "all" else any(place.path in optional for place in marked)


def _check_claim(label: str, place: Place, mark: SupportedBy, beside: list[Place] | None, *, has_judge: bool) -> None:
    """Raise ``AgentSpecError`` if nothing checks what a claim rests on, or no rule can check it."""
    outer = place.path.parts[:-1]
    for name in mark.fields if beside is not None else ():
        wanted = [(*above, *FieldPath(name).parts) for above in (outer, ())]
        if not any(each.path.parts[: len(parts)] == parts for each in beside or () for parts in wanted):
            raise _mistake(_UNMARKED, label, place, name=name)
    if place.schema["type"] == "bool" and not has_judge:
        raise _mistake(_NO_JUDGE, label, place)


def check_sources(stack: MiddlewareStack, *, has_tools: bool) -> None:
    """Raise ``AgentSpecError`` if a middleware checks against the results of tools and the agent has none."""
    needing = [m.name for m in stack.middleware if getattr(m, "needs_tools", False)]
    if needing and not (has_tools or stack.tool_wrappers):
        raise AgentSpecError(_NO_SOURCE.format(name=needing[0]))


def check_named_tools(stack: MiddlewareStack, names: Collection[str]) -> None:
    """Raise ``AgentSpecError`` if a middleware relies on a tool that the agent does not have."""
    for middleware in stack.middleware:
        for name in getattr(middleware, "named_tools", ()):
            if name not in names:
                raise AgentSpecError(
                    f"{middleware.name}: there is no tool {name!r}.{meant(name, names)} The tools are {sorted(names)!r}."
                )


def check_reviewed_tools(stack: MiddlewareStack, names: Collection[str]) -> None:
    """Raise ``AgentSpecError`` if a person would not be asked about a tool because its name is misspelt."""
    for middleware in stack.middleware:
        # Names that are like no tool may be those of other agents.
        for name in getattr(middleware, "interrupt_on", ()):
            if name not in names and (near := get_close_matches(name, names, 1, _LIKE_A_TOOL)):
                raise AgentSpecError(f"{middleware.name}: there is no tool {name!r}. Did you mean {near[0]!r}?")


def _places(schema: AnswerSchema) -> list[Place]:
    """Return the marks of a declared type; each can be checked."""
    if isinstance(schema.declared, dict):
        return []  # a JSON Schema has none
    schema.keys  # noqa: B018 - a key that names nothing is refused
    marked = MarkedType(TypeAdapter(schema.declared).core_schema)
    places = marked.places()
    for place in places:
        if place.within:
            raise _mistake(_AS_DEFAULT if place.within == "a default" else _UNREACHED, schema.label, place)
        if not marked.can_hold(place.mark, place.schema):
            number = isinstance(place.mark, FromTools)
            instead = "Text is marked with Quote()." if number else "A number is marked with FromTools()."
            raise _mistake(_NEVER_HELD, schema.label, place, kind="number" if number else "text", instead=instead)
    known = marked.places_known_by_values()
    for place in places:
        if place[:2] not in [each[:2] for each in known]:
            raise _mistake(_UNKNOWN_TYPE, schema.label, place)
    return places


def _mistake(message: str, label: str, place: Place, **words: str) -> AgentSpecError:
    where = label if not place.path else f"{label}{place.path}" if place.path.startswith("[") else f"{label}.{place.path}"
    return AgentSpecError(message.format(where=where, mark=f"{type(place.mark).__name__}()", within=place.within, **words))
