"""Agents as tools of an MCP server, on the official SDK."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Never

from answergraph import AgentGraph, AgentSpecError, __version__
from answergraph.kit import require_extra
from answergraph.serving.forms import Form, forms_of
from answergraph.serving.served_agent import MISSING, RESUMING, End, Plain, Report, ServedAgent

require_extra("mcp", "mcp")

import mcp_types as types  # noqa: E402 - see above
from mcp.server import Server, ServerRequestContext  # noqa: E402 - see above
from mcp.server.stdio import stdio_server  # noqa: E402 - see above
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: E402 - see above
from mcp.shared.exceptions import MCPError  # noqa: E402 - see above
from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: E402 - see above
from starlette.applications import Starlette  # noqa: E402 - see above
from starlette.routing import Mount  # noqa: E402 - see above
from starlette.types import ASGIApp, Receive, Scope, Send  # noqa: E402 - see above

Context = ServerRequestContext[Any, Any]
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True)
class _Tool:
    shown: types.Tool
    agent: ServedAgent
    run: Callable[[Plain, Report], Awaitable[End]]


def to_mcp(*agents: AgentGraph[Any, Never, object], name: str = "answergraph") -> ASGIApp:
    """Make an MCP server of agents, as an ASGI application to mount: each agent is a tool.

    The tool's ``outputSchema`` is the answer's, and the answer is the result's ``structuredContent``. A run without an answer
    is an error with its status and its reason. A run that waits, of an agent with a checkpointer, asks the person at a client
    that shows forms; for other clients it is a result that names the tool which goes on with it. The result's ``_meta`` has
    the outcome. Each request stands alone; who may ask is the business of the application around it.

    Args:
        agents: Agents of ``create_agent`` with a ``response_format`` and a ``name``, which is the tool's.
        name: The server's name.

    Returns:
        The application.

    Raises:
        AgentSpecError: If an agent has no typed answer or no name, or two tools have one name.

    Example:
        >>> from answergraph import create_agent
        >>> from starlette.routing import Mount
        >>> agent = create_agent("offline", response_format=int, name="count")
        >>> Mount("/mcp", to_mcp(agent)).path
        '/mcp'
    """
    server = mcp_server(map(ServedAgent, agents), name)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        # A mounted application is told of no start, so a manager lives as long as its request.
        manager = StreamableHTTPSessionManager(server, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return Starlette(routes=[Mount("/", answer)])


def mcp_server(agents: Iterable[ServedAgent], name: str) -> Server:
    """Return the SDK's server; raise ``AgentSpecError`` for names that MCP does not take."""
    tools: dict[str, _Tool] = {}
    for tool in (tool for agent in agents for tool in _tools_of(agent)):
        if tool.shown.name in tools or not _TOOL_NAME.fullmatch(tool.shown.name):
            why = "is there twice" if tool.shown.name in tools else "has other characters than letters, digits and _ . -"
            raise AgentSpecError(f"The tool name {tool.shown.name!r} {why}; write create_agent(…, name='…') with another one.")
        tools[tool.shown.name] = tool
    if not tools:
        raise AgentSpecError("to_mcp takes at least one agent; write to_mcp(create_agent(…)).")

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.shown for tool in tools.values()])

    async def call_tool(
        context: Context, request: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if request.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {request.name!r}; there are {', '.join(tools)}.")
        tool = tools[request.name]
        if (thread := request.request_state) is None:
            end = await tool.run(request.arguments or {}, context.session.report_progress)
        else:  # the call again, with what was entered; the thread is as good as its name in a result that waits
            end = await tool.agent.waiting(thread)
        return await _answered(end, tool.agent, context, request.input_responses)

    return Server(name, version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio(server: Server) -> None:
    """Serve the one client at stdin and stdout until it leaves."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _tools_of(agent: ServedAgent) -> Iterable[_Tool]:
    shown = partial(types.Tool, output_schema=agent.output_schema)
    yield _Tool(shown(name=agent.name, description=agent.description, input_schema=agent.input_schema), agent, agent.run)
    if agent.can_wait:
        about = f"Goes on with a run of {agent.name} that waits for results or for a decision."
        yield _Tool(shown(name=f"{agent.name}_resume", description=about, input_schema=RESUMING), agent, agent.resume)


async def _answered(
    end: End, agent: ServedAgent, context: Context, responses: types.InputResponses | None
) -> types.CallToolResult | types.InputRequiredResult:
    """Ask the client's person what a run waits for, until it has ended, or the person declines, or the client has no forms."""
    while end.waits and end.content and _has_forms(context) and (forms := forms_of(end.content)):
        thread = str(end.content["thread_id"])
        if responses is None and context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            requests: types.InputRequests = {key: types.ElicitRequest(params=_params(form)) for key, form in forms.items()}
            return types.InputRequiredResult(input_requests=requests, request_state=thread)
        if responses is None:
            responses = {key: await _elicited(form, context) for key, form in forms.items()}
        values = _accepted(forms, responses)
        if values.keys() != forms.keys():
            break
        missing = MISSING["waits_for_calls" if end.content["status"] == "deferred" else "waits_for_person"]
        end = await agent.resume({"thread_id": thread, missing: values}, context.session.report_progress)
        responses = None
    return _result(end)


def _accepted(forms: Mapping[str, Form], responses: types.InputResponses) -> dict[str, object]:
    """Return the values of the forms that the person has sent."""
    return {
        key: forms[key].value(response.content or {})
        for key, response in responses.items()
        if key in forms and isinstance(response, types.ElicitResult) and response.action == "accept"
    }


async def _elicited(form: Form, context: Context) -> types.ElicitResult:
    """Ask within the call, as clients before 2026-07-28 are asked."""
    return await context.session.elicit_form(form.message, form.schema, related_request_id=context.request_id)


def _params(form: Form) -> types.ElicitRequestFormParams:
    return types.ElicitRequestFormParams(message=form.message, requested_schema=form.schema)


def _has_forms(context: Context) -> bool:
    """Whether the client shows forms, and can be reached; a capability without a mode is one for forms."""
    capabilities = context.session.client_capabilities
    shows = capabilities and (modes := capabilities.elicitation) and (modes.form is not None or modes.url is None)
    return bool(shows) and (context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.can_send_request)


def _result(end: End) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=end.text)],
        structured_content=end.content,
        is_error=end.content is None,
        _meta={"answergraph/outcome": end.outcome} if end.outcome else None,
    )
