"""The table of witnesses: which verdict follows, and who is asked next."""

import pytest

from answergraph.graphs.add_ons.triage.offline.witness_table import (
    TABLE,
    WITNESSES,
    Ending,
    WitnessName,
    WitnessRule,
    next_witness,
    rule_for,
)

BROKEN: dict[WitnessName, Ending] = {"rerun_alone": "fails", "run_on_last_green": "passes"}
ALONE: dict[WitnessName, Ending] = {"rerun_alone": "passes"}


@pytest.mark.parametrize(
    ("saw", "verdict"),
    [
        ({"rerun_alone": "varies"}, "flaky"),
        ({**ALONE, "rerun_in_order": "fails"}, "not-real"),
        ({**ALONE, "rerun_in_order": "passes", "rerun_in_another_order": "fails"}, "not-real"),
        ({**ALONE, "rerun_in_order": "passes", "rerun_in_another_order": "passes"}, "not-real"),
        ({**ALONE, "rerun_in_order": "not run"}, "not-real"),
        ({"rerun_alone": "fails", "run_on_last_green": "fails"}, "not-real"),
        ({"rerun_alone": "fails", "run_on_last_green": "varies"}, "flaky"),
        ({**BROKEN, "run_old_tests": "fails", "run_changed_lines": "fails"}, "real"),
        ({**BROKEN, "run_old_tests": "fails", "run_changed_lines": "not run"}, "real"),
        ({**BROKEN, "run_old_tests": "passes", "run_on_old_code": "fails"}, "not-real"),
        ({**BROKEN, "run_old_tests": "passes", "run_on_old_code": "passes"}, "disagreement"),
        # Nothing follows from another failure, a new test, or a run that did not take place.
        ({"rerun_alone": "fails otherwise"}, None),
        ({"rerun_alone": "not run"}, None),
        ({"rerun_alone": "fails", "run_on_last_green": "absent"}, None),
        ({"rerun_alone": "fails", "run_on_last_green": "fails otherwise"}, None),
        ({**BROKEN, "run_old_tests": "not run"}, None),
        # One rule could still decide: it is waited for.
        ({**BROKEN, "run_old_tests": "fails"}, None),
        ({**ALONE, "rerun_in_order": "passes"}, None),
    ],
)
def test_the_verdict_follows_from_what_the_witnesses_saw(saw: dict[WitnessName, Ending], verdict: str | None) -> None:
    rule = rule_for(saw)
    assert (rule.verdict if rule else None) == verdict


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.explanation)
def test_asking_the_next_witness_leads_to_each_rule(rule: WitnessRule) -> None:
    saw: dict[WitnessName, Ending] = {}
    while (name := next_witness(saw)) is not None:
        saw[name] = rule.saw[name][0] if name in rule.saw else "passes"
    assert rule_for(saw) is rule


def test_every_witness_is_asked_by_a_rule() -> None:
    assert {name for rule in TABLE for name in rule.saw} == set(WITNESSES)
