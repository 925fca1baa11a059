"""The requests that each API refuses, with its own messages and a source for each rule."""

from collections.abc import Callable

from tests.providers.dialogue import Asked, Rule
from tests.providers.history_rules import (
    begins_otherwise,
    broken_arguments,
    call_after_assistant,
    empty_turn,
    ends_in_thoughts,
    ends_with_assistant,
    in_a_row,
    odd_names,
    paused_in_the_middle,
    results_missing,
    stray_results,
    thoughts_missing,
    tools_missing,
    user_after_tool,
)
from tests.providers.schema_rules import (
    ANTHROPIC_SCHEMAS,
    BEDROCK_SCHEMAS,
    GEMINI_SCHEMAS,
    LLAMA_CPP_SCHEMAS,
    OPENAI_SCHEMAS,
)


def forced_while_thinking(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if asked.thinks and asked.is_forced else None


def format_beside_tools(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if asked.tools and asked.format else None


def kind_of_format(kind: str, words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if asked.format == kind else None


def unknown_choice(words: str) -> Callable[[Asked], str | None]:
    known = ("auto", "none", "any")
    return lambda asked: words.format(asked.choice) if asked.choice not in (*known, *asked.tools) else None


def choice_without_tools(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if not asked.tools and asked.choice != "auto" else None


_OPENAI_RESULTS = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {ids}"
)
OPENAI = (
    Rule(odd_names, "https://github.com/NousResearch/hermes-agent/issues/51944"),
    Rule(results_missing(_OPENAI_RESULTS), "https://github.com/ramiawar/dataline/issues/172"),
    Rule(
        choice_without_tools("'tool_choice' is only allowed when 'tools' are specified."),
        "https://platform.openai.com/docs/api-reference/chat/create",
    ),
    Rule(unknown_choice("Invalid value for 'tool_choice': {}"), "https://platform.openai.com/docs/api-reference/chat/create"),
    Rule(
        stray_results("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
        "https://github.com/simonw/llm/issues/937",
    ),
    *OPENAI_SCHEMAS,
)
ANTHROPIC = (
    Rule(
        tools_missing("Requests which include `tool_use` or `tool_result` blocks must define tools."),
        "https://github.com/anthropics/anthropic-sdk-python/issues/494",
    ),
    Rule(
        results_missing("messages: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}."),
        "https://github.com/anthropics/claude-code/issues/7929",
    ),
    Rule(
        forced_while_thinking("Thinking may not be enabled when tool_choice forces tool use."),
        "https://github.com/langchain-ai/langchain/pull/35544",
    ),
    Rule(empty_turn("messages: text content blocks must be non-empty"), "https://github.com/anthropics/claude-code/issues/59812"),
    Rule(ends_in_thoughts, "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"),
    Rule(
        unknown_choice("Tool '{}' not found in provided tools"),
        "https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ),
    Rule(paused_in_the_middle, "https://github.com/pydantic/pydantic-ai/pull/3051"),
    Rule(
        stray_results("messages: unexpected `tool_use_id` found in `tool_result` blocks."),
        "https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ),
    Rule(
        begins_otherwise('messages: first message must use the "user" role'),
        "https://github.com/langchain-ai/langchain/issues/18851",
    ),
    *ANTHROPIC_SCHEMAS,
)
ANTHROPIC_WITHOUT_PREFILL = (
    *ANTHROPIC,
    Rule(
        ends_with_assistant(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        ),
        "https://github.com/langchain-ai/deepagents/issues/1585",
    ),
)
OLD_ANTHROPIC = (
    *ANTHROPIC,
    Rule(
        kind_of_format("json_schema", "This model does not support output_config.format (structured outputs)"),
        "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
    ),
)
GEMINI = (
    Rule(
        results_missing(
            "Please ensure that the number of function response parts is equal to the number of function call parts of the "
            "function call turn."
        ),
        "https://github.com/google-gemini/gemini-cli/issues/5443",
    ),
    Rule(
        format_beside_tools("Function calling with a response mime type: 'application/json' is unsupported"),
        "https://github.com/googleapis/python-genai/issues/867",
    ),
    Rule(
        empty_turn("Unable to submit request because it must include at least one parts field"),
        "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference",
    ),
    Rule(
        call_after_assistant(
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
        ),
        "https://github.com/google-gemini/gemini-cli/issues/26486",
    ),
    Rule(
        stray_results("Please ensure that function response turn comes immediately after a function call turn."),
        "https://github.com/langchain-ai/langchain/issues/27799",
    ),
    Rule(
        ends_with_assistant("Please ensure that multiturn requests end with a user role or a function response."),
        "https://github.com/crewAIInc/crewAI/pull/6973",
    ),
    *GEMINI_SCHEMAS,
)
MISTRAL = (
    Rule(user_after_tool, "https://github.com/onyx-dot-app/onyx/issues/6458"),
    Rule(stray_results("Unexpected role 'tool' after role 'user'"), "https://github.com/charmbracelet/crush/issues/279"),
    Rule(
        ends_with_assistant("Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"),
        "https://github.com/QuantumNous/new-api/issues/2858",
    ),
    Rule(
        results_missing("Not the same number of function calls and responses"),
        "https://github.com/mistralai/client-ts/issues/106",
    ),
    Rule(
        lambda asked: next(
            (
                f"Tool call id was {call} but must be a-z, A-Z, 0-9, with a length of 9."
                for turn in asked.turns
                for call in turn.calls
                if not (call.isalnum() and len(call) == 9)
            ),
            None,
        ),
        "https://github.com/langchain-ai/langchain/issues/21428",
    ),
    Rule(
        lambda asked: (
            "Assistant message must have either content or tool_calls, but not none."
            if any(turn.is_empty and turn.role == "assistant" for turn in asked.turns)
            else None
        ),
        "https://github.com/mistralai/client-python/issues/414",
    ),
)
GROQ = (
    Rule(results_missing(_OPENAI_RESULTS), "https://console.groq.com/docs/tool-use"),
    Rule(
        format_beside_tools("json mode cannot be combined with tool/function calling"),
        "https://github.com/langchain-ai/langchain/issues/33863",
    ),
    Rule(unknown_choice("requested tool does not exist: {}"), "https://github.com/BerriAI/litellm/issues/11001"),
    Rule(
        lambda asked: (
            "Only allowed string values for 'tool_choice' are none, auto, and required"
            if "tool_choice" in asked.body and asked.body["tool_choice"] is None
            else None
        ),
        "https://github.com/brianpetro/obsidian-smart-connections/issues/942",
    ),
)
DEEPSEEK = (
    Rule(thoughts_missing, "https://github.com/continuedev/continue/issues/10193"),
    Rule(
        lambda asked: (
            in_a_row("deepseek-reasoner does not support successive user or assistant messages.", "user", "assistant")(asked)
            if asked.thinks
            else None
        ),
        "https://github.com/deepseek-ai/DeepSeek-R1/issues/21",
    ),
    Rule(
        stray_results("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"),
        "https://github.com/FoundationAgents/OpenManus/issues/744",
    ),
    Rule(results_missing(_OPENAI_RESULTS), "https://api-docs.deepseek.com/guides/function_calling"),
    Rule(
        kind_of_format("json_schema", "This response_format type is unavailable now"),
        "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
    ),
    Rule(
        forced_while_thinking("Thinking mode does not support this tool_choice"),
        "https://api-docs.deepseek.com/guides/thinking_mode",
    ),
    Rule(
        lambda asked: (
            "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
            if asked.format == "json_object" and "json" not in str(asked.body["messages"]).lower()
            else None
        ),
        "https://api-docs.deepseek.com/guides/json_mode",
    ),
)
OPENROUTER = (
    Rule(results_missing(_OPENAI_RESULTS), "https://openrouter.ai/docs/features/tool-calling"),
    Rule(unknown_choice("Invalid tool_choice: {}"), "https://openrouter.ai/docs/api_reference/overview"),
)
OLLAMA = (
    Rule(
        lambda asked: (
            None
            if all(isinstance(message.get("content", ""), str) for message in asked.body["messages"])
            else "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
        ),
        "https://github.com/ollama/ollama/blob/main/docs/api.md",
    ),
)
BEDROCK = (
    Rule(
        tools_missing("The toolConfig field must be defined when using toolUse and toolResult content blocks."),
        "https://github.com/vxcontrol/pentagi/pull/196",
    ),
    Rule(
        results_missing("Expected toolResult blocks for the following Ids: {ids}"),
        "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html",
    ),
    Rule(
        forced_while_thinking("Thinking may not be enabled when tool_choice forces tool use."),
        "https://github.com/can1357/oh-my-pi/issues/341",
    ),
    Rule(
        in_a_row("A conversation must alternate between user and assistant roles.", "user", "assistant", "tool"),
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    ),
    Rule(
        empty_turn("The text field in the ContentBlock object is blank."),
        "https://github.com/langchain-ai/langchain-aws/issues/591",
    ),
    Rule(
        begins_otherwise("A conversation must start with a user message."),
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    ),
    *BEDROCK_SCHEMAS,
)
LLAMA_CPP = (
    Rule(broken_arguments, "https://github.com/ggml-org/llama.cpp/issues/25510"),
    Rule(
        lambda asked: (
            "Cannot use custom grammar constraints with tools."
            if asked.tools and asked.choice != "none" and "grammar" in asked.body
            else None
        ),
        "https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp",
    ),
    Rule(
        in_a_row("Cannot have 2 or more assistant messages at the end of the list.", "assistant", at_the_end=True),
        "https://github.com/amd/gaia/issues/1667",
    ),
    *LLAMA_CPP_SCHEMAS,
)
VLLM = (
    Rule(broken_arguments, "https://github.com/vllm-project/vllm/pull/48922"),
    Rule(
        unknown_choice("The tool specified in `tool_choice` does not match any of the specified `tools`: {}"),
        "https://docs.vllm.ai/en/latest/features/tool_calling.html",
    ),
    Rule(
        choice_without_tools("When using `tool_choice`, `tools` must be set."),
        "https://docs.vllm.ai/en/latest/features/tool_calling.html",
    ),
)
