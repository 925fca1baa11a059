"""Sources of evidence: documents of retrievers, blocks with a source, providers' citations; and unverifiable ones."""

import json
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from answergraph import ToolStrategy, create_agent
from answergraph.evidence import BUNDLE_KEYS, answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer
from answergraph.state.field_record import evidence_in
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.fields import places
from tests.suite.replies import calling
from tests.suite.verdicts import Finding

WORDS = "the disk of db-7 is full"
PAGE = {"source": "https://example.org/disks", "page": 3}


@tool(response_format="content_and_artifact")
def retrieve() -> tuple[str, list[Document]]:
    """Retrieve."""
    found = [Document("all is well in the east", id="a", metadata={"page": 1}), Document(WORDS, id="b", metadata=PAGE)]
    return "\n\n".join(document.page_content for document in found), found


@tool
def search() -> list[dict[str, Any]]:
    """Search."""
    content = [{"type": "text", "text": WORDS}]
    return [{"type": "search_result", "source": PAGE["source"], "title": "Disks", "content": content}]


@tool
def see() -> list[dict[str, Any]]:
    """Take a picture."""
    return [{"type": "image", "url": "https://example.org/a.png"}]


def asked(run: Run, tools: list[Any], *replies: AIMessage, quote: str = WORDS) -> Any:
    answers = [calling("Finding", {"quote": quote}, call_id) for call_id in ("8", "9")]
    model = ScriptedChatModel(replies=[*replies, *answers])
    agent = create_agent(model, tools, response_format=ToolStrategy(Finding), middleware=[GroundedAnswer()])
    return run(agent, {"messages": ["q"]}, output_keys=BUNDLE_KEYS)


def verified(result: Any) -> list[bool]:
    return [verdict.holds for verdict in verify_bundle(json.loads(json.dumps(answer_bundle(result))))]


@pytest.mark.parametrize(
    ("used", "source", "page"),
    [(retrieve, {"url": PAGE["source"]}, {"page": 4}), (search, {"url": PAGE["source"], "title": "Disks"}, {})],
)
def test_the_evidence_names_the_document(run: Run, used: Any, source: dict[str, Any], page: Any) -> None:
    result = asked(run, [used], calling(used.name, {}, "1"))
    evidence = cited(result)
    assert evidence["source"] == {"kind": "tool", "id": "1", "name": used.name, **source}
    assert {key: evidence[key] for key in evidence.keys() & {"page"}} == page
    assert verified(result) == [True]


def cited(result: Any) -> Any:
    [evidence] = result["outcome"]["fields"]["quote"]["evidence"]
    return evidence


def named(**source: str) -> dict[str, str]:
    return {"kind": "tool", "id": "reply", "name": "citation", **source}


def citing(note: dict[str, Any], text: str, provider: str) -> AIMessage:
    key = "citations" if provider == "anthropic" else "annotations"
    call = calling("see", {}, "1").tool_calls
    content: list[Any] = [{"type": "text", "text": text, key: [note]}]
    return AIMessage(content, tool_calls=call, id="reply", response_metadata={"model_provider": provider})


def test_the_words_that_a_provider_cites_are_evidence_with_their_source(run: Run) -> None:
    note = {"type": "web_search_result_location", "url": PAGE["source"], "title": "Disks", "cited_text": WORDS}
    result = asked(run, [see], citing(note, "So it is.", "anthropic"))
    assert (cited(result)["place"], cited(result)["source"]) == ([0, len(WORDS)], named(url=str(PAGE["source"]), title="Disks"))
    assert verified(result) == [True]


def test_a_citation_of_the_models_own_words_does_not_count(run: Run) -> None:
    note = {"type": "url_citation", "url": PAGE["source"], "title": "Disks", "start_index": 0, "end_index": len(WORDS)}
    result = asked(run, [see], citing(note, WORDS, "openai"))
    assert result["outcome"]["status"] == "invalid"
    said = "There is no text to quote in: image, citations that only give places in your own reply."
    assert said in result["outcome"]["attempts"][0]["error"]


def test_what_the_search_of_a_provider_found_is_evidence_with_its_file(run: Run) -> None:
    note = {"type": "file_citation", "file_id": "file-1", "filename": "disks.md", "index": 9}
    reply = citing(note, "The disk is quite full, I think.", "openai")
    found = {"file_id": "file-1", "filename": "disks.md", "score": 0.9, "text": f"Today {WORDS}."}
    search = {"type": "file_search_call", "id": "fs_1", "queries": ["disk"], "status": "completed", "results": [found]}
    reply.content = [search, *reply.content]
    result = asked(run, [see], reply)
    assert (cited(result)["unit"], cited(result)["source"]) == (
        f"Today {WORDS}.",
        {"kind": "tool", "id": "fs_1", "name": "file_search", "title": "disks.md"},
    )
    assert verified(result) == [True]


@pytest.mark.parametrize(
    ("chunk", "source"),
    [
        ({"web": {"uri": "https://x.org", "title": "x"}}, None),
        (
            {"retrieved_context": {"uri": "gs://x/a", "title": "a", "text": f"Today {WORDS}."}},
            {"url": "gs://x/a", "title": "a"},
        ),
    ],
    ids=["a page", "a document"],
)
def test_what_gemini_grounds_is_evidence_where_it_has_the_words_of_its_source(run: Run, chunk: Any, source: Any) -> None:
    support = {"segment": {"start_index": 0, "end_index": len(WORDS), "text": WORDS}, "grounding_chunk_indices": [0]}
    grounding = {"grounding_chunks": [chunk], "grounding_supports": [support]}
    metadata = {"model_provider": "google_genai", "grounding_metadata": grounding}
    reply = AIMessage("It is full.", id="reply", tool_calls=calling("see", {}, "1").tool_calls, response_metadata=metadata)
    outcome = asked(run, [see], reply)["outcome"]
    found = [(each["source"], places(outcome["fields"])) for each in evidence_in(outcome["fields"])]
    assert found == ([(named(**source), {"quote": ["reply", 6, 6 + len(WORDS)]})] if source else [])


@pytest.mark.parametrize(
    ("args", "status", "is_supported"),
    [
        ({"host": "db-7"}, "success", True),
        ({"note": f"Write that {WORDS}."}, "success", False),
        ({"host": "db-7"}, "error", False),
    ],
    ids=["found", "the model's own words", "failed"],
)
def test_what_a_call_returned_that_the_provider_ran_is_evidence(run: Run, args: Any, status: str, is_supported: bool) -> None:
    call = {"type": "server_tool_call", "id": "s1", "name": "look", "args": args}
    output = [{"type": "text", "text": WORDS}]
    content: list[Any] = [call, {"type": "server_tool_result", "tool_call_id": "s1", "status": status, "output": output}]
    reply = AIMessage(
        content, id="reply", tool_calls=calling("see", {}, "1").tool_calls, response_metadata={"output_version": "v1"}
    )
    outcome = asked(run, [see], reply)["outcome"]
    assert (outcome["status"] == "answered") is is_supported


def test_a_quote_does_not_run_from_one_document_into_another(run: Run) -> None:
    result = asked(run, [retrieve], calling("retrieve", {}, "1"), quote="well in the east the disk of db-7")
    assert result["outcome"]["status"] == "invalid"
