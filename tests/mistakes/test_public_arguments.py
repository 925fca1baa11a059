"""A wrong, missing or misspelt argument of a public name is refused with the name, and what to write."""

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import pytest

import answergraph
from answergraph import AgentSpecError, create_agent, evidence, graphs, testing
from answergraph.middleware import before_model
from answergraph.runtime.lazy_imports import ROOMS
from tests.mistakes.prelude import MODEL

CLASSES = {
    *("AnswerTransformer", "ArrowMap", "AutoStrategy", "BatchAPI", "Case", "DeferredStrategy", "Derived"),
    *("FallbackStrategy", "FromContext", "FromTools", "Grounded", "HideAnswerCalls", "JudgedBy", "NarrowResponseFormat"),
    *("PromptedStrategy", "ProviderStrategy", "Quote", "ReActTextModel", "RequireTools", "Tape", "ToolStrategy", "UsageLimits"),
    *("WorkflowLimits", "WorkflowStep"),
}
"""Classes that users make. Of the others, Python itself names the class and the argument."""


def public_callables() -> list[Any]:
    rooms = [import_module(room) for room in ROOMS if room != "answergraph.kit"]
    named = {name: getattr(room, name) for room in rooms for name in room.__all__}
    assert named.keys() >= CLASSES
    return [pytest.param(value, id=name) for name, value in named.items() if inspect.isfunction(value) or name in CLASSES]


def takes(target: Callable[..., object], kind: Any) -> bool:
    return any(each.kind is kind for each in inspect.signature(target).parameters.values())


@pytest.mark.parametrize("target", public_callables())
def test_wrong_arguments_are_refused_with_what_to_write(target: Callable[..., object]) -> None:
    wrong: list[tuple[tuple[object, ...], dict[str, object]]] = []
    if not takes(target, inspect.Parameter.VAR_KEYWORD):
        wrong.append(((), {"misspelt_argument": 1}))
    if not takes(target, inspect.Parameter.VAR_POSITIONAL):
        wrong.append((tuple(range(20)), {}))
    needed = [each for each in inspect.signature(target).parameters.values() if each.default is each.empty]
    if any(each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in needed):
        wrong.append(((), {}))
    assert wrong
    for args, kwargs in wrong:
        call: Any = partial(target, *args, **kwargs)
        with pytest.raises(AgentSpecError) as mistake:
            asyncio.run(call()) if inspect.iscoroutinefunction(target) else call()
        assert is_told(target, str(mistake.value))


def is_told(target: Callable[..., object], message: str) -> bool:
    return message.startswith(f"{target.__name__}: ") and " Write " in message


MISTAKES = [
    ("as_tool()", "as_tool: missing a required argument: 'agent'. Write as_tool(agent, description=…)."),
    ("as_tool(AGENT)", "as_tool: missing a required argument: 'description'. Write as_tool(agent, description=…)."),
    ("create_agent()", "create_agent: missing a required argument: 'model'. Write create_agent(model)."),
    ("FromTools(5)", "FromTools: units=5 is not str or Sequence or Mapping. Write Annotated[float, FromTools()]."),
    ("create_workflow('plan')", "create_workflow: steps='plan' is not Sequence. Write create_workflow(steps)."),
    ("create_judge(MODEL, 5)", "create_judge: rules=5 is not Sequence. Write create_judge(model, rules)."),
    ("load_workflow(5)", "load_workflow: path=5 is not str or Path. Write load_workflow(path)."),
    ("create_ensemble(5)", "create_ensemble: agents=5 is not Sequence. Write create_ensemble(agents)."),
    ("evaluate(AGENT, 5)", "evaluate: cases=5 is not Iterable or str or Path. Write evaluate(agent, cases)."),
    (
        "evaluate(AGENT, Case('hi', 1))",
        "evaluate: cases=Case(inputs='hi', expected_output=1, name=None, metadata={}) is one Case, not several: "
        "put it into a list. Write evaluate(agent, cases).",
    ),
    ("replay(5, AGENT)", "replay: tape=5 is not Tape or str or Path. Write replay(tape, agent)."),
    (
        "create_extractor(MODEL, int, sources=5)",
        "create_extractor: got an unexpected keyword argument 'sources'. Did you mean 'store'? "
        "Write create_extractor(model, schema).",
    ),
    (
        "create_extractor(MODEL, int, response_format=int)",
        "create_extractor: got an unexpected keyword argument 'response_format'. Write create_extractor(model, schema).",
    ),
    (
        "create_calculator(usage_limits=5)",
        "create_calculator: got an unexpected keyword argument 'usage_limits'. Write limits=UsageLimits(…). "
        "Write create_calculator(model=…, response_format=…, middleware=…).",
    ),
    (
        "create_react(MODEL, [], tool=[])",
        "create_react: got an unexpected keyword argument 'tool'. Did you mean 'tools'? "
        "Write create_react(model=…, tools=…, handle_parsing_errors=…).",
    ),
    (
        "create_workflow([], budget=5)",
        "create_workflow: got an unexpected keyword argument 'budget'. Did you mean 'limits'? Write create_workflow(steps).",
    ),
    ("create_triage_agent(MODEL, name=5)", "create_triage_agent: name=5 is not a text; write name='…'."),
    ("create_ensemble([AGENT], name=b'both')", "create_ensemble: name=b'both' is not a text; write name='…'."),
    ("create_judge(MODEL, [], grounded='no')", "create_judge(grounded='no'): write True or False."),
    *(
        (f"{name}({arguments}, debug='no')", f"{name}(debug='no'): write True or False.")
        for name, arguments in (
            ("create_agent", "MODEL"),
            ("create_calculator", "MODEL"),
            ("create_extractor", "MODEL, int"),
            ("create_react", "MODEL, []"),
        )
    ),
    ("create_react(MODEL, [], name=5)", "create_react: name=5 is not a text; write name='…'."),
    ("Tape(5)", "Tape: records=5 is not Collection. Write Tape(records)."),
]
NAMES: dict[str, Any] = {"AGENT": create_agent(MODEL), "MODEL": MODEL, "FromTools": evidence.FromTools}
for room in (answergraph, graphs, testing):
    NAMES |= {name: getattr(room, name) for name in room.__all__}


@pytest.mark.parametrize(("program", "message"), MISTAKES, ids=[program for program, _ in MISTAKES])
def test_the_message_says_what_to_write(program: str, message: str) -> None:
    with pytest.raises(AgentSpecError) as mistake:
        eval(program, dict(NAMES))  # the programs are lines of ours
    assert str(mistake.value) == message


def test_an_error_inside_a_function_stays_as_it_is() -> None:
    @before_model
    def hook(state: Any, runtime: Any) -> Any:
        return state["missing"].part

    with pytest.raises(KeyError):
        create_agent(MODEL, middleware=[hook]).invoke({"messages": ["Go."]})
