"""Twelve programs like those of LangChain's documentation and examples; each receives ``create_agent``.

A program runs its agent and returns the visible result and all messages. Everything except ``create_agent`` is LangChain's.
"""

from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from langchain.agents.middleware import (
    AgentState,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    ToolRetryMiddleware,
    dynamic_prompt,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolRuntime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel

from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.langchain_programs import call, decision, said

THREAD: Any = {"configurable": {"thread_id": "1"}}


@dataclass
class User:
    """Who asks."""

    user_id: str
    role: str = "beginner"


def scripted(*replies: Any) -> ScriptedChatModel:
    # Each run gets new scripted messages, because the agents write ids into them.
    return ScriptedChatModel(replies=[each.model_copy(deep=True) if isinstance(each, AIMessage) else each for each in replies])


def says(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


@tool
def forecast(city: str, runtime: ToolRuntime[User]) -> str:
    """Tell the weather."""
    if runtime.stream_writer is not None:
        runtime.stream_writer(f"asking about {city}")
    return f"Sun in {city}."


@tool
def home(runtime: ToolRuntime[User]) -> str:
    """Say where the user lives."""
    return "Oslo" if runtime.context.user_id == "1" else "Bern"


@dataclass
class Weather:
    """What the user is told."""

    pun: str
    conditions: str | None = None


def weather_with_memory(run: Any, create_agent: Any) -> Any:
    answer = said(call("Weather", "3", pun="Bright idea.", conditions="sun"))
    thanks = said(call("Weather", "4", pun="Any sun."))
    model = scripted(said(call("home")), said(call("forecast", "2", city="Oslo")), answer, thanks)
    options = {"context_schema": User, "response_format": ToolStrategy(Weather), "checkpointer": InMemorySaver()}
    agent = create_agent(model, [forecast, home], system_prompt="You make puns.", **options)
    return [run(agent, says(text), THREAD, context=User("1")) for text in ("What is the weather outside?", "Thanks!")]


def prompt_by_role(run: Any, create_agent: Any) -> Any:
    @dynamic_prompt
    def by_role(request: Any) -> str:
        return "Go into detail." if request.runtime.context.role == "expert" else "Keep it simple."

    model = scripted("Simply so.", "In detail: so.")
    agent = create_agent(model, [], middleware=[by_role], context_schema=User)
    seen = [run(agent, says("What is a monad?"), context=User("1", role)) for role in ("beginner", "expert")]
    return seen, [request.messages[0].content for request in model.requests]


def model_by_length(run: Any, create_agent: Any) -> Any:
    small, large = scripted("short"), scripted("long")

    class ByLength(TodoListMiddleware):
        """Takes the larger model for a longer conversation; both colours, as an app that streams needs."""

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(model=large if len(request.messages) > 1 else small))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(model=large if len(request.messages) > 1 else small))

    agent = create_agent(small, [forecast], middleware=[ByLength()], checkpointer=InMemorySaver())
    return [run(agent, says(text), THREAD) for text in ("Hi.", "And now?")]


def a_tool_that_is_tried_again(run: Any, create_agent: Any) -> Any:
    tries: list[str] = []

    @tool
    def flaky(query: str) -> str:
        """Search a service that is often down."""
        tries.append(query)
        if len(tries) < 3:
            raise ConnectionError("down")
        return "found"

    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    agent = create_agent(scripted(said(call("flaky", query="x")), "Found it."), [flaky], middleware=[retry])
    return run(agent, says("Search.")), tries


def mail_with_approval(run: Any, create_agent: Any) -> Any:
    sent: list[str] = []

    @tool
    def send_email(to: str, body: str) -> str:
        """Send an email."""
        sent.append(f"{to}: {body}")
        return "sent"

    ask = HumanInTheLoopMiddleware(interrupt_on={"send_email": True, "forecast": False})
    model = scripted(said(call("send_email", to="eve", body="Hi"), call("forecast", "2", city="Oslo")), "Sent.")
    agent = create_agent(model, [send_email, forecast], middleware=[ask], checkpointer=InMemorySaver())
    edited = {"name": "send_email", "args": {"to": "bob", "body": "Hello"}}
    seen = [run(agent, given, THREAD) for given in (says("Mail eve."), decision(type="edit", edited_action=edited))]
    return seen, sent


def a_long_talk_that_is_summed_up(run: Any, create_agent: Any) -> Any:
    summing = SummarizationMiddleware(model=scripted("They talk about Bob."), trigger=("messages", 4), keep=("messages", 1))
    model = scripted("Hi Bob.", "A poem.", "You are Bob.")
    agent = create_agent(model, [], middleware=[summing], checkpointer=InMemorySaver())
    return [run(agent, says(text), THREAD) for text in ("I am Bob.", "Write a poem.", "Who am I?")]


def mail_addresses_taken_out(run: Any, create_agent: Any) -> Any:
    model = scripted("Noted.")
    agent = create_agent(model, [], middleware=[PIIMiddleware("email", strategy="redact", apply_to_input=True)])
    return run(agent, says("I am bob@example.com.")), [message.content for message in model.requests[0].messages]


