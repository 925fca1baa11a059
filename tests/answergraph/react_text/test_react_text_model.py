"""The text protocol in an agent: every strategy, what is sent back, usage, streams and middleware."""

from typing import Any

import pytest
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.middleware import InputAgentState
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

QUESTION: InputAgentState = {"messages": ["Did it pass?"]}
LOOKS = "I must look.\nAction: search\nAction Input: error"
PASSED = 'I now know.\nFinal Answer: {"passed": true}'
CALLS = 'I now know.\nAction: Verdict\nAction Input: {"passed": true}'
MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'"


def text_model(*replies: Any, **fields: Any) -> tuple[ReActTextModel, ScriptedChatModel]:
    llm = ScriptedChatModel(replies=list(replies))
    return ReActTextModel(llm, **fields), llm


def prompts(llm: ScriptedChatModel) -> list[str]:
    return [request.messages[0].text for request in llm.requests]


@pytest.mark.parametrize(
    ("strategy", "replies", "name"),
    [
        (Verdict, [LOOKS, PASSED], "provider"),
        (AutoStrategy(Verdict), [LOOKS, PASSED], "provider"),
        (ProviderStrategy(Verdict), [LOOKS, PASSED], "provider"),
        (ToolStrategy(Verdict), [LOOKS, CALLS], "tool"),
        (ToolStrategy(Verdict), [LOOKS, PASSED], "tool"),
        (PromptedStrategy(Verdict), [LOOKS, '{"passed": true}'], "prompted"),
        (PromptedStrategy(Verdict), [LOOKS, PASSED], "prompted"),
        (DeferredStrategy(Verdict), [LOOKS, "Final Answer: It did.", PASSED], "provider"),
        (FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)]), [LOOKS, CALLS], "tool"),
    ],
)
def test_every_strategy_works(run: Run, strategy: Any, replies: list[str], name: str) -> None:
    model, llm = text_model(*replies)
    result = run(create_agent(model, [search], response_format=strategy), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert (result["outcome"]["status"], result["outcome"]["strategy"]) == ("answered", name)
    assert "Observation: found error\n" in prompts(llm)[-1]
    assert all(not request.tools and "response_format" not in request.kwargs for request in llm.requests)


def test_the_schema_is_in_the_prompt() -> None:
    model, llm = text_model(PASSED)
    create_agent(model, [search], response_format=Verdict).invoke(QUESTION)
    assert "The Final Answer is one JSON object that fits the following JSON Schema" in prompts(llm)[0]
    assert '"passed"' in prompts(llm)[0]


def test_a_forced_choice_is_written_into_the_prompt() -> None:
    model, llm = text_model(CALLS)
    create_agent(model, [search], response_format=ToolStrategy(Verdict)).invoke(QUESTION)
    assert "Every reply ends with an Action" in prompts(llm)[0]
    assert "Final Answer" not in prompts(llm)[0]


def test_an_answer_that_does_not_fit_is_observed_as_a_mistake(run: Run) -> None:
    model, llm = text_model(LOOKS, 'Final Answer: {"passed": "perhaps"}', PASSED)
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
    assert 'Final Answer: {"passed": "perhaps"}\nObservation: Error: passed: Input should be a valid boolean' in prompts(llm)[-1]
    first, second, third = prompts(llm)
    assert second.startswith(first)
    assert third.startswith(second)


@pytest.mark.parametrize(
    ("handle", "told"),
    [(True, MISSING_ACTION), ("Use the form!", "Use the form!"), (lambda error: error.llm_output.upper(), "I THINK SO.")],
)
def test_an_unreadable_reply_is_sent_back_as_configured(run: Run, handle: Any, told: str) -> None:
    model, llm = text_model("I think so.", "Final Answer: Yes.", handle_parsing_errors=handle)
    result = run(create_agent(model, [search]), QUESTION)
    assert prompts(llm)[1] == f"{prompts(llm)[0]}I think so.\nObservation: {told}\nThought:"
    assert result["messages"][-1].text == "Yes."


def test_what_cannot_be_read_is_raised_if_you_say_so(run: Run) -> None:
    model, _ = text_model("I think so.", handle_parsing_errors=False)
    with pytest.raises(OutputParserException, match=r"An output parsing error occurred\. In order to pass this error back"):
        run(create_agent(model, [search]), QUESTION)


@pytest.mark.parametrize("handle", [True, False])
def test_an_unknown_tool_is_always_reported(run: Run, handle: bool) -> None:
    replies = ("Action: serach\nAction Input: x", "Final Answer: Yes.")
    model, llm = text_model(*replies, handle_parsing_errors=handle)
    result = run(create_agent(model, [search]), QUESTION)
    assert result["messages"][2].text == "serach is not a valid tool, try one of [search]."
    assert "Observation: serach is not a valid tool, try one of [search].\nThought:" in prompts(llm)[1]


def test_a_text_that_the_model_insists_on_is_its_answer(run: Run) -> None:
    model, llm = text_model("It did pass.", "It did pass.")
    result = run(create_agent(model, [search]), QUESTION)
    assert len(llm.requests) == 2
    assert isinstance(result["messages"][-1], AIMessage)
    assert result["messages"][-1].text == "It did pass."


def test_a_reply_cut_at_the_token_limit_is_not_acted_upon(run: Run) -> None:
    cut = AIMessage("Action: search\nAction Input: err", response_metadata={"finish_reason": "length"})
    model, _ = text_model(cut, PASSED)
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["truncated", "answered"]
    assert not any(isinstance(message, ToolMessage) for message in result["messages"])


def test_usage_is_passed_on_and_counted_once(run: Run) -> None:
    model, llm = text_model(LOOKS, PASSED)
    handler = UsageMetadataCallbackHandler()
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION, {"callbacks": [handler]})
    replies = [message for message in result["messages"] if isinstance(message, AIMessage)]
    total = sum(message.usage_metadata["total_tokens"] for message in replies if message.usage_metadata)
    assert result["outcome"]["usage"]["total_tokens"] == total > 0
    counted = [message.usage_metadata for message in replies if message.usage_metadata]
    assert result["outcome"]["usage"]["rounds"] == [
        {"input_tokens": each["input_tokens"], "output_tokens": each["output_tokens"]} for each in counted
    ]
    assert sum(usage["total_tokens"] for usage in handler.usage_metadata.values()) == total
    assert llm.requests


