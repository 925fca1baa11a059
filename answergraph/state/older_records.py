"""Records in the checkpoints of earlier versions, read as records of today: the one place that knows what was different.

``tests/upgrades`` holds databases that those versions wrote.
"""

from collections.abc import Mapping
from typing import Any

_LEDGER_NAMES_IN_0_1: Mapping[str, str] = {
    "charged": "inner_usage_counted",
    "held": "unconfirmed",
    "holds": "confirmations_asked",
    "spent": "used_strategies",
    "seen": "last_reply_index",
    "last_id": "last_reply_id",
    "tools_off": "tools_were_off",
    "final": "last_call_made",
}


def ledger_of_0_1(record: Mapping[str, Any], beginning: Mapping[str, Any]) -> Any:
    """Return a ledger of version 0.1 as one of today; ``beginning`` is the ledger of a new run.

    Version 0.1 had other names, and left out whatever was as in the beginning, in the usage as well.
    """
    renamed = {_LEDGER_NAMES_IN_0_1.get(name, name): value for name, value in record.items()}
    usage = {**beginning["usage"], **renamed.get("usage", {})}
    attempts = [{"problems": [], "message_id": None, **attempt} for attempt in renamed.get("attempts", ())]
    return {**beginning, **renamed, "usage": usage, "attempts": attempts}


def answer_request_of_0_1(record: Mapping[str, Any]) -> Any:
    """Return version 0.1's record of a request for the answer as one of today; it left out what most calls had in common."""
    old = {"is_last": True, "of_model": True, "valid": False, "dialect": "plain", "note": None, "given": None, **record}
    new = {"strategy_id": old.pop("rung"), "has_next_strategy": not old.pop("is_last"), "middleware_value": old.pop("given")}
    return old | new