def a_list_of_things_to_do(run: Any, create_agent: Any) -> Any:
    todos = [{"content": "look", "status": "in_progress"}]
    done = [{"content": "look", "status": "completed"}]
    model = scripted(said(call("write_todos", todos=todos)), said(call("write_todos", "2", todos=done)), "All done.")
    agent = create_agent(model, [forecast], middleware=[TodoListMiddleware(), ModelCallLimitMiddleware(run_limit=5)])
    return run(agent, says("Plan it."))


def a_supervisor_of_two(run: Any, create_agent: Any) -> Any:
    def worker(name: str, *replies: Any) -> Any:
        helper = create_agent(scripted(*replies), [forecast], name=name)

        def ask(request: str) -> str:
            return str(helper.invoke(says(request))["messages"][-1].text)

        async def aask(request: str) -> str:
            return str((await helper.ainvoke(says(request)))["messages"][-1].text)

        described = tool(name, description=f"Ask the {name}.")
        made = described(ask)
        made.coroutine = aask
        return made

    class Booked(BaseModel):
        """What was booked."""

        day: str

    calendar = worker("calendar", said(call("forecast", city="Oslo")), "Tuesday is free.")
    mail = worker("mail", "The mail is out.")
    model = scripted(
        said(call("calendar", request="When?"), call("mail", "2", request="Invite.")), said(call("Booked", "3", day="Tue"))
    )
    agent = create_agent(model, [calendar, mail], response_format=ToolStrategy(Booked), name="supervisor")
    return run(agent, says("Book a meeting."))


class Desk(AgentState[Any]):
    """Where a customer stands."""

    step: NotRequired[Literal["warranty", "solution"]]


def a_desk_with_steps(run: Any, create_agent: Any) -> Any:
    @tool
    def record_warranty(status: str, runtime: ToolRuntime) -> Command[Any]:
        """Write down whether there is a warranty."""
        told = ToolMessage(f"Warranty: {status}", tool_call_id=runtime.tool_call_id)
        return Command(update={"messages": [told], "step": "solution"})

    class OfStep(TodoListMiddleware):
        def _of_step(self, request: Any) -> Any:
            is_known = request.state.get("step") == "solution"
            return request.override(tools=[forecast] if is_known else [record_warranty])

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(self._of_step(request))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(self._of_step(request))

    model = scripted(said(call("record_warranty", status="in")), "We mend it.", "Bye.")
    options = {"middleware": [OfStep()], "state_schema": Desk, "checkpointer": InMemorySaver()}
    agent = create_agent(model, [record_warranty, forecast], **options)
    seen = [run(agent, says(text), THREAD) for text in ("My phone broke.", "Thanks.")]
    return seen, [[each["function"]["name"] for each in request.tools] for request in model.requests]


def what_is_known_of_a_user(run: Any, create_agent: Any) -> Any:
    @tool
    def save_name(name: str, runtime: ToolRuntime[User]) -> str:
        """Remember the user's name."""
        memory: Any = runtime.store
        memory.put(("users",), runtime.context.user_id, {"name": name})
        return "saved"

    @tool
    def read_name(runtime: ToolRuntime[User]) -> str:
        """Read the user's name."""
        memory: Any = runtime.store
        item = memory.get(("users",), runtime.context.user_id)
        return str(item.value["name"]) if item else "unknown"

    model = scripted(said(call("save_name", name="Ada")), "Hello Ada.", said(call("read_name")), "You are Ada.")
    agent = create_agent(model, [save_name, read_name], store=InMemoryStore(), context_schema=User)
    return [run(agent, says(text), context=User("1")) for text in ("I am Ada.", "Who am I?")]


def a_page_that_shows_a_run(run: Any, create_agent: Any) -> Any:
    model = scripted(said(call("forecast", city="Oslo"), text="Let me look."), "Sunny in Oslo.")
    agent = create_agent(model, [forecast], context_schema=User, name="weather")
    modes = ["updates", "messages", "custom"]
    parts = run.stream(agent, says("Weather?"), THREAD, stream_mode=modes, context=User("1"))
    written = [data for mode, data in parts if mode == "custom"]
    nodes = [list(data) for mode, data in parts if mode == "updates"]
    text = "".join(data[0].text for mode, data in parts if mode == "messages" and isinstance(data[0], AIMessage))
    return written, nodes, text, {data[1]["langgraph_node"] for mode, data in parts if mode == "messages"}


USERS_PROGRAMS = [
    weather_with_memory,
    prompt_by_role,
    model_by_length,
    a_tool_that_is_tried_again,
    mail_with_approval,
    a_long_talk_that_is_summed_up,
    mail_addresses_taken_out,
    a_list_of_things_to_do,
    a_supervisor_of_two,
    a_desk_with_steps,
    what_is_known_of_a_user,
    a_page_that_shows_a_run,
]
