"""What of a source counts less, or not at all: results that a later call overruled, objects without a text, bounds cut off."""

from answergraph import Grounded, Quote, check_evidence
from answergraph.evidence import ToolRun


def test_evidence_says_which_later_call_returned_something_else() -> None:
    args = {"job": "a"}
    runs = [ToolRun("1", "status", args, ("5 jobs are running",)), ToolRun("2", "status", args, ("7 jobs are running",))]
    others = [ToolRun("3", "status", {"job": "b"}, ("9 jobs are running",)), ToolRun("4", "status", args, ("gone",), False)]
    marks = {name: Grounded() for name in ("old", "new", "other")}
    fields = check_evidence({"old": 5, "new": 7, "other": 9}, [*runs, *others], marks=marks).fields
    said = {path: record["evidence"][0]["source"].get("overruled_by") for path, record in fields.items()}
    assert said == {"old": "2", "new": None, "other": None}


def test_an_object_without_a_text_of_its_own_is_no_source() -> None:
    run = ToolRun("1", "rows", {}, ("<generator object read_rows at 0x7f3a10>",))
    for source in (run, run.text):
        report = check_evidence({"what": "generator object read_rows"}, [source], marks={"what": Quote()})
        assert report.made_up == ["what"]


def test_a_bound_is_shown_with_the_word_that_makes_it_one() -> None:
    for text in ("Allowed are at most\n5 items", "less than\n5", "max. 5"):
        [place] = check_evidence({"count": 5}, text, marks={"count": Grounded()}).fields["count"]["evidence"]
        assert place["unit"] == text
        assert [place["unit"][start:end] for start, end in place["marks"]] == ["5"]
