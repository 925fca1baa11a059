"""Refuses guards that cannot work or have nothing to check."""

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import islice

from pydantic import TypeAdapter

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.evidence.marked_type import MarkedType, Place
from answergraph.evidence.marks import Derived, FromTools, Mark, Quote, SupportedBy
from answergraph.evidence.numbers.formula import parsed
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
_HOLDABLE = {
    Quote: ("text", "A number is marked with FromTools()."),
    FromTools: ("number", "Text is marked with Quote()."),
    Derived: ("number", "Mark the number itself."),
}
_SCALAR = ("text, number, date, time, bool or enum", "Mark the fields inside it.")
_NEVER_FOUND = (
    "{where}: fields='all' checks it, but no source can show a duration, bytes, or a secret. Declare it as text or a number, "
    "such as Annotated[float, Grounded(units={{'min': 1, 'h': 60}})], or mark the other fields and leave fields='all' out."
)
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
    "{where}: {mark} rests on {name!r}, which has no mark. Mark it, Annotated[…, Grounded()], or name a field that has one."
)
_NO_FIELD = "{where}: {mark} names {name!r}, and no value stands there.{near} Values beside it are {known!r}."
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

_NAMING = ("interrupt_on", "tools_to_emulate", "always_include", "searchable_tool_names", "exclude_tools")
"""The public attributes in which LangChain's middleware keeps names of tools. Its ``ToolRetryMiddleware`` has none."""

_DECISIONS = ("approve", "edit", "reject", "respond")
"""What a person may decide on a call, in LangChain's words."""

_LIKE_A_TOOL = 0.9
"""Minimum similarity of a misspelt tool, of 1."""

_MAX_NAMES = 50
"""Names that a message offers."""

_MARKED_FIELDS: RecentCache[list[Place]] = RecentCache()


def check_marks(stack: MiddlewareStack, schemas: Sequence[AnswerSchema]) -> None:
    """Raise ``AgentSpecError`` for marks without a checker, or a checker without marks."""
    fields = {schema.label: _MARKED_FIELDS.get_or_make(partial(_marked_fields, schema), schema) for schema in schemas}
    marked = [(label, field) for label in fields for field in fields[label]]
    checking = [m.name for m in stack.middleware if getattr(m, "checks_marks", False)]
    if marked and not checking:
        raise _mistake(_UNCHECKED, *marked[0])
    checks_all = any(getattr(m, "fields", "") == "all" for m in stack.middleware if getattr(m, "checks_marks", False))
    _refuse_never_found(schemas if checks_all else ())
    has_judge = any(getattr(m, "judge", None) is not None for m in stack.middleware)
    for label, field in marked:
        if not checks_all:
            _check_support(label, field, fields[label])
        if isinstance(field.mark, SupportedBy) and field.schema["type"] == "bool" and not has_judge:
            raise _mistake(_NO_JUDGE, label, field)
    if schemas and checking and not marked and not checks_all:
        raise AgentSpecError(_NOTHING_TO_CHECK.format(name=checking[0], types=" | ".join(fields)))

    for each in stack.middleware:
        if (
            schemas
            and getattr(each, "on_doubt", "") == "omit"
            and not any(_may_omit(schema, fields[schema.label], each) for schema in schemas)
        ):
            raise AgentSpecError(_NO_DEFAULT.format(name=each.name))


def _refuse_never_found(schemas: Sequence[AnswerSchema]) -> None:
    """Raise ``AgentSpecError`` if every field is to be checked, and one has a type that no source can show."""
    for schema in schemas:
        for path in _marked(schema).never_found():
            raise AgentSpecError(_NEVER_FOUND.format(where=f"{schema.label}.{path}"))


def _may_omit(schema: AnswerSchema, marked: Sequence[Place], middleware: object) -> bool:
    """Return whether a field that is checked has a default."""
    optional = _marked(schema).optional_paths()
    return bool(optional) if getattr(middleware, "fields", "") == "all" else any(field.path in optional for field in marked)


def _check_support(label: str, field: Place, marked: list[Place]) -> None:
    """Raise ``AgentSpecError`` if nothing checks what a claim rests on, or what a number is computed from."""
    for name in _names_in(field.mark):
        if not any(each.path.parts[: len(parts)] == parts for each in marked for parts in _meant_paths(field, name)):
            raise _mistake(_UNMARKED, label, field, name=name)


def _names_in(mark: Mark) -> Collection[str]:
    """Return the fields that a mark names."""
    if isinstance(mark, Derived):
        return parsed(mark.formula).operands.values()
    return mark.fields if isinstance(mark, SupportedBy) else ()


