"""An application beside a server's own routes, as ``http.app`` of ``langgraph.json`` names it: an agent over MCP."""

from starlette.applications import Starlette
from starlette.routing import Mount

from answergraph.graphs.add_ons.calculator.calculator import create_calculator
from answergraph.serving import to_mcp

app = Starlette(routes=[Mount("/typed/mcp", to_mcp(create_calculator()))])
