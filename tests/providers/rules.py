"""What each API refuses, in its own words, with a source beside each rule."""

from collections.abc import Callable
from itertools import pairwise

from tests.providers.dialogue import JSON, Asked, Rule

STRICT_KEYS = {"minimum", "maximum", "minLength", "maxLength", "multipleOf"}


def _unanswered(asked: Asked) -> list[str]:
    """Return the ids of calls whose results do not come right behind them."""
    missing: list[str] = []
    waiting: list[str] = []
    for turn in asked.turns:
        if turn.results:
            waiting = [call for call in waiting if call not in turn.results]
            continue
        if turn.role == "assistant" and turn.calls:
            # The Responses API has an item for each call.
            waiting += turn.calls
            continue
        missing, waiting = [*missing, *waiting], []
    return [*missing, *waiting]


def results_missing(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words.format(ids=", ".join(left)) if (left := _unanswered(asked)) else None


def tools_missing(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if not asked.tools and any(turn.calls or turn.results for turn in asked.turns) else None


def empty_turn(words: str) -> Callable[[Asked], str | None]:
    return lambda asked: words if any(turn.is_empty for turn in asked.turns) else None


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


def keywords(words: str, refused: set[str]) -> Callable[[Asked], str | None]:
    def broken_by(asked: Asked) -> str | None:
        found = sorted(refused.intersection(_keys(asked.schema or {})))
        return words.format(found[0]) if found else None

    return broken_by


def _keys(schema: JSON) -> set[str]:
    own = set(schema)
    for value in schema.values():
        for each in value if isinstance(value, list) else [value]:
            own |= _keys(each) if isinstance(each, dict) else set()
    return own


def _open_object(asked: Asked) -> str | None:
    schema = asked.schema or {}
    is_open = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    words = (
        "Invalid schema for response_format '{}': In context=(), 'additionalProperties' is required to be supplied "
        "and to be false."
    )
    return words.format(schema.get("title")) if is_open and asked.body.get("model", "").startswith("gpt") else None


def _user_after_tool(asked: Asked) -> str | None:
    broken = any(before.role == "tool" and after.role == "user" for before, after in pairwise(asked.turns))
    return "Unexpected role 'user' after role 'tool'" if broken else None


def _thoughts_missing(asked: Asked) -> str | None:
    missing = [i for i, turn in enumerate(asked.turns) if turn.calls and not turn.has_thoughts]
    words = "Missing `reasoning_content` field in the assistant message at message index {}."
    return words.format(missing[0]) if asked.thinks and missing else None


def _ends_in_thoughts(asked: Asked) -> str | None:
    words = "messages.{}: The final block in an assistant message cannot be `thinking`."
    ends = [i for i, turn in enumerate(asked.turns) if turn.role == "assistant" and turn.has_thoughts and not turn.calls]
    return words.format(ends[0]) if ends else None


def _paused_in_the_middle(asked: Asked) -> str | None:
    blocks = [(i, str(message["content"])) for i, message in enumerate(asked.body.get("messages", ()))]
    words = (
        "messages.{}: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block"
    )
    followed = [message["role"] for message in asked.body.get("messages", ())][1:]
    open_ones = [i for i, text in blocks if "server_tool_use" in text and "user" in followed[i : i + 1]]
    return words.format(open_ones[0]) if open_ones else None


_OPENAI_RESULTS = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {ids}"
)
OPENAI = (
    Rule(results_missing(_OPENAI_RESULTS), "https://github.com/ramiawar/dataline/issues/172"),
    Rule(
        choice_without_tools("'tool_choice' is only allowed when 'tools' are specified."),
        "https://platform.openai.com/docs/api-reference/chat/create",
    ),
    Rule(unknown_choice("Invalid value for 'tool_choice': {}"), "https://platform.openai.com/docs/api-reference/chat/create"),
    Rule(_open_object, "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas"),
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
    Rule(_ends_in_thoughts, "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"),
    Rule(
        unknown_choice("Tool '{}' not found in provided tools"),
        "https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    ),
    Rule(_paused_in_the_middle, "https://github.com/pydantic/pydantic-ai/pull/3051"),
    Rule(
        keywords("output_config.format.schema: For 'integer' type, property '{}' is not supported", STRICT_KEYS),
        "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
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
)
MISTRAL = (
    Rule(_user_after_tool, "https://github.com/onyx-dot-app/onyx/issues/6458"),
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
    Rule(_thoughts_missing, "https://github.com/continuedev/continue/issues/10193"),
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
        lambda asked: (
            "A conversation must alternate between user and assistant roles."
            if any(before.role == after.role for before, after in pairwise(asked.turns))
            else None
        ),
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    ),
    Rule(
        empty_turn("The text field in the ContentBlock object is blank."),
        "https://github.com/langchain-ai/langchain-aws/issues/591",
    ),
)
LLAMA_CPP = (
    Rule(
        lambda asked: (
            "Cannot use custom grammar constraints with tools."
            if asked.tools and asked.choice != "none" and "grammar" in asked.body
            else None
        ),
        "https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp",
    ),
)
VLLM = (
    Rule(
        unknown_choice("The tool specified in `tool_choice` does not match any of the specified `tools`: {}"),
        "https://docs.vllm.ai/en/latest/features/tool_calling.html",
    ),
    Rule(
        choice_without_tools("When using `tool_choice`, `tools` must be set."),
        "https://docs.vllm.ai/en/latest/features/tool_calling.html",
    ),
)
