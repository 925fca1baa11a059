"""Redaction: what is named is nowhere on a tape, and the run is played all the same."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from answergraph import Quote, ToolStrategy
from answergraph.middleware import GroundedAnswer
from answergraph.testing import replay, use_tape
from tests.answergraph.tapes.test_playing import INPUT, REPLIES, agent_of, call
from tests.suite.colors import Run


class Found(BaseModel):
    case: Annotated[str, Quote()]


def test_redacted_values_are_nowhere_on_the_tape_and_the_run_is_played(run: Run, tmp_path: Path) -> None:
    path, question = tmp_path / "cards.jsonl", {"messages": "Did A-17 pass? Card 4111 1111, pin 70712."}
    replies = [call("look_up", {"case": "A-17"}), call("CaseVerdict", {"passed": True, "case": "A-17", "pin": 70712}, "c2")]
    with use_tape(path, redact=["card", "pin"]):
        agent_of(*replies).invoke(question)
    assert "4111" not in path.read_text()
    assert "70712" not in path.read_text()
    with use_tape(path):
        assert run(agent_of(), question)["structured_response"].case == "A-17"


def test_values_of_a_list_and_escaped_spellings_are_redacted_too(tmp_path: Path) -> None:
    path, question = tmp_path / "cards.jsonl", {"messages": 'Did A-17 pass? Card 4111 2222, of {"by": "Gy\\u00f6rgy"}.'}
    fields = {"passed": True, "case": "A-17", "card": ["4111 2222"], "owner": "György"}
    with use_tape(path, redact=["card", "owner"]):
        agent_of(REPLIES[0], call("CaseVerdict", fields, "c2")).invoke(question)
    assert not [each for each in ("4111", "2222", "Gy", "rgy") if each in path.read_text()]


@pytest.mark.parametrize(
    "said",
    [
        '{"name": "M\\u00fcller", "card": ["4111 2222", 77777]}',
        'The record: {"payment": {"card": "4111 2222"}, "name": "Müller", "other": {"card": 77777}}',
        '{"card": ["4111 2222", 77777], "name": "Müller"',
    ],
    ids=["escaped", "in a text", "cut"],
)
def test_values_that_json_in_a_text_names_are_redacted_in_every_text(tmp_path: Path, said: str) -> None:
    path, told = tmp_path / "cards.jsonl", "Müller pays with 4111 2222 or 77777."
    with use_tape(path, redact=["card", "name"]):
        agent_of(*REPLIES).invoke({"messages": [said, told]})
    secrets = ["Müller"] if said.endswith('"Müller"') else ["4111", "77777", "ller pays"]
    assert not [each for each in secrets if each in path.read_text()]


def test_the_places_of_evidence_hold_on_a_redacted_tape(tmp_path: Path) -> None:
    agent: dict[str, Any] = {"middleware": [GroundedAnswer()], "response_format": ToolStrategy(Found)}
    with use_tape(tmp_path / "tape.jsonl", redact=["card"]):
        agent_of(REPLIES[0], call("Found", {"case": '"passed": true'}, "c2"), **agent).invoke(INPUT)
    again = replay(tmp_path / "tape.jsonl", agent_of(**agent))
    assert again.difference is None