def _meant_paths(field: Place, name: str) -> list[tuple[str | int, ...]]:
    """Return where a mark's field may be: beside the marked one, or at the top of the answer."""
    return [(*outer, *FieldPath(name).parts) for outer in (field.path.parts[:-1], ())]


def _check_operands(label: str, field: Place, mark: Derived, marked: MarkedType) -> None:
    """Raise ``AgentSpecError`` if a formula names what is no number of the answer."""
    for name in _names_in(mark):
        meant_paths = [FieldPath.of(*parts) for parts in _meant_paths(field, name)]
        if all(path not in islice(marked.paths_of_values(path), 1) for path in meant_paths):
            outer = FieldPath.of(*field.path.parts[:-1])
            beside = islice(marked.paths_of_values(outer), _MAX_NAMES)
            known = sorted({str(FieldPath.of(*path.parts[len(outer.parts) :])) for path in beside if path != field.path})
            raise _mistake(_NO_FIELD, label, field, name=name, near=meant(name, known), known=known)


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


def check_spelt_tools(stack: MiddlewareStack, names: Collection[str], *, are_all: bool) -> None:
    """Raise ``AgentSpecError`` for a misspelt tool that a middleware would never meet; warn of one that is like none."""
    for middleware in stack.middleware:
        limited = getattr(middleware, "tool_name", None)
        counted = [limited] if isinstance(limited, str) else []
        for name in (*counted, *_tools_meant_by(middleware)):
            if name not in names and (near := get_close_matches(name, names, 1, _LIKE_A_TOOL)):
                raise AgentSpecError(f"{middleware.name}: there is no tool {name!r}. Did you mean {near[0]!r}?")
        for decision in _decisions_allowed_by(middleware):
            if decision not in _DECISIONS and (near := get_close_matches(decision, _DECISIONS, 1)):
                raise AgentSpecError(f"{middleware.name}: there is no decision {decision!r}. Did you mean {near[0]!r}?")
        # Others may be those of other agents, with which the middleware is shared.
        if are_all and counted and counted[0] not in names:
            warnings.warn(f"{middleware.name} does nothing: there is no tool {limited!r}, only {sorted(names)!r}.", stacklevel=2)


def _decisions_allowed_by(middleware: object) -> Iterator[str]:
    for config in dict(getattr(middleware, "interrupt_on", ())).values():
        if isinstance(config, Mapping):
            yield from (each for each in config.get("allowed_decisions", ()) if isinstance(each, str))


def _tools_meant_by(middleware: object) -> Iterator[str]:
    """Yield the tools that a middleware of LangChain names in its public attributes, and in those of its edits."""
    for part in (middleware, *(getattr(middleware, "edits", None) or ())):
        for attribute in _NAMING:
            yield from (name for name in getattr(part, attribute, None) or () if isinstance(name, str))


def _marked(schema: AnswerSchema) -> MarkedType:
    """Return the declared type with its marks; a JSON Schema has none."""
    return MarkedType({"type": "any"} if isinstance(schema.declared, dict) else TypeAdapter(schema.declared).core_schema)


def _marked_fields(schema: AnswerSchema) -> list[Place]:
    """Return the marks of a declared type; each can be checked."""
    schema.keys  # noqa: B018 - a key that names nothing is refused
    marked = _marked(schema)
    fields = marked.places()
    for field in fields:
        if field.within:
            raise _mistake(_AS_DEFAULT if field.within == "a default" else _UNREACHED, schema.label, field)
        if not marked.can_hold(field.mark, field.schema):
            kind, instead = _HOLDABLE.get(type(field.mark), _SCALAR)
            raise _mistake(_NEVER_HELD, schema.label, field, kind=kind, instead=instead)
        if isinstance(field.mark, Derived):
            _check_operands(schema.label, field, field.mark, marked)
    known = marked.places_known_by_values()
    for field in fields:
        if field[:2] not in [each[:2] for each in known]:
            raise _mistake(_UNKNOWN_TYPE, schema.label, field)
    return fields


def _mistake(message: str, label: str, field: Place, **words: object) -> AgentSpecError:
    dot = "." if field.path and not field.path.startswith("[") else ""
    where = f"{label}{dot}{field.path}"
    mark = repr(field.mark.formula) if isinstance(field.mark, Derived) else ""
    return AgentSpecError(message.format(where=where, mark=f"{type(field.mark).__name__}({mark})", within=field.within, **words))
