"""What trace spans record: by a middleware's ``trace_policy``, and never the agent's private keys."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from langgraph.types import TracePolicy
from langsmith import traceable  # langchain-core, which traces with it, requires it

from answergraph.runtime.langchains_agent import langchains_agent
from answergraph.state.own_keys import for_trace


def hook_policy(middleware: object) -> TracePolicy:
    """Return the policy of a middleware's hooks: its own or LangChain's default, looked up per call."""
    return TracePolicy(
        process_inputs=partial(_processed, middleware, "process_inputs"),
        process_outputs=partial(_processed, middleware, "process_outputs"),
    )


def traced(middleware: Any, name: str, hook: Callable[..., object]) -> Callable[..., Any]:
    """Return a wrapping hook with its own span, named as in LangChain."""
    spanned: Callable[..., object] = traceable(
        name=f"{middleware.name}.{name}",
        process_inputs=lambda inputs: _processed(middleware, "process_inputs", _recordable(inputs)),
        process_outputs=partial(_processed, middleware, "process_outputs"),
    )(hook)
    return spanned


def _recordable(inputs: Mapping[str, object]) -> dict[str, object]:
    """Omit the handler and the request's runtime."""
    recorded = {name: value for name, value in inputs.items() if name != "handler"}
    request = recorded.get("request")
    if is_dataclass(request):
        recordable = {field.name: getattr(request, field.name) for field in fields(request) if field.name != "runtime"}
        recorded["request"] = {**recordable, "state": for_trace(recordable.get("state"))}
    return recorded


def _processed(middleware: object, step: str, recorded: object) -> Any:
    policy = getattr(middleware, "trace_policy", None)
    if policy is None and "langchain.agents.middleware" in sys.modules:  # otherwise no default is set
        policy = langchains_agent().trace_policy
    process = getattr(policy, step, None)
    recorded = for_trace(recorded)
    return recorded if process is None else process(recorded)
