import time
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from answergraph import create_agent
from answergraph.many import map_answers
from answergraph.many.ledger.map_ledger import MapLedger, Wanted
from answergraph.many.ledger.rows import End, Group
from tests.answergraph.many.invoices import Invoice, model_of, rows


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the place of a ledger, of each kind."""
    return str(tmp_path / "run.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres_database"))


def ledger_at(place: str) -> MapLedger:
    return MapLedger(place, "schema", earlier=lambda: "schema", shares_equal_inputs=True)


def wanted(key: str, mark: str = "") -> Wanted:
    return Wanted(key, mark or key, {"messages": []})


def end_of(key: str, group: Group | None = None) -> End:
    return End.without_outcome(key, group or Group("answered"), "Because.")


def test_a_row_is_given_to_one_owner_until_its_lease_ends(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = ledger_at(place), ledger_at(place)
    assert [row.key for row in one.claim([wanted("a")]).ours] == ["a"]
    assert [row.key for row in other.claim([wanted("a")]).elsewhere] == ["a"]
    later = time.time() + 1000
    monkeypatch.setattr(time, "time", lambda: later)
    assert [row.key for row in other.claim([wanted("a")]).ours] == ["a"]
    # Who lost a row stores nothing for it.
    assert one.finish([end_of("a", Group("invalid"))], None) == []
    assert other.finish([end_of("a")], None) == [end_of("a")]
    assert one.claim([wanted("a")]).ended == [end_of("a")]
    assert one.groups() == {Group("answered"): 1}


def test_a_renewed_lease_and_a_released_row(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = ledger_at(place), ledger_at(place)
    one.claim([wanted("a"), wanted("b")])
    later = time.time() + 100
    monkeypatch.setattr(time, "time", lambda: later)
    one.renew()
    monkeypatch.setattr(time, "time", lambda: later + 100)
    assert other.claim([wanted("a"), wanted("b")]).ours == []
    one.release()
    assert len(other.claim([wanted("a"), wanted("b")]).ours) == 2


def test_the_rows_of_a_process_of_this_machine_that_ended_are_taken_over_at_once(place: str) -> None:
    ended, other = ledger_at(place), ledger_at(place)
    machine, _, nonce = ended.owner.split(":")
    ended.owner = f"{machine}:{2**22 + 1}:{nonce}"  # no process has such a number
    ended.claim([wanted("a")])
    assert [row.key for row in other.claim([wanted("a")]).ours] == ["a"]


def test_an_equal_input_waits_for_the_one_that_is_asked_and_takes_its_end(place: str) -> None:
    one, other = ledger_at(place), ledger_at(place)
    claims = one.claim([wanted("a", "same"), wanted("b", "same")])
    assert ([row.key for row in claims.ours], [row.key for row in claims.elsewhere]) == (["a"], ["b"])
    assert [row.key for row in other.claim([wanted("c", "same")]).elsewhere] == ["c"]
    one.finish([end_of("a")], None)
    assert other.claim([wanted("b", "same"), wanted("c", "same")]).ended == [end_of("b"), end_of("c")]
    assert one.groups() == {Group("answered"): 3}


def test_a_row_wanted_again_is_counted_once_and_kept_until_it_ends_anew(place: str) -> None:
    ledger = ledger_at(place)
    ledger.claim([wanted("a"), wanted("b")])
    ledger.finish([end_of("a"), end_of("b", Group("invalid", "number", "schema"))], None)
    ledger.want_again(["invalid"])
    claims = ledger.claim([wanted("a"), wanted("b")])
    assert ([row.key for row in claims.ours], [end.key for end in claims.ended]) == (["b"], ["a"])
    ledger.release()  # as after a stop: it is wanted still
    assert [row.key for row in ledger.claim([wanted("b")]).ours] == ["b"]
    ledger.finish([end_of("b")], None)
    assert ledger.groups() == {Group("answered"): 2}


def test_two_maps_on_one_ledger_share_the_work_and_each_gives_every_row(place: str) -> None:
    model = model_of()
    agent = create_agent(model, response_format=Invoice)
    start, ends = Barrier(2), list[dict[str, Any]]()

    def work() -> None:
        mapped = map_answers(agent, rows(150), key="id", input="body", ledger=place, concurrency=8)
        start.wait()
        ends.append({row.key: row.answer for row in mapped})

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [ends[0], ends[0]]
    assert ends[0] == {f"k{number}": Invoice(number=number) for number in range(150)}
    assert len(model.requests) == 150
