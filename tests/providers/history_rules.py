"""The conversations that each API refuses: calls without results, results without calls, roles out of order."""

import json
import re
from collections.abc import Callable
from itertools import pairwise

from tests.providers.dialogue import JSON, Asked

Broken = Callable[[Asked], str | None]


def _unanswered(asked: Asked) -> list[str]:
    """Return the ids of calls that are not directly followed by their results."""
    missing: list[str] = []
    waiting: list[str] = []
    for turn in asked.turns:
        if turn.results:
            waiting = [call for call in waiting if call not in turn.results]
            continue
        if turn.role == "assistant" and turn.calls:
            # The Responses API has an item for each call.
            waiting += turn.calls
            continue
        missing, waiting = [*missing, *waiting], []
    return [*missing, *waiting]


def results_missing(words: str) -> Broken:
    return lambda asked: words.format(ids=", ".join(left)) if (left := _unanswered(asked)) else None


def tools_missing(words: str) -> Broken:
    return lambda asked: words if not asked.tools and any(turn.calls or turn.results for turn in asked.turns) else None


def empty_turn(words: str) -> Broken:
    return lambda asked: words if any(turn.is_empty for turn in asked.turns) else None


def user_after_tool(asked: Asked) -> str | None:
    broken = any(before.role == "tool" and after.role == "user" for before, after in pairwise(asked.turns))
    return "Unexpected role 'user' after role 'tool'" if broken else None


def thoughts_missing(asked: Asked) -> str | None:
    missing = [i for i, turn in enumerate(asked.turns) if turn.calls and not turn.has_thoughts]
    words = "Missing `reasoning_content` field in the assistant message at message index {}."
    return words.format(missing[0]) if asked.thinks and missing else None


def ends_in_thoughts(asked: Asked) -> str | None:
    words = "messages.{}: The final block in an assistant message cannot be `thinking`."
    ends = [i for i, turn in enumerate(asked.turns) if turn.role == "assistant" and turn.has_thoughts and not turn.calls]
    return words.format(ends[0]) if ends else None


def paused_in_the_middle(asked: Asked) -> str | None:
    blocks = [(i, str(message["content"])) for i, message in enumerate(asked.body.get("messages", ()))]
    words = (
        "messages.{}: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block"
    )
    followed = [message["role"] for message in asked.body.get("messages", ())][1:]
    open_ones = [i for i, text in blocks if "server_tool_use" in text and "user" in followed[i : i + 1]]
    return words.format(open_ones[0]) if open_ones else None


def stray_results(words: str) -> Broken:
    """Refuse a result without a call before it."""

    def broken_by(asked: Asked) -> str | None:
        known: set[str] = set()
        for turn in asked.turns:
            if not known.issuperset(turn.results):
                return words
            known |= set(turn.calls)
        return None

    return broken_by


def in_a_row(words: str, *roles: str, at_the_end: bool = False) -> Broken:
    """Refuse two messages of the same role in a row; with ``at_the_end``, only as the last two."""

    def broken_by(asked: Asked) -> str | None:
        pairs = list(pairwise(asked.turns))
        alike = any(before.role == after.role in roles for before, after in (pairs[-1:] if at_the_end else pairs))
        return words if alike else None

    return broken_by


def begins_otherwise(words: str) -> Broken:
    """Refuse a conversation that does not begin with a user's message."""
    return lambda asked: words if asked.turns and asked.turns[0].role != "user" else None


def ends_with_assistant(words: str) -> Broken:
    """Refuse a conversation that ends with the model's message, unless a tool of the server paused it there."""

    def broken_by(asked: Asked) -> str | None:
        is_paused = "server_tool_use" in str(asked.body.get("messages", [""])[-1])
        return words if asked.turns and asked.turns[-1].role == "assistant" and not is_paused else None

    return broken_by


def call_after_assistant(words: str) -> Broken:
    """Refuse a call that follows another message of the model."""
    return lambda asked: (
        words if any(before.role == "assistant" and after.calls for before, after in pairwise(asked.turns)) else None
    )


def broken_arguments(asked: Asked) -> str | None:
    """Refuse a call whose arguments are no JSON object; for chat completions."""
    try:
        is_good = all(isinstance(json.loads(call["arguments"]), dict) for call in _calls_of(asked))
    except ValueError as error:
        return f"Failed to parse tool call arguments as JSON: {error}"
    return None if is_good else "Tool call arguments must be an object."


def odd_names(asked: Asked) -> str | None:
    """Refuse a name of an author or of a called function; for chat completions."""
    authors = [message.get("name") or "x" for message in asked.body.get("messages", ())]
    called = [call["name"] for call in _calls_of(asked)]
    is_good = all(re.fullmatch(r"[^\s<|\\/>]+", name) for name in authors)
    return None if is_good and all(re.fullmatch("[a-zA-Z0-9_-]+", name) for name in called) else "string does not match pattern"


def _calls_of(asked: Asked) -> list[JSON]:
    return [call["function"] for message in asked.body.get("messages", ()) for call in message.get("tool_calls") or ()]
