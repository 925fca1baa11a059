"""Middleware that accepts an answer only after certain tools have succeeded."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from answergraph.asking.model_request import ModelRequest
from answergraph.asking.providers.model_capabilities import refuses_forced_tools
from answergraph.asking.strategies.declared_format import strategy_of
from answergraph.evidence.marks import Abstention
from answergraph.middleware.base import AgentMiddleware
from answergraph.runtime.argument_checks import check_function, holds, one_of, shown, tool_names
from answergraph.runtime.errors import AgentSpecError, AnswerRejected
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.state.tool_results import EvidenceState, ToolRun, results_of_run

Mode = Literal["hold", "hide"]
"""How to treat an early answer."""

Predicate = Callable[[ToolRun, Any], bool]
"""Whether a tool call supports an answer; the answer is ``None`` before there is one."""

_FOR_A_TOOL = " A tool is required by its name, RequireTools({name!r})."
_MISSING = "Your answer does not count yet: {missing}. Do that now, then give your answer again."


@explains_arguments('RequireTools("read_log")')
class RequireTools(AgentMiddleware):
    """Accept an answer only after these tools have succeeded in this run.

    An ``Abstention`` needs none of them: it says that there is no answer.

    Example:
        >>> RequireTools("validate_evidence").name
        'RequireTools(validate_evidence)'
        >>> def checked(run, answer):
        ...     '''validate the total you answer with'''
        ...     return run.name == "validate" and (answer is None or run.args["total"] == answer.total)
        >>> RequireTools(checked, mode="hide").name
        'RequireTools(checked)'
    """

    state_schema = EvidenceState

    def __init__(
        self, *required: str | BaseTool | Sequence[str | BaseTool] | Predicate, mode: Mode = "hold", missing: str | None = None
    ) -> None:
        """Require tool calls.

        Args:
            *required: Tools or their names, alone or in sequences: each must have succeeded. Or predicates of a call and the
                answer: each must hold for a call that succeeded.
            mode: With ``"hold"`` an early answer is sent back with the missing steps; with ``"hide"`` it is not offered either.
            missing: The missing steps for the model, as a clause; by default the tools to call, and the predicate's docstring.

        Raises:
            AgentSpecError: If nothing is required, or the mode is unknown.
        """
        super().__init__()
        predicates = [each for each in required if callable(each) and not isinstance(each, BaseTool)]
        self.predicates = [
            check_function(f"RequireTools({shown(each)})", each, "run", "answer", instead=_FOR_A_TOOL.format(name=shown(each)))
            for each in predicates
        ]
        self.named_tools = [name for each in required if each not in predicates for name in tool_names("RequireTools", each)]
        if not self.named_tools and not self.predicates:
            raise AgentSpecError('RequireTools needs a tool or a predicate; write RequireTools("NAME").')
        self.mode = one_of("mode", Mode, mode)
        self.missing = missing

    @property
    def name(self) -> str:
        """The class and its requirements, so that one agent may have several."""
        return f"{type(self).__name__}({', '.join([*self.named_tools, *map(_name_of, self.predicates)])})"

    def modify_model_request(self, request: ModelRequest) -> ModelRequest:
        """Offer only an abstention until the tools have run, if the mode is ``"hide"``."""
        if self.mode == "hold" or request.response_format is None or not (unmet := self._unmet(request.state, None)):
            return request
        until = self.missing or "; ".join(unmet)
        declared = strategy_of(request)
        types = {schema.name: schema.declared for schema in declared.schemas}
        abstaining = [name for name, kind in types.items() if isinstance(kind, type) and issubclass(kind, Abstention)]
        if abstaining:
            return request.override(response_format=declared.narrowed(abstaining), withheld_until=until)
        forced = request.tools and not refuses_forced_tools(request.model)
        # With only tools offered, a model would otherwise answer in text.
        choice = "any" if request.tool_choice is None and forced else request.tool_choice
        return request.override(response_format=None, tool_choice=choice, withheld_until=until)

    def check_answer(self, answer: object, state: Any, runtime: Runtime) -> None:
        """Reject an early answer.

        Raises:
            AnswerRejected: If a required tool has not succeeded in this run.
        """
        if not isinstance(answer, Abstention) and (unmet := self._unmet(state, answer)):
            raise AnswerRejected(_MISSING.format(missing=self.missing or "; ".join(unmet)))

    def _unmet(self, state: Any, answer: object) -> list[str]:
        runs = [run for run in results_of_run(state) if run.succeeded]
        succeeded = {run.name for run in runs}
        unmet = [f"first call {name}" for name in self.named_tools if name not in succeeded]
        return unmet + [_clause(each) for each in self.predicates if not any(holds(each, run, answer) for run in runs)]


def _name_of(predicate: Predicate) -> str:
    return str(getattr(predicate, "__name__", type(predicate).__name__))


def _clause(predicate: Predicate) -> str:
    words = (inspect.getdoc(predicate) or _name_of(predicate)).splitlines()[0].rstrip(".")
    return f"first {words[:1].lower()}{words[1:]}"
