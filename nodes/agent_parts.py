"""The parts of an agent that its nodes use."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool

from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.run_time_format import RunTimeFormat
from answergraph.nodes.answer_checks import AnswerCheck
from answergraph.nodes.external_tool import described_name
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.ledger import RepairMode
from answergraph.state.outcome import EndStrategy
from answergraph.state.turn import CallNames
from answergraph.state.usage import UsageLimits

UNKNOWN_TOOLS = """
Middleware added tools that the agent doesn't know how to execute.

Unknown tools: {unknown}
Registered tools: {registered}

Pass them to `create_agent(tools=[...])`, set them as `tools` on the middleware, or run them yourself in `wrap_tool_call`:
`return handler(request.override(tool=my_dynamic_tool))`.
""".strip()


@dataclass(frozen=True)
class AgentParts:
    """The parts of an agent."""

    model: BaseChatModel
    tools: tuple[BaseTool, ...]
    """The tools that run here, the middleware's first."""
    external_tools: tuple[BaseTool, ...]
    """The tools executed elsewhere."""
    provider_tools: tuple[dict[str, object], ...]
    """The provider's tools, and external tools described by a ``dict``."""
    system_message: SystemMessage | None
    format: DeclaredFormat | RunTimeFormat
    keys: AnswerKeys
    limits: UsageLimits
    end_strategy: EndStrategy
    """How to treat an answer beside tool calls."""
    repair: RepairMode
    """How an answer that is wrong in some fields is asked for again."""
    checks: tuple[AnswerCheck, ...]
    """The checks of a valid answer, the middleware's first."""
    name: str | None
    """The name on the agent's messages."""
    runs_any_tool: bool
    """Whether a ``wrap_tool_call`` hook may run tools the agent does not know."""
    interrupts: frozenset[str]
    """The names of the tools that a person must approve."""

    @cached_property
    def has_tools(self) -> bool:
        """Whether the graph needs a ``tools`` node; a ``wrap_tool_call`` hook may run its own tools."""
        return bool(self.tools) or self.runs_any_tool

    @cached_property
    def external(self) -> frozenset[str]:
        """The names of the tools executed elsewhere."""
        # A ``wrap_tool_call`` hook may run tools described by a dict.
        described = () if self.runs_any_tool else map(described_name, self.provider_tools)
        own = {tool.name for tool in self.tools}
        return frozenset({tool.name for tool in self.external_tools} | {name for name in described if name and name not in own})

    @cached_property
    def reviewed_answers(self) -> frozenset[str]:
        """The answers that middleware shows to a person, as LangChain's does for ``interrupt_on``."""
        # The names of a run-time format are unknown; the tools' are known.
        answers = self.format.declared or self.interrupts - {tool.name for tool in self.tools}
        return answers & self.interrupts if self.format.reads_answers else frozenset()

    @cached_property
    def reviews(self) -> bool:
        """Whether a person decides about the fields that stay doubtful."""
        return any(getattr(getattr(check, "__self__", None), "on_doubt", None) == "review" for check in self.checks)

    @cached_property
    def return_direct(self) -> dict[str, bool]:
        """Per tool, whether its result ends the run."""
        return {tool.name: tool.return_direct for tool in self.tools}

    @cached_property
    def call_names(self) -> CallNames:
        """The names that sort the calls of a reply."""
        return CallNames(
            answers=self.format.declared,
            at_run_time=self.format.reads_answers and not self.format.declared,
            external=self.external,
            returns_directly=self.return_direct,
            reviewed=self.reviewed_answers,
        )

    @cached_property
    def offered_tools(self) -> tuple[BaseTool | dict[str, object], ...]:
        """The tools that the model may call."""
        return (*self.tools, *self.external_tools, *self.provider_tools)

    def refuse_unknown_tools(self, tools: Sequence[object]) -> None:
        """Raise ``ValueError`` if middleware added tools that the agent cannot run."""
        registered = {tool.name for tool in self.offered_tools if isinstance(tool, BaseTool)}
        unknown = [tool.name for tool in tools if isinstance(tool, BaseTool) and tool.name not in registered]
        if unknown:
            raise ValueError(UNKNOWN_TOOLS.format(unknown=unknown, registered=sorted(registered)))
