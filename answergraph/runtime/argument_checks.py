"""Checks the arguments and environment variables that developers set, and words the errors."""

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from functools import wraps
from inspect import Signature, isawaitable, iscoroutine, iscoroutinefunction, isroutine, signature
from typing import Any, TypeGuard, get_args

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant


def shown(argument: object) -> str:
    """Describe an argument briefly: a class or function by name, an object without a repr by its class."""
    if isinstance(argument, type) or isroutine(argument):
        return argument.__qualname__.rpartition("<locals>.")[2]
    if isinstance(argument, BaseTool):
        return argument.name
    if isinstance(argument, list):
        return f"[{', '.join(map(shown, argument))}]"
    is_long = hasattr(argument, "bind_tools") or " object at 0x" in repr(argument)  # a model has a field per setting
    return f"{type(argument).__name__}(…)" if is_long else repr(argument)


def one_of(name: str, allowed: object, argument: object) -> Any:
    """Return one of the values of a ``Literal``; raise ``AgentSpecError`` for anything else."""
    if argument not in get_args(allowed):
        raise AgentSpecError(f"{name}={argument!r} must be one of {get_args(allowed)!r}.{meant(argument, get_args(allowed))}")
    return argument


def check_list(name: str, argument: object) -> Sequence[Any]:
    """Return the items of a list, none for ``None``; raise ``AgentSpecError`` if it is not a list."""
    if argument is None:
        return ()
    if isinstance(argument, str | dict | type | BaseModel) or not isinstance(argument, Iterable):
        if hasattr(argument, "tools_by_name"):
            line = f"{name}: {type(argument).__name__!r} object is not iterable; write {name}=list(node.tools_by_name.values())."
            raise AgentSpecError(line)
        if isinstance(argument, BaseModel) and hasattr(argument, "bind_tools"):
            raise AgentSpecError(f"{name}={type(argument).__name__}(…) is a model; write create_agent(model, {name}).")
        raise AgentSpecError(f"{name}={shown(argument)} is not a list; write {name.rpartition(': ')[2]}=[{shown(argument)}].")
    return tuple(argument)


def is_async(function: object) -> TypeGuard[Callable[..., Awaitable[object]]]:
    """Return whether a call of it must be awaited."""
    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


def awaitable(name: str, function: Callable[..., object]) -> Callable[..., Awaitable[object]]:
    """Return an async form of a function that should return something to await; if not, its call raises ``AgentSpecError``."""

    @wraps(function)
    async def call(*arguments: object, **named: object) -> object:
        returned = function(*arguments, **named)
        if not isawaitable(returned):
            raise AgentSpecError(
                f"{name} is not async, and returned {shown(returned)}; write async def {name.rpartition('.')[2]}."
            )
        return await returned

    return call


def check_function(
    given_as: str, function: object, *arguments: str, named: Set[str] = frozenset(), may_be_async: bool = False, instead: str = ""
) -> Any:
    """Return a function that accepts these positional arguments; those ``named`` it may take by name, too.

    Raise ``AgentSpecError`` if it is a class, is async and would not be awaited, or takes other arguments. ``given_as`` begins
    the message.
    """
    wanted = f"({', '.join(arguments)})"
    if isinstance(function, type):
        raise AgentSpecError(f"{given_as} is a class; pass a function of {wanted}.")
    if not callable(function):
        raise AgentSpecError(f"{given_as} is not a function of {wanted}.")
    if not may_be_async and is_async(function):
        raise AgentSpecError(f"{given_as} is not awaited: write an ordinary function, not async, of {wanted}.")
    try:
        declared = signature(function)
    except ValueError:
        return function  # a builtin without a signature
    try:
        declared.bind(*arguments, **dict.fromkeys((named & declared.parameters.keys()).difference(arguments)))
    except TypeError:
        name = getattr(getattr(function, "func", function), "__name__", "f")
        line = f"lambda {wanted[1:-1]}: …" if name == "<lambda>" else f"def {name}{wanted}"
        mistake = f"{given_as} takes {_parameters(declared)} and is called with {wanted}; write {line}.{instead}"
        raise AgentSpecError(mistake) from None
    return function


def holds(predicate: Callable[..., object], *arguments: object) -> bool:
    """Return what a developer's predicate says; raise ``AgentSpecError`` for a coroutine, which would always be true."""
    result = predicate(*arguments)
    if iscoroutine(result):
        result.close()  # Python would warn that nothing awaits it
        raise AgentSpecError(f"{shown(predicate)} returned a coroutine, which nothing awaits; return True or False.")
    return bool(result)


def _parameters(signature: Signature) -> str:
    return str(signature.replace(return_annotation=Signature.empty))


def tool_names(what: str, tools: object) -> tuple[str, ...]:
    """Return the names of tools, given as names or tools, one or several; raise ``AgentSpecError`` for anything else."""
    if isinstance(tools, BaseTool):
        return (tools.name,)
    if isinstance(tools, str):
        return (tools,)
    if not isinstance(tools, Sequence | Set):
        raise AgentSpecError(f"{what}: {shown(tools)} is not a tool; write the name of one.")
    return tuple(name for each in tools for name in tool_names(what, each))


def is_positive(value: object, most: float = 1e300) -> bool:
    """Return whether a value is a positive number below ``most``."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value == value and 0 < value < most  # noqa: PLR0124 - NaN is not equal to itself


def check_prices(prices: object) -> None:
    """Raise ``AgentSpecError`` if a table of prices cannot be used."""
    for price in prices.values() if isinstance(prices, Mapping) else [None]:
        if not _is_price(price):
            raise AgentSpecError(
                f"UsageLimits(prices={prices!r}): write {{'model': {{'input': …, 'output': …}}}} with amounts of money for a "
                f"million tokens, 'cached_input' if it differs, or a function of the model's name and a call's usage."
            )


def _is_price(price: object) -> bool:
    if not isinstance(price, Mapping) or not {"input", "output"} <= price.keys() <= {"input", "output", "cached_input"}:
        return False
    return all(value == 0 or is_positive(value) for value in price.values())


def is_switched_on(variable: str) -> bool:
    """Return whether an environment variable that restores LangGraph's behaviour is on, as it is by default; ``0`` turns it off.

    Raises:
        ValueError: If it is neither ``0`` nor ``1``.
    """
    value = os.environ.get(variable, "1")
    if value not in ("0", "1"):
        raise ValueError(f"The environment variable {variable} must be 0 or 1, not {value!r}.")
    return value == "1"
