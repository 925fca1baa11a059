"""``answergraph mcp``: agents as tools of an MCP server on stdin and stdout."""

import asyncio
import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from answergraph.cli.terminal.command_runner import errors_as_bad_usage, imported


def mcp(
    agents: Annotated[
        list[str], typer.Argument(help="'module:attribute', agents with a response format, or functions that return one.")
    ],
    name: Annotated[str, typer.Option(help="The server's name.")] = "answergraph",
) -> None:
    """Serve AGENTS as tools to the MCP client at stdin and stdout. An agent without a name has its attribute's."""
    # What the client reads begins with the server: what a module prints goes elsewhere.
    with errors_as_bad_usage(), redirect_stdout(sys.stderr):
        from answergraph.many.ledger.agent_door import agent_at
        from answergraph.serving.mcp_server import mcp_server, serve_stdio
        from answergraph.serving.served_agent import ServedAgent

        server = mcp_server([ServedAgent(agent_at(imported(each)), each.rpartition(":")[2]) for each in agents], name)
    asyncio.run(serve_stdio(server))
