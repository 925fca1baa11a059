"""The check of the kill test: it finds a repetition, and only a wrong one."""

from tests.cluster.ledger import Entry, first_checkpoints, repeated_after_checkpoint

EARLY, KEPT, LATE = "2026-11-01T10:00:00+00:00", "2026-11-01T10:00:01Z", "2026-11-01T10:00:02+00:00"


def entry(call: str, began: str) -> Entry:
    return Entry("thread", call, 1, began)


def test_a_call_that_ran_again_after_its_result_was_kept_is_found() -> None:
    entries = [entry("a", EARLY), entry("a", LATE), entry("b", EARLY)]
    assert repeated_after_checkpoint(entries, {"a": KEPT, "b": KEPT}) == [entry("a", LATE)]


def test_a_call_whose_result_was_lost_may_run_again() -> None:
    assert repeated_after_checkpoint([entry("a", EARLY), entry("a", LATE)], {"b": EARLY}) == []


def test_the_first_checkpoint_with_a_result_counts() -> None:
    result = {"type": "tool", "tool_call_id": "a"}
    history = [
        {"created_at": LATE, "values": {"messages": [result]}},
        {"created_at": KEPT, "values": {"messages": [{"type": "ai"}, result]}},
        {"created_at": EARLY, "values": {}},
    ]
    assert first_checkpoints(history) == {"a": KEPT}
