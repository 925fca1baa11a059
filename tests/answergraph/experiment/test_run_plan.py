"""The runs of a plan: each once, several concurrently, and a failure loses no other run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Condition
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage

from answergraph import FallbackStrategy, PromptedStrategy, ToolStrategy
from answergraph.experiment.journal import Journal, RunKey
from answergraph.experiment.measurement import WrongStrategyError
from answergraph.experiment.run_plan import RunPlan, run_all
from answergraph.experiment.seed_experiment import TASKS, CalculationResult
from answergraph.experiment.settings import SETTINGS, Setting
from answergraph.models.resolve import resolve_model
from answergraph.testing import ScriptedChatModel
from tests.openai_server import OpenAIServer, Reply, says

NAMED = {setting.name: setting for setting in SETTINGS}
NO_FORMAT = NAMED["no_format"]
ANSWER = '{"final_answer": 1, "reasoning": "r"}'


def plan(*settings: Setting, tasks: int = 2, repeats: int = 1, **changes: Any) -> RunPlan:
    return replace(RunPlan("m", settings or (NO_FORMAT,), TASKS[:tasks], repeats), **changes)


def make(plan: RunPlan, model: Any, path: Path, concurrency: int = 2) -> tuple[dict[RunKey, Exception], int, int]:
    """Return the failures, the number of runs in the journal, and the number of progress reports."""
    told: list[None] = []
    with Journal(path / "runs.jsonl") as journal:
        coroutine = run_all(plan, model, journal, concurrency=concurrency, done=lambda: told.append(None))
        return asyncio.run(coroutine), len(journal.records), len(told)


def test_a_run_is_made_once_however_often_the_plan_is_run(tmp_path: Path) -> None:
    model = ScriptedChatModel(replies=lambda messages: ANSWER)
    assert make(plan(repeats=3), model, tmp_path) == ({}, 6, 6)
    assert make(plan(repeats=3), model, tmp_path) == ({}, 6, 6)
    assert len(model.requests) == 6
    assert make(plan(repeats=4), model, tmp_path) == ({}, 8, 8)
    assert len(model.requests) == 8


def test_another_configuration_is_another_run(tmp_path: Path) -> None:
    model = ScriptedChatModel(replies=lambda messages: ANSWER)
    plans = [
        plan(),
        plan(model_name="n"),
        plan(base_url="http://127.0.0.1:1/v1"),
        plan(replace(NO_FORMAT, prompt="Calculate.")),
        plan(replace(NAMED["no_format_named"], name="no_format")),
    ]
    for count, each in enumerate(plans, 1):
        assert make(each, model, tmp_path) == ({}, 2 * count, 2)
    assert len(model.requests) == 2 * len(plans)


@pytest.mark.parametrize("name", NAMED)
def test_each_setting_has_a_fingerprint_of_its_own(name: str) -> None:
    others = [setting.fingerprint for setting in SETTINGS if setting.name != name]
    assert NAMED[name].fingerprint not in others
    assert replace(NAMED[name], prompt="Calculate.").fingerprint != NAMED[name].fingerprint


def test_the_address_of_the_server_is_not_written_down(tmp_path: Path) -> None:
    secret = plan(base_url="http://me:secret@127.0.0.1/v1")
    make(secret, ScriptedChatModel(replies=lambda messages: ANSWER), tmp_path)
    assert "secret" not in (tmp_path / "runs.jsonl").read_text()


def test_a_failed_run_loses_no_other_and_is_made_again_next_time(tmp_path: Path) -> None:
    refuses = [True]

    def reply(messages: Sequence[AnyMessage]) -> AIMessage:
        if refuses[0] and TASKS[1].question in messages[-1].text:
            raise RuntimeError("503, come back later")
        return AIMessage(ANSWER)

    model = ScriptedChatModel(replies=reply)
    failed, kept, told = make(plan(tasks=5), model, tmp_path)
    assert [(key.task, str(error), isinstance(error, WrongStrategyError)) for key, error in failed.items()] == [
        ("calc_02", "503, come back later", False)
    ]
    assert (kept, told) == (4, 5)
    refuses.clear()
    refuses.append(False)
    assert make(plan(tasks=5), model, tmp_path) == ({}, 5, 5)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_runs_go_on_at_once_than_asked_for(tmp_path: Path, concurrency: int) -> None:
    changed, going_on, most = Condition(), [0], [0]

    def reply(_: object) -> Reply:
        with changed:
            going_on[0] += 1
            most[0] = max(most[0], going_on[0])
            changed.notify_all()
            assert changed.wait_for(lambda: most[0] >= concurrency, timeout=30)
            # One too many would come at once.
            changed.wait_for(lambda: most[0] > concurrency, timeout=0.1)
            going_on[0] -= 1
        return says(ANSWER)

    with OpenAIServer(reply) as server:
        model = resolve_model("openai:small", base_url=server.base_url, api_key="none")
        assert make(plan(tasks=8), model, tmp_path, concurrency) == ({}, 8, 8)
    assert most == [concurrency]


def test_a_run_asked_otherwise_is_failed_and_not_kept(tmp_path: Path) -> None:
    strategy = FallbackStrategy([ToolStrategy(CalculationResult), PromptedStrategy(CalculationResult)])
    setting = replace(NAMED["tool_no_field"], response_format=strategy)
    # The first reply ignores the answer tool, the second is given by the next strategy.
    model = ScriptedChatModel(replies=lambda messages: ANSWER if len(messages) > 2 + 1 else "It is 1.")
    failed, kept, _ = make(plan(setting, tasks=1), model, tmp_path)
    assert [(isinstance(error, WrongStrategyError), str(error)) for error in failed.values()] == [
        (True, "asked for by prompted, not by tool")
    ]
    assert kept == 0


def test_repeats_are_made_one_after_the_other() -> None:
    runs = [run.key for run in plan(NO_FORMAT, NAMED["prompted"], tasks=2, repeats=2).runs()]
    assert [key.repeat for key in runs] == [1] * 4 + [2] * 4
    assert len(set(runs)) == 8


def test_a_journal_that_cannot_be_written_ends_the_runs(tmp_path: Path) -> None:
    model = ScriptedChatModel(replies=lambda messages: ANSWER)
    journal = Journal(tmp_path / "runs.jsonl")
    with journal:
        pass
    with pytest.raises(ValueError, match="closed file"):
        asyncio.run(run_all(plan(tasks=10), model, journal, concurrency=2))
    assert len(model.requests) <= 4
