"""The place of a person's review in a run: after the checks, before the run's end."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from answergraph.answers.answer import Answer
from answergraph.evidence.claims import fields_of
from answergraph.nodes.answer_checks import Checked
from answergraph.nodes.model_visit import CurrentReply
from answergraph.nodes.reviews.field_review import FieldReview, computed_from
from answergraph.patches.changes import Change, json_path_in, with_changes
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.steps import Step
from answergraph.state.field_path import FieldPath, json_at
from answergraph.state.field_record import BACKED, FieldRecord, record_of
from answergraph.state.ledger import RunLedger
from answergraph.state.outcome import AnswerAccepted

TURNED_DOWN = "A person turned down what your answer says here:\n{fields}\nLook again, and leave all else as it is."
DECIDED = "A person decided what was in doubt."
BY_PERSON = "a person"


def reviewed(
    reply: CurrentReply,
    reading: Reading,
    check: Callable[[Reading, RunLedger], Step[Checked]],
    is_for_a_person: Callable[[CurrentReply, Reading], bool],
) -> Step[tuple[CurrentReply, Reading, AnswerAccepted]]:
    """Check an answer, and ask a person about the doubtful fields, until the checks accept it or a field is turned down.

    Returns:
        The reply with what the person set, which stays if the model is asked again, and the reading after the checks.
    """
    set_by_person = reply.ledger.get("given", {})
    reading, accepted = yield from check(_with_persons_values(reading, set_by_person), reply.ledger)
    if not is_for_a_person(reply, reading):
        return reply, reading, accepted
    while reading.answer is not None and (fields := _doubtful(reading)):
        # What is computed from another doubtful field may hold once that is decided.
        waits = {str(path) for path, (_, of) in computed_from(fields_of(reading.value)).items() if not of.isdisjoint(fields)}
        fields = {path: record for path, record in fields.items() if path not in waits} or fields
        review = FieldReview(reading.answer.schema, reading.answer.data, fields)
        review.ask()
        answer = _answer(reading.answer, review.data)
        set_by_person = {**set_by_person, **{path: json_at(answer.value, path) for path in review.given}}
        reply = replace(reply, ledger={**reply.ledger, "given": set_by_person})
        if review.rejected:
            turned_down = _turned_down(replace(reading, answer=answer), review.rejected, len(reply.ledger["attempts"]))
            return reply, turned_down, AnswerAccepted()
        anew = replace(reading, status="answered", answer=answer, feedback=None, fields={}, check=None)
        reading, accepted = yield from check(replace(anew, reason=DECIDED), reply.ledger)
    return reply, reading, accepted


def _with_persons_values(reading: Reading, set_by_person: Mapping[str, object]) -> Reading:
    """Return a later answer of the model with what a person set; in a list only in a patch, else it may be another item."""
    if not set_by_person or reading.answer is None:
        return reading
    before = reading.answer
    kept = {path: value for path, value in set_by_person.items() if reading.patch is not None or "[" not in path}
    changes = [Change(json_path_in(before.data, path, before.value) or FieldPath(path), value) for path, value in kept.items()]
    try:
        return replace(reading, answer=_answer(before, with_changes(before.data, changes)))
    except ValueError:
        return reading  # what no longer fits is doubtful again


def _doubtful(reading: Reading) -> dict[str, FieldRecord]:
    wrong = {path: record for path, record in reading.fields.items() if record["problem"] is not None}
    return wrong or {path: record for path, record in reading.fields.items() if record["status"] not in BACKED}


def _answer(before: Answer, data: object) -> Answer:
    return before if data == before.data else Answer.of(before.schema, before.schema.load(data), data)


def _turned_down(reading: Reading, rejected: Mapping[str, str], attempts: int) -> Reading:
    fields = {path: record_of(message) for path, message in rejected.items()}
    lines = "\n".join(f"- {path}: {message}" for path, message in rejected.items())
    # Asked again by a person, the model has not made the same mistake twice.
    path, message = next(iter(rejected.items()))
    reason = f"A person turned down {path or 'the answer'}: {message}"
    rejected_reading = reading.rejected(TURNED_DOWN.format(fields=lines), fields, BY_PERSON)
    return replace(rejected_reading, reason=reason, mistake=f"{BY_PERSON} {attempts}")
