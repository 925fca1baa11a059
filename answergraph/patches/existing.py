"""A previous answer in the input of an agent: the model is asked for what changes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import HumanMessage

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.ledger import EXISTING, Repair, RepairMode

BRING_UP_TO_DATE = "The answer so far:\n{answer}\nBring it up to date with this conversation. {how}"
AS_PATCH = (
    'Give only what changes, as {"changes": [{"path": "items[3].price", "value": …}]}, and an empty list if nothing does; '
    "all else stands."
)
AS_WHOLE = "Give the whole answer again, changed where need be."


def with_existing(input: Mapping[str, Any], schemas: Sequence[AnswerSchema], mode: RepairMode) -> dict[str, Any]:
    """Return an input whose previous answer is a message at the end of its messages.

    Raises:
        AgentSpecError: If it is no answer of these schemas.
    """
    rest = {key: value for key, value in input.items() if key != EXISTING}
    answer = input[EXISTING]
    if answer is None:
        return rest
    repair = _as_repair(answer, schemas)
    how = AS_WHOLE if mode == "whole" else AS_PATCH
    text = BRING_UP_TO_DATE.format(answer=json.dumps(repair["value"], ensure_ascii=False), how=how)
    # The metadata of a message is not sent to the model. What it marks is no source: an answer is no evidence of itself.
    message = HumanMessage(text, response_metadata={EXISTING: None if mode == "whole" else repair})
    messages = rest.get("messages") or []
    return {**rest, "messages": [*(messages if isinstance(messages, list | tuple) else [messages]), message]}


def _as_repair(answer: Any, schemas: Sequence[AnswerSchema]) -> Repair:
    for schema in schemas:
        try:
            data = schema.dump(answer if schema.holds(answer) else schema.load(answer))
        except (ValueError, TypeError):
            continue
        return Repair(schema=schema.name, value=data, fields={}, offered=True)
    names = [schema.name for schema in schemas]
    raise AgentSpecError(
        f"existing={shown(answer)} is not an answer of {names!r}; pass the structured_response of an earlier run."
    )
