"""How the model was asked for its answer, as the model node records it for the ``structured_response`` node."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from answergraph.nodes.model_visit import ModelVisit
from answergraph.response_format.strategies.strategy import AnswerRequest
from answergraph.state.ledger import AnswerRequestRecord, MiddlewareValue


def answer_request_of(visit: ModelVisit, message: AIMessage | None, value: Any) -> AnswerRequestRecord:
    declared, reply = visit.format, visit.reply_to(message)
    asked = declared.restore(None) if reply is None else reply.request
    of_model = message is not None and message.id in visit.replies
    if value is None or (reply is not None and reply.shows(value)):
        valid = reply is not None and reply.reading is not None and reply.reading.value is not None
        return declared.record(asked, of_model=of_model, valid=valid, middleware_value=None)
    given = _middleware_value(asked, value)
    return declared.record(asked, of_model=of_model, valid=given["schema"] is not None, middleware_value=given)


def _middleware_value(asked: AnswerRequest, value: Any) -> MiddlewareValue:
    schema = next((schema for schema in asked.strategy.schemas if schema.holds(value)), None)
    if schema is None:
        return MiddlewareValue(schema=None, value=value)
    try:
        return MiddlewareValue(schema=schema.name, value=schema.dump(value))
    except (ValueError, TypeError):
        # Something was put into it that cannot be said in JSON.
        return MiddlewareValue(schema=None, value=repr(value))