def test_a_stream_shows_each_reply_once_as_it_was_read(run: Run) -> None:
    model, _ = text_model(LOOKS, "I now know.\nFinal Answer: It did.")
    chunks = run.stream(create_agent(model, [search]), QUESTION, stream_mode="messages")
    texts: dict[str, str] = {}
    for chunk, _ in chunks:
        if chunk.type != "tool":
            texts[chunk.id] = texts.get(chunk.id, "") + chunk.text
    assert list(texts.values()) == [LOOKS, "It did."]


def test_a_system_prompt_comes_first(run: Run) -> None:
    model, llm = text_model("Final Answer: Yes.")
    run(create_agent(model, [search], system_prompt="Be brief."), QUESTION)
    assert prompts(llm)[0].startswith("Be brief.\n\nAnswer the following questions")


def test_without_tools_a_conversation_is_passed_on_as_it_is(run: Run) -> None:
    model, llm = text_model("Hello.")
    conversation = [SystemMessage("Be brief."), HumanMessage("Hi."), AIMessage("Yes?"), HumanMessage("Hello.")]
    assert run(model, conversation).text == "Hello."
    assert [m.text for m in llm.requests[0].messages] == [m.text for m in conversation]
    assert "stop" not in llm.requests[0].kwargs


def test_settings_are_sent_on_and_stops_can_be_kept_back(run: Run) -> None:
    model, llm = text_model("Final Answer: Yes.", temperature=0.5, send_stops=False)
    run(model.bind_tools([search], max_tokens=7), "Hi?")
    assert llm.requests[0].kwargs == {"temperature": 0.5, "max_tokens": 7}


def test_a_model_with_settings_bound_is_wrapped_too(run: Run) -> None:
    llm = ScriptedChatModel(replies=[LOOKS, "Final Answer: Yes."])
    result = run(create_agent(ReActTextModel(llm.bind(seed=1)), [search]), QUESTION)
    assert result["messages"][-1].text == "Yes."
    assert llm.requests[0].kwargs["seed"] == 1


def test_structured_output_of_langchain_works(run: Run) -> None:
    model, _ = text_model(CALLS)
    assert run(model.with_structured_output(Verdict), "Did it pass?") == Verdict(passed=True)
