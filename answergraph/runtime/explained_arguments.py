"""Wrong arguments of a public name: the error says what to write, where Python's own names only what is wrong."""

import builtins
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, wraps
from inspect import Parameter, Signature, iscoroutinefunction, isfunction, signature
from types import UnionType
from typing import Any, NoReturn, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_protocol, is_typeddict

from answergraph.runtime.errors import AgentSpecError

CallableT = TypeVar("CallableT", bound=Callable[..., object])

_PLAIN = {kind: (kind, kind | None, kind.__name__, f"{kind.__name__} | None") for kind in (str, bool)}
_EXPLAINED = "__answergraph_explained__"
_ELSEWHERE = {
    **dict.fromkeys(["prompt", "instructions", "system_message", "state_modifier"], "system_prompt=…"),
    **dict.fromkeys(["output_type", "result_type", "output_schema", "response_model", "schema"], "response_format=…"),
    **dict.fromkeys(["deps_type", "config_schema"], "context_schema=…"),
    **dict.fromkeys(["usage_limits", "budget"], "limits=UsageLimits(…)"),
    **dict.fromkeys(["max_iterations", "max_turns", "max_steps"], "limits=UsageLimits(model_calls=…)"),
    **dict.fromkeys(["retries", "output_retries", "max_retries"], "limits=UsageLimits(answer_attempts=…)"),
    **dict.fromkeys(["output_validator", "result_validator", "guardrails", "output_guardrails"], "check_answer=…"),
    "memory": "checkpointer=…",
    "pre_model_hook": "middleware=[…] with a function decorated with @before_model",
    "post_model_hook": "middleware=[…] with a function decorated with @after_model",
    "hooks": "middleware=[…]",
    "llm": "model",
    "toolsets": "tools",
    "recursion_limit": "agent.invoke(…, {'recursion_limit': …})",
    "callbacks": "agent.invoke(…, {'callbacks': […]})",
    "model_settings": "the settings of the model object itself",
}
"""What to write instead of other libraries' names of an agent's arguments."""

_NAMED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def meant(name: object, known: Iterable[str]) -> str:
    """Return " Did you mean …?" for a similar name, else an empty string."""
    near = get_close_matches(name, list(known), 1) if isinstance(name, str) else []
    return f" Did you mean {near[0]!r}?" if near else ""


def meant_option(name: str, known: Iterable[str], given: Collection[str] = ()) -> str:
    """Return what to write for another library's name of an agent's argument, or for a similar name; else an empty string."""
    option = _ELSEWHERE.get(name)
    return meant(name, known) if option is None or option.partition("=")[0] in given else f" Write {option}."


def explains_arguments(
    example: str = "", *, options_of: Callable[..., object] | None = None, given: Collection[str] = ()
) -> Callable[[CallableT], CallableT]:
    """Return a decorator for classes and functions: wrong arguments raise ``AgentSpecError`` instead of ``TypeError``.

    Args:
        example: What to write, the end of the message; by default a call that is made from the signature.
        options_of: The function that gets the ``**options`` of this one, whose arguments they are.
        given: The arguments of that function which this one gives itself.

    Example:
        >>> @explains_arguments()
        ... def pay(amount: int, *, currency: str) -> str: ...
        >>> pay(5)
        Traceback (most recent call last):
        answergraph.runtime.errors.AgentSpecError: pay: missing a required argument: 'currency'. Write pay(amount, currency=…).
    """

    def decorate(target: CallableT) -> CallableT:
        if isinstance(target, type):
            setattr(target, "__init__", _explained(vars(target)["__init__"], target.__name__, example, None))  # noqa: B010 - mypy refuses the plain assignment
            return target
        if options_of is not None:
            # Also what ``help()`` shows, since ``**options`` does not say which options there are.
            target.__signature__ = _with_options(signature(target), signature(options_of), given)  # type: ignore[attr-defined]  # PEP 362
        return cast("CallableT", _explained(target, target.__name__, example, given if options_of else None))

    return decorate


def _with_options(own: Signature, passed_to: Signature, given: Collection[str]) -> Signature:
    named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    options = [each for word, each in passed_to.parameters.items() if word not in own.parameters and word not in given]
    return own.replace(parameters=[*named, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in options)])


def with_explained_arguments(target: object) -> object:
    """Return a function that explains its arguments; anything else as it is."""
    if not isfunction(target) or hasattr(target, _EXPLAINED):
        return target
    return explains_arguments()(target)


