"""The settings that are compared: prompt, response format and checks."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.utils.function_calling import convert_to_openai_tool

from answergraph import AgentGraph, DeferredStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.evidence import ToolRun
from answergraph.experiment.seed_experiment import (
    HALF_A_HUNDREDTH,
    NO_FORMAT_NAMED_PROMPT,
    NO_FORMAT_PROMPT,
    SYSTEM_PROMPT,
    TOOLS,
    CalculationResult,
    RequiredValidation,
    SchemaWithValidation,
    validate_calculation,
)
from answergraph.middleware import RequireTools

LIMITS = UsageLimits(model_calls=50)
"""For every setting: runs without a format must end, too."""


def confirms(run: ToolRun, answer: float) -> bool:
    if run.name != validate_calculation.name or not isinstance(run.value, dict) or run.value.get("is_correct") is not True:
        return False
    actual = run.args.get("actual")
    return isinstance(actual, int | float) and abs(actual - answer) < HALF_A_HUNDREDTH


def validates_the_answer(run: ToolRun, answer: Any) -> bool:
    """Call validate_calculation with your final_answer as the actual result, and see it confirmed."""
    return answer is not None and confirms(run, answer.final_answer)


@dataclass(frozen=True)
class Setting:
    """One way to put the ten questions."""

    name: str
    about: str
    """Its purpose, in a few words."""
    prompt: str = SYSTEM_PROMPT
    response_format: Any = None
    """How the answer is requested; ``None`` for text."""
    strategies: frozenset[str] = frozenset()
    """The strategies that an outcome may name; any other means that the run does not count."""
    middleware: Sequence[RequireTools] = ()

    def agent(self, model: str | BaseChatModel) -> AgentGraph:
        """Return the agent of this setting; raise ``AgentSpecError`` if the model does not support it."""
        # An answer beside tool calls counts, as in the original experiment.
        agent: AgentGraph = create_agent(
            model,
            list(TOOLS),
            system_prompt=self.prompt,
            response_format=self.response_format,
            middleware=list(self.middleware),
            end_strategy="defer" if self.response_format is None else "exhaustive",
            limits=LIMITS,
        )
        return agent

    @property
    def schema_names(self) -> set[str]:
        return set() if self.response_format is None else set(self.response_format.schema_names)

    @cached_property
    def fingerprint(self) -> str:
        """A hash that changes whenever the setting's requests do."""
        schemas = [schema.json_schema for schema in self.response_format.schemas] if self.response_format else []
        tools = [convert_to_openai_tool(tool) for tool in TOOLS]
        parts = [self.name, self.prompt, sorted(self.strategies), schemas, tools, [each.name for each in self.middleware]]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def _tool(name: str, about: str, schema: type[object], middleware: Sequence[RequireTools] = ()) -> Setting:
    return Setting(name, about, response_format=ToolStrategy(schema), strategies=frozenset({"tool"}), middleware=middleware)


def _provider(name: str, about: str, schema: type[object]) -> Setting:
    # Strict modes cannot express the field, an open map. Without the field the schema would be strict: a second difference.
    strategy: ProviderStrategy = ProviderStrategy(schema, strict=False)
    return Setting(name, about, response_format=strategy, strategies=frozenset({"provider"}))


_PROMPTED: PromptedStrategy = PromptedStrategy(SchemaWithValidation)
_DEFERRED: DeferredStrategy = DeferredStrategy(ToolStrategy(SchemaWithValidation))
_GUARDED = (RequireTools(validates_the_answer),)

SETTINGS: tuple[Setting, ...] = (
    Setting("no_format", "the seed: no format, a prompt that asks for JSON", NO_FORMAT_PROMPT),
    _tool("tool_strategy", "the seed: the schema is a tool", SchemaWithValidation),
    _provider("provider_strategy", "the seed: the provider's own mode", SchemaWithValidation),
    Setting("prompted", "the schema is in the prompt", SYSTEM_PROMPT, _PROMPTED, frozenset({"prompted"})),
    # The free loop's last text may already be the answer.
    Setting("deferred", "the schema comes after the tools", SYSTEM_PROMPT, _DEFERRED, frozenset({"deferred", "tool"})),
    _tool("require_tools", "as tool_strategy; no answer counts before its validation", SchemaWithValidation, _GUARDED),
    Setting("no_format_named", "control: the prompt names the field", NO_FORMAT_NAMED_PROMPT),
    _tool("tool_no_field", "control: no field", CalculationResult),
    _provider("provider_no_field", "control: no field", CalculationResult),
    _tool("tool_required", "control: the field is required", RequiredValidation),
    _provider("provider_required", "control: the field is required", RequiredValidation),
)
"""The seed's three settings, ours, and the controls, in display order."""

COMPARED: Mapping[str, str] = {
    **dict.fromkeys(("tool_strategy", "provider_strategy", "no_format_named"), "no_format"),
    **dict.fromkeys(("prompted", "deferred", "require_tools", "tool_no_field", "tool_required"), "tool_strategy"),
    **dict.fromkeys(("provider_no_field", "provider_required"), "provider_strategy"),
}
"""The baseline of each setting; docs/experiment.md says why."""
