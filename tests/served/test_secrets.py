"""No response or file of a server contains the key of its provider."""

from pathlib import Path

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.conftest import KEY, Provider
from tests.served.questions import asks, assistant_id

pytestmark = pytest.mark.server


async def test_no_route_of_a_server_reveals_its_key(
    address: str, client: LangGraphClient, provider: Provider, folder: Path
) -> None:
    named = {"thread_id": (await client.threads.create())["thread_id"], "assistant_id": await assistant_id(client, "agent")}
    named |= {"thread": named["thread_id"], "graph_id": "agent"}
    provider.failing.add("Fail.")
    out = ""
    async with httpx.AsyncClient(base_url=address, timeout=30) as http:
        for question in ("Say it.", "Fail."):
            asked = {"assistant_id": "agent", "input": asks(question), "context": provider.context}
            place = f"/threads/{named['thread_id']}/runs/stream"
            modes = ["values", "updates", "messages", "events", "debug"]
            out += (await http.post(place, json={**asked, "stream_mode": modes})).text
        assert "Did: Say it." in out
        assert "event: error" in out
        (run, *_) = await client.runs.list(named["thread_id"])
        paths = (await http.get("/openapi.json")).json()["paths"]
        for path in [path for path, methods in paths.items() if "get" in methods and "stream" not in path]:
            out += (await http.get(path.format_map({"run_id": run["run_id"], **dict.fromkeys(NAMES, "x"), **named}))).text
    kept = [file for file in (folder / ".langgraph_api").rglob("*") if file.is_file()]
    out += "".join(file.read_bytes().decode(errors="replace") for file in [folder / "log", *kept])
    assert provider.server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in out


NAMES = ("message", "namespace", "checkpoint_id", "cron_id", "operation_id")