@dataclass(frozen=True)
class _Explanation:
    make: Callable[..., object]
    name: str
    example: str
    given: Collection[str] | None
    """What it gives the function itself that gets its ``**options``; ``None`` if none gets them."""

    def check(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        """Raise ``AgentSpecError`` for what would be wrong only later, or would be told of another function."""
        for word, value in kwargs.items():
            # Any text would mean "on", also "no".
            if isinstance(value, str) and self.plain.get(word) is bool:
                raise AgentSpecError(f"{self.name}({word}={value!r}): write True or False.")
            if not isinstance(value, str | None) and self.plain.get(word) is str:
                raise AgentSpecError(f"{self.name}: {word}={value!r:.80} is not a text; write {word}='…'.")
        if self.given is not None:
            try:
                signature(self.make).bind(*args, **kwargs)
            except TypeError as error:
                self.explain(error, args, kwargs)

    @cached_property
    def plain(self) -> dict[str, type]:
        """The arguments that are a text, or on or off; options of another function are forward references to their types."""
        parameters = signature(self.make).parameters.values()
        annotations = {each.name: getattr(each.annotation, "__forward_arg__", each.annotation) for each in parameters}
        return {word: kind for word, each in annotations.items() for kind in (str, bool) if each in _PLAIN[kind]}

    def explain(self, error: Exception, args: tuple[object, ...], kwargs: dict[str, object]) -> NoReturn:
        """Raise ``AgentSpecError`` if the arguments do not fit; else the error is another one."""
        if isinstance(error, AgentSpecError):
            raise error
        declared = signature(self.make)
        example = self.example or _call_of(self.name, declared)
        try:
            arguments = declared.bind(*args, **kwargs).arguments
        except TypeError as wrong:
            unknown = [word for word in kwargs if word not in declared.parameters]
            near = next(filter(None, (self._meant(word, declared) for word in unknown)), "")
            said = str(wrong).replace(" keyword-only", "")  # Python 3.13 adds it; the example shows it
            raise AgentSpecError(f"{self.name}: {said}.{near} Write {example}.") from None
        if misfit := _misfit(self.make, arguments):
            raise AgentSpecError(f"{self.name}: {misfit}. Write {example}.") from error
        raise error

    def _meant(self, word: str, declared: Signature) -> str:
        if self.given is not None:
            return meant_option(word, declared.parameters, self.given)
        argument = _ELSEWHERE.get(word, "").partition("=")[0]
        return f" Did you mean {argument!r}?" if argument in declared.parameters else meant(word, declared.parameters)


def _explained(make: Any, name: str, example: str, given: Collection[str] | None) -> Callable[..., object]:
    explanation = _Explanation(make, name, example, given)
    if iscoroutinefunction(make):

        @wraps(make)
        async def explained(*args: object, **kwargs: object) -> object:
            explanation.check(args, kwargs)
            try:
                return await make(*args, **kwargs)
            except (TypeError, AttributeError) as error:
                explanation.explain(error, args, kwargs)

    else:

        @wraps(make)
        def explained(*args: object, **kwargs: object) -> object:
            explanation.check(args, kwargs)
            try:
                return make(*args, **kwargs)
            except (TypeError, AttributeError) as error:
                explanation.explain(error, args, kwargs)

    setattr(explained, _EXPLAINED, True)
    return explained


class _Unknown:
    """A name that only type checkers import."""

    def __class_getitem__(cls, of: object) -> type:
        return cls


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, _Unknown)


def _misfit(make: Any, arguments: Mapping[str, object]) -> str:
    """Say which argument is of none of the classes that it is annotated with; "" if none is."""
    try:
        hints = get_type_hints(make, localns=_Names(make.__globals__))
    except TypeError:  # an expression with such a name
        return ""
    for word, value in arguments.items():
        hint = hints.get(word)
        options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        kinds = [get_origin(each) or each for each in options]
        # A text is a sequence of texts, and hardly ever meant as one.
        fits = str in kinds if isinstance(value, str) else isinstance(value, tuple(filter(_is_class, kinds)))
        if not fits and any(_is_item(value, each) for each in options):
            return f"{word}={value!r:.80} is one {type(value).__name__}, not several: put it into a list"
        if all(map(_is_class, kinds)) and not fits:
            return f"{word}={value!r:.80} is not {' or '.join(kind.__name__ for kind in kinds)}"
    return ""


def _is_item(value: object, hint: object) -> bool:
    """Return whether a list, as the hint has it, may hold the value."""
    kind, of = get_origin(hint), get_args(hint)
    holds_items = isinstance(kind, type) and issubclass(kind, Iterable) and len(of) == 1
    return holds_items and _is_class(of[0]) and isinstance(value, of[0])


def _is_class(kind: object) -> bool:
    return isinstance(kind, type) and kind not in (Any, _Unknown) and not is_typeddict(kind) and not is_protocol(kind)


def _call_of(name: str, declared: Signature) -> str:
    """Write a call with the arguments that are needed; if none is, with the first three."""
    named = [each for each in declared.parameters.values() if each.kind in _NAMED and each.name != "self"]
    needed = [each for each in named if each.default is Parameter.empty]
    words = [
        each.name if each in needed and each.kind is not Parameter.KEYWORD_ONLY else f"{each.name}=…"
        for each in needed or named[:3]
    ]
    return f"{name}({', '.join(words)})"
