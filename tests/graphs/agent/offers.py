"""What a request lets a model do, and whether it can do what it was told since its last reply."""

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from answergraph.testing import ScriptedRequest

ANSWERS = ("Cause", "Abstention")
OVER = "No other tool can be called any more."


class Offer:
    """What a request lets the model do."""

    def __init__(self, request: ScriptedRequest) -> None:
        choice, names = request.tool_choice, request.tool_names
        named = choice["function"]["name"] if isinstance(choice, dict) and "function" in choice else choice
        self.callable = {"none": []}.get(str(named), [named] if named in names else names)
        kwargs = request.kwargs
        self.format = kwargs.get("response_format") or (kwargs.get("extra_body") or {}).get("response_format") or {}
        self.named = set(re.findall('"const": "([^"]*)"', json.dumps(self.format)))
        """The calls that the schema of the reply has, where calls are written under it."""
        self.answers = [each for place, each in enumerate(request.tools) if request.tool_names[place] in ANSWERS]
        self.last = str(request.messages[-1].text)
        self.text_protocol = "Action:" in "".join(str(message.text) for message in request.messages)
        """Whether tools and answer are written as text."""

    @property
    def answers_in_text(self) -> bool:
        is_asked_for = "ONLY a valid JSON object" in self.last
        return self.format.get("type") == "json_schema" or is_asked_for or self.text_protocol

    def offers(self, name: str) -> bool:
        return name in self.callable or name in self.named or self.text_protocol

    @property
    def offers_answer(self) -> bool:
        return any(map(self.offers, ANSWERS)) or (self.answers_in_text and not self.named)

    @property
    def takes_changes(self) -> bool:
        """Whether a patch of an answer may be given: the schema of one has it; without schemas it may be a text."""
        held = [*self.answers, *([self.format] if self.format.get("type") == "json_schema" else ())]
        return not held or any('"changes"' in json.dumps(each) for each in held)


def said_since(messages: Sequence[BaseMessage]) -> str:
    """Return what was said after the model's last reply; the budget's last line may take a tool back that was named before it."""
    last = max((place for place, each in enumerate(messages) if isinstance(each, AIMessage)), default=None)
    since = [] if last is None else messages[last + 1 :]
    return "\n".join(str(each.text) for each in since)


def violations(said: str, offer: Offer) -> list[str]:
    """Return what was said that the request does not let the model do."""
    is_over = OVER in said
    gone = "".join(re.findall("These tools cannot be called now: .*", said))
    log = is_over or "read_log" in gone or offer.offers("read_log")
    clock = is_over or "read_clock" in gone or offer.offers("read_clock") or "Only read_log can be called now" in said
    is_told = "Only read_log can be called now" in said
    rules = {
        "first call read_log": log,
        "first call read_clock": clock,
        "Call further tools": log,
        "Call one, or abstain": log,
        "call the tool again": log,
        "try one of [read_log": log and clock,
        "calling the tool Cause": is_told or offer.offers("Cause"),
        "JSON object of the schema": offer.answers_in_text,
        "JSON object that was asked for": offer.answers_in_text,
        "nothing else": not {"read_log", "read_clock"}.intersection([*offer.callable, *offer.named]),
        "final answer now": is_told or offer.offers_answer,
        "The rest of your answer stands": "Before you answer, reply with one call" in said or offer.takes_changes,
    }
    return [words for words, can_be_done in rules.items() if words in said and not can_be_done]
