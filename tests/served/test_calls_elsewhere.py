"""An external tool on a server: the run ends, and continues with the tool message that is sent on its thread."""

from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import asks

pytestmark = pytest.mark.server


async def test_a_run_waits_for_a_call_and_goes_on_with_its_result(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    first: Any = await client.runs.wait(thread, "elsewhere", input=asks("(2 + 3) × 4"))
    (pending,) = first["outcome"]["pending"]
    assert (first["outcome"]["status"], first["structured_response"], pending["args"]) == ("deferred", None, {"a": 5, "b": 4})
    assert (await client.threads.get(thread))["status"] == "idle"

    sent: Any = {"messages": [{"role": "tool", "content": "20", "tool_call_id": pending["id"]}]}
    end = [part.data async for part in client.runs.stream(thread, "elsewhere", input=sent, stream_mode="values")][-1]
    assert (end["structured_response"]["final_answer"], end["outcome"]["status"]) == (20, "answered")
    # One run: a call of the model that checks the product, and one that answers.
    assert end["outcome"]["usage"]["model_calls"] == first["outcome"]["usage"]["model_calls"] + 2


async def test_a_person_who_says_something_else_is_answered(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "elsewhere", input=asks("(2 + 3) × 4"))
    end: Any = await client.runs.wait(thread, "elsewhere", input=asks("3 + 4"))
    assert (end["structured_response"]["final_answer"], end["outcome"]["status"]) == (7, "answered")
