"""What a triage remembers about earlier runs."""

from pathlib import Path
from typing import Any

import pytest

from answergraph import AgentSpecError
from answergraph.evidence import verify_bundle
from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage.triage_graph import TRIAGE_KEYS
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results
from tests.graphs.add_ons.triage.test_triage_graph import REFUSED, VERDICT, answers
from tests.suite.colors import Run


def judge() -> ScriptedChatModel:
    """Return a model that judges one cause and then fails."""
    return ScriptedChatModel(
        replies=[answers("read_case", {"case": "results.xml#1"}), "Down.", answers("FalseNegativeCheck", VERDICT)]
    )


def test_a_failure_judged_before_is_not_judged_again(run: Run, tmp_path: Path) -> None:
    record, night = tmp_path / "nights.db", tmp_path / "night"
    told: list[dict[str, Any]] = []
    models = [judge(), ScriptedChatModel(replies=[])]
    for day, model in enumerate(models, start=1):
        write_results(night, failed("test_rates", REFUSED), passed("test_total"), started=f"2026-01-0{day}T03:04:05")
        told.append(run(create_triage_agent(model, history=record), {"folder": str(night)}))
    (first,), (second,) = (result["reports"] for result in told)
    assert models[1].requests == []
    assert (first["remembered"], bool(second["remembered"])) == ("", True)
    assert second["answer"] == first["answer"]
    assert second["fields"] == first["fields"]


def test_a_remembered_verdict_can_be_verified_although_its_case_has_another_id(tmp_path: Path) -> None:
    for model, before in ((judge(), ""), (ScriptedChatModel(replies=[]), '<testcase classname="shop" name="test_good"/>')):
        write_results(tmp_path, before + failed("test_rates", REFUSED))
        triage = create_triage_agent(model, history=tmp_path / "nights.db")
        result: dict[str, Any] = {**triage.invoke({"folder": str(tmp_path)}, output_keys=list(TRIAGE_KEYS))}
        (bundle,) = result["bundles"]
        assert all(claim.holds for claim in verify_bundle(bundle))


def test_a_new_failure_is_judged(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_rates", REFUSED))
    record = tmp_path / "nights.db"
    create_triage_agent(judge(), history=record).invoke({"folder": str(tmp_path)})
    write_results(tmp_path, failed("test_rates", REFUSED.replace("ConnectionRefusedError", "BrokenPipeError")))
    look, abstains = answers("read_case", {"case": "results.xml#1"}), answers("Abstention", {"missing": ["a log"], "tried": []})
    model = ScriptedChatModel(replies=[look, "Nothing else.", abstains])
    (report,) = create_triage_agent(model, history=record).invoke({"folder": str(tmp_path)})["reports"]
    assert (report["status"], report["remembered"], len(model.requests)) == ("abstained", "", 3)


def test_a_flaky_test_is_reported_without_a_model(run: Run, tmp_path: Path) -> None:
    write_results(tmp_path, '<testcase classname="shop" name="test_shaky"><flakyFailure message="it came too late"/></testcase>')
    model = ScriptedChatModel(replies=[])
    (report,) = run(create_triage_agent(model), {"folder": str(tmp_path)})["reports"]
    assert (report["verdict"], report["answer"]["evidence"][0]) == ("flaky", "it came too late")
    assert report["cases"][0]["tries"] == ["it came too late"]


def test_an_unusable_history_file_is_refused_while_building(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="cannot be used as a history"):
        create_triage_agent(history=tmp_path / "none" / "nights.db")
