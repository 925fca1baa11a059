"""Asks the model in a run with time limits, once more if a call did not end in time."""

from collections.abc import Callable
from time import monotonic

from answergraph.asking.model_request import ModelRequest
from answergraph.calling.timed_model_call import SECONDS_TO_READ
from answergraph.nodes.layered_response import LayeredResponse
from answergraph.nodes.model_visit import ModelVisit
from answergraph.runtime.steps import Step
from answergraph.runtime.time_limits import TimedVisit

MAX_CALLS = 2
"""Calls of one visit of the model node that may fail to end in time."""


def ask_in_time(
    call: Callable[[ModelRequest], Step[LayeredResponse]], request: ModelRequest, visit: ModelVisit, timed: TimedVisit
) -> Step[LayeredResponse | None]:
    """Call the model, once more if a call did not end in time and another may; return ``None`` if none ended."""
    clock = timed.clock
    for _ in range(MAX_CALLS):
        try:
            response: LayeredResponse = yield from call(request)
        except Exception as error:
            if not is_time_out(error):
                raise
            _count_lost_call(visit, request)
        else:
            if clock.is_over:
                visit.limit, visit.is_last_call = "seconds", True
            return response
        if clock.is_last_call:
            visit.limit, visit.is_last_call = "seconds", True
            visit.forces_answer |= clock.keeps_reserve
        if timed.ends - monotonic() <= 2 * SECONDS_TO_READ:
            break
    return None


def _count_lost_call(visit: ModelVisit, request: ModelRequest) -> None:
    """Count a call that did not end: it was made, and nobody knows what it has cost."""
    visit.model_calls += 1
    if visit.purse is not None:
        visit.purse.note_unpriced(request.model)


def is_time_out(error: BaseException | None) -> bool:
    """Return whether an error says that a call took too long, ours or any client's."""
    while error is not None:
        names = [kind.__name__ for kind in type(error).__mro__]
        if isinstance(error, TimeoutError) or any("Timeout" in name or name == "DeadlineExceeded" for name in names):
            return True
        error = error.__cause__
    return False
