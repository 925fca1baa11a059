"""The corrections sent to a model."""

from uuid import uuid4

from langchain_core.messages import ToolMessage

from answergraph.asking.strategies.strategy import AnswerRequest, Strategy
from answergraph.patches.repair import offer, repair_of
from answergraph.reading.received_reply import can_be_kept
from answergraph.reading.reply_reader import Reading
from answergraph.state.ledger import Repair, RepairMode, RunLedger
from answergraph.state.messages import CORRECTION_ID_PREFIX

CONFIRM_ANSWER = (
    "Your answer is held back: you called tools in the same message, and their results have come since. "
    "Look at them, then give your answer again, changed if need be."
)
CUT = "Your {reason} Be brief."
BE_BRIEF = "Be brief. Like this: {example}"
"""After a cut, to a model whose provider holds it to the schema: the fewer tokens, the better a small model follows."""
WROTE_SCHEMA = "You wrote the schema back. Write the values in place of it, like this: {example}"
CORRECT_IN_NEXT_FORM = "When you give your answer, give it in the form you are asked for."
"""Follows the problem of an answer, which may be a missing tool call."""
WRONG_FIELDS = "Error: your answer does not fit."
NOT_RUN = "Tool {name} was not run: an answer stood beside the call."
UNKNOWN_TOOL = "Error: {name} is not a valid tool, try one of [{names}]."


def repair_after(reading: Reading, ledger: RunLedger, mode: RepairMode) -> Repair | None:
    """Return how the answer is repaired after a reply; a reply without an answer leaves the one before to be repaired."""
    before = ledger.get("repair")
    if reading.status != "invalid" or reading.name is None or reading.written is None:
        # After a patch that cannot be read the whole answer is asked for.
        return None if before is None else {**before, "offered": before["offered"] and reading.status != "invalid"}
    if not can_be_kept(reading.written):
        return None
    wrong = {path: record["problem"] for path, record in reading.fields.items() if record["problem"] is not None}
    problems = {reading.json_paths.get(path, path): problem for path, problem in wrong.items()}
    repair = repair_of(reading.name, reading.written, problems, mode, reading.value)
    is_existing = repair is not None and before is not None and before.get("is_existing")
    return {**repair, "is_existing": True} if repair is not None and is_existing else repair


def correction(reading: Reading, request: AnswerRequest, repair: Repair | None = None, *, in_next_form: bool) -> str:
    """Return the correction for a model; ``in_next_form`` if the next strategy asks.

    While middleware withholds schemas, it says what would lift that. Without tools it does not repeat what may ask for one.
    """
    withheld = request.withheld
    may_ask_for_tools = withheld is not None or reading.feedback is not None
    if in_next_form and may_ask_for_tools and not request.strategy.is_attempt:
        return request.strategy.hands_over
    if withheld and reading.status != "invalid":
        return f"{_cut(reading)} {withheld}." if reading.status == "truncated" else f"{withheld}."
    text = _text(reading, request.strategy, repair, in_next_form=in_next_form)
    return text if withheld is None or withheld in text else f"{text}\n{withheld}."


def said_afresh(reading: Reading, text: str) -> str:
    """Return what is said of an answer that is asked for afresh: the problems of its fields, if a check named some, else all."""
    wrong = {path: record["problem"] for path, record in reading.fields.items() if record["problem"] is not None}
    return text if reading.feedback is None or not wrong else "\n".join(f"- {path}: {problem}" for path, problem in wrong.items())


def asking_for(ledger: RunLedger, repair: Repair | None, repeated: Reading | None, text: str) -> RunLedger:
    """Return a ledger with what is asked for next: the repair of an answer, or an answer afresh in place of a repeated one."""
    if repair is not None:
        ledger["repair"] = repair
    if repeated is not None:
        ledger.pop("repair", None)
        ledger["asks_afresh"] = said_afresh(repeated, text)
    elif "asks_afresh" in ledger:
        ledger["asks_afresh"] = ""
    return ledger


def sent_back(results: list[ToolMessage]) -> list[ToolMessage]:
    """Return replacement results for tool calls, recognisable by their ids."""
    return [result.model_copy(update={"id": f"{CORRECTION_ID_PREFIX}{uuid4()}"}) for result in results]


def _text(reading: Reading, strategy: Strategy, repair: Repair | None, *, in_next_form: bool) -> str:
    if reading.is_echo:
        return WROTE_SCHEMA.format(example=strategy.example())
    if repair is not None and repair["offered"] and reading.status == "invalid":
        text = f"{_why_repaired(reading, strategy)}\n{offer(repair, shows_values=reading.feedback is not None)}"
        return f"{text}\n{CORRECT_IN_NEXT_FORM}" if in_next_form else text
    if in_next_form and reading.status != "invalid":
        return f"{_cut(reading)} {strategy.hands_over}" if reading.status == "truncated" else strategy.hands_over
    text = _what_is_wrong(reading, strategy)
    return f"{text}\n{CORRECT_IN_NEXT_FORM}" if in_next_form else text


def _why_repaired(reading: Reading, strategy: Strategy) -> str:
    # The offer has the problem of each field; words of the developer's own stay.
    is_own = reading.feedback is not None or strategy.handle_errors is not True
    return _what_is_wrong(reading, strategy) if is_own else WRONG_FIELDS


def _what_is_wrong(reading: Reading, strategy: Strategy) -> str:
    if reading.feedback is not None:
        return reading.feedback
    if reading.error is not None:
        return strategy.feedback(reading.error)
    if reading.status == "truncated":
        return BE_BRIEF.format(example=strategy.example()) if strategy.is_held else f"{_cut(reading)} {strategy.request_text()}"
    return strategy.request_text()


def _cut(reading: Reading) -> str:
    return CUT.format(reason=reading.reason.removeprefix("The "))
