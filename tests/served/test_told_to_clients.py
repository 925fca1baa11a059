"""Messages to a server's clients: the reason of an error, a missing input, the description of each key."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import SHIPPED, asks, assistant_id
from tests.suite.langgraph_dev import REPOSITORY

pytestmark = pytest.mark.server


@pytest.mark.parametrize(
    ("graph", "input_", "error", "reason"),
    [
        ("raising", asks("?"), "NoAnswerError", "No answer (invalid): The answer does not fit 'Verdict': passed: "),
        ("undecided", {"report": "Nothing of the kind."}, "RuleNotMatched", "No rule matched: "),
        ("unreadable", asks("?"), "StructuredOutputValidationError", "Failed to parse structured output for tool 'Verdict'"),
    ],
)
async def test_an_error_reaches_a_client_with_its_reason(
    client: LangGraphClient, graph: str, input_: dict[str, Any], error: str, reason: str
) -> None:
    thread = await client.threads.create()
    end: Any = await client.runs.wait(thread["thread_id"], graph, input=input_, raise_error=False)
    assert end["__error__"]["error"] == error
    assert end["__error__"]["message"].startswith(reason)


@pytest.mark.parametrize("graph", SHIPPED)
async def test_a_run_without_its_input_says_what_is_missing(client: LangGraphClient, graph: str) -> None:
    end: Any = await client.runs.wait(None, graph, input={}, raise_error=False)
    told = str(end.get("__error__") or end)
    assert "KeyError" not in told
    assert "internal error" not in told


@pytest.mark.parametrize("graph", SHIPPED)
async def test_each_key_of_an_input_and_a_context_has_a_description(client: LangGraphClient, graph: str) -> None:
    schemas: Any = await client.assistants.get_schemas(await assistant_id(client, graph))
    asked = {**schemas["input_schema"]["properties"], **((schemas.get("context_schema") or {}).get("properties") or {})}
    assert [name for name, schema in asked.items() if name != "messages" and not schema.get("description")] == []
    assert [name for name, schema in asked.items() if "``" in schema.get("description", "")] == [], "a form shows it as it is"
    for which in ("input_schema", "output_schema", "context_schema"):
        defined = (schemas.get(which) or {}).get("$defs", {})
        assert [name for name, schema in defined.items() if not schema.get("description")] == [], which


def test_make_dev_carries_out_ten_runs_at_once() -> None:
    command = subprocess.run(["make", "--dry-run", "dev"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    assert re.search(r"langgraph dev .*--n-jobs-per-worker 10\b", command)


def test_an_image_gets_nothing_that_git_ignores() -> None:
    lines = [Path(REPOSITORY, name).read_text().splitlines() for name in (".gitignore", ".dockerignore")]
    ignored, left_out = ([line.strip("*/") for line in each if line and not line.startswith("#")] for each in lines)
    assert [name for name in ignored if not any(name.startswith(each) for each in left_out)] == []


async def asked(address: str, path: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask one of the server's own protocols, each of which is JSON-RPC."""
    async with AsyncClient(base_url=address, headers={"accept": "application/json, text/event-stream"}, timeout=60) as http:
        request = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
        result: dict[str, Any] = (await http.post(path, json=request)).json()["result"]
    return result


async def test_mcp_returns_the_whole_state_as_text_and_the_name_of_an_error(address: str) -> None:
    answered = await asked(address, "/mcp", "tools/call", {"name": "calculator", "arguments": asks("2 + 3")})
    assert "'final_answer': 5.0" in answered["content"][0]["text"]
    assert "'status': 'answered'" in answered["content"][0]["text"]
    assert "structuredContent" not in answered
    failed = await asked(address, "/mcp", "tools/call", {"name": "raising", "arguments": asks("?")})
    assert (failed["isError"], failed["content"][0]["text"]) == (True, "NoAnswerError")


async def test_a2a_returns_only_the_last_text_of_the_model(client: LangGraphClient, address: str) -> None:
    assistant = await assistant_id(client, "calculator")
    message = {"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": "2 + 3"}]}
    task = await asked(address, f"/a2a/{assistant}", "message/send", {"message": message})
    assert task["status"]["state"] == "completed"
    assert [part["text"] for part in task["artifacts"][0]["parts"]] == [""]
