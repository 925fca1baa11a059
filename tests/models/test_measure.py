"""The measurement of real models, tested without one: the proxy records and keeps the budget, the ratchet compares."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

from tests.models.measure import proxy_of
from tests.models.recording_proxy import MAX_REQUESTS, RecordingProxy
from tests.models.report import table, those_ahead, those_leaner, tokens_per_right
from tests.models.result import Result, ran
from tests.models.task import Task
from tests.models.tasks import QUICK, TASKS
from tests.models.ways import BARE, SAMPLES, Way, our_way, three_samples


class _Played(BaseHTTPRequestHandler):
    """Gives the same answer to every request, and keeps the requests."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        _Played.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": '{"name": "Anna Berg", "age": 34}'}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "local", "usage": usage}
        raw = json.dumps({**answer, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    _Played.asked.clear()
    with HTTPServer(("127.0.0.1", 0), _Played) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxy_of(f"http://127.0.0.1:{server.server_port}") as proxy:
            yield proxy
        server.shutdown()


def test_a_run_is_measured(proxy: RecordingProxy) -> None:
    person = next(task for task in TASKS if task.name == "person")
    result = ran(proxy, "smol", Way(BARE, True, our_way(lambda type_: type_)), person)
    assert (result.valid, result.right, result.ended, result.broken) == (True, True, "answered", [])
    assert result.tokens == 15 * result.model_calls
    assert (_Played.asked[-1]["temperature"], _Played.asked[-1]["seed"], _Played.asked[-1]["max_tokens"]) == (0.7, 7, 128)


def test_requests_beyond_the_budget_are_refused(proxy: RecordingProxy) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "Go."}]}).encode()
    with proxy.new_run() as run:
        for _ in range(MAX_REQUESTS):
            urllib.request.urlopen(urllib.request.Request(f"{proxy.url}/chat/completions", body)).close()
        with pytest.raises(urllib.error.HTTPError, match="400") as refused:
            urllib.request.urlopen(urllib.request.Request(f"{proxy.url}/chat/completions", body))
        refused.value.close()
    assert (len(run.exchanges), run.refused) == (MAX_REQUESTS, "requests")
    assert run.exchanges[0]["reply"]["content"].startswith("{")


def _result(way: str, task: str, valid: bool) -> Result:
    return Result("smol", way, way == BARE, task, valid, None, "answered" if valid else "invalid", 1, 0, 10, 1.0)


def test_the_ratchet_compares_the_tasks_that_both_have_run() -> None:
    mine = [_result(BARE, "one", True), _result(BARE, "two", False)]
    assert list(those_ahead([*mine, _result("peer", "one", True), _result("peer", "three", True)])) == []
    told = list(those_ahead([*mine, _result("peer", "two", True), _result("peer", "one", True)]))
    assert told == ["on smol a bare schema has 1 valid answers, peer 2, of 2"]


def test_tokens_are_compared_with_peers_that_did_the_same_work() -> None:
    def of(way: str, task: str, tokens: int, *, tool_calls: int = 0) -> Result:
        return replace(_result(way, task, True), tokens=tokens, tool_calls=tool_calls)

    plain = [of(BARE, "person", 130), of("peer", "person", 100)]
    assert list(those_leaner(plain)) == ["on smol a bare schema takes 130 tokens per valid answer without tools, peer 100"]
    assert list(those_leaner([plain[0], of("peer", "person", 110)])) == []
    worked = of(BARE, "weather", 900, tool_calls=1)
    assert list(those_leaner([worked, of("peer", "weather", 100)])) == []
    told = list(those_leaner([worked, of("peer", "weather", 100, tool_calls=2)]))
    assert told == ["on smol a bare schema takes 900 tokens per valid answer with tools, peer 100"]


def test_the_table_has_the_most_valid_first() -> None:
    rows = table("A model", [_result(BARE, "one", False), _result("peer", "one", True)]).splitlines()
    assert rows[4].startswith("| peer | 1 of 1")
    assert rows[5].startswith(f"| **{BARE}** | 0 of 1 (0 % to 79 %) | 0 of 0 | 1 invalid |")


def test_the_quick_tasks_are_tasks() -> None:
    assert set(QUICK) < {task.name for task in TASKS}


def test_samples_of_one_seed_differ_and_have_a_budget_each(proxy: RecordingProxy) -> None:
    person = next(task for task in TASKS if task.name == "person")
    result = ran(proxy, "smol", Way(SAMPLES, True, three_samples, samples=3), person, seed=11)
    assert (result.right, result.seed, result.broken) == (True, 11, [])
    # They run at the same time, so that any of them may be the last.
    assert sorted(asked["seed"] for asked in _Played.asked) == [11, 12, 13]


def test_a_rate_has_an_interval_over_tasks_not_over_runs() -> None:
    runs = [replace(_result(BARE, "one", True), seed=seed) for seed in (7, 8, 9)]
    assert "3 of 3 (21 % to 100 %)" in table("A model", runs)


def test_a_run_is_compared_with_that_of_the_same_seed() -> None:
    mine = [_result(BARE, "one", True), replace(_result(BARE, "one", False), seed=8)]
    assert list(those_ahead([*mine, _result("peer", "one", True)])) == []
    assert len(list(those_ahead([*mine, replace(_result("peer", "one", True), seed=8)]))) == 1


def test_what_a_right_answer_costs_counts_all_runs() -> None:
    runs = [replace(_result(BARE, "stock", True), right=True), replace(_result(BARE, "sum", True), right=False, tokens=30)]
    assert tokens_per_right(runs) == 40


def test_at_least_sixty_tasks_a_third_of_them_with_tools() -> None:
    assert len(TASKS) >= 60
    assert sum(bool(task.tools) for task in TASKS) * 3 >= len(TASKS)
    assert len({task.name for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_right_answer_of_a_task_has_its_type(task: Task) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(task.type)
    assert task.right is None or adapter.validate_python(task.right) == task.right
