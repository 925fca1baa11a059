"""Asks a small model for a typed answer with each peer, as its documentation recommends: one function per way."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents import Agent as OpenAIAgent
from agents import AgentOutputSchema, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from agents.exceptions import UserError
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import TypeAdapter
from pydantic_ai import Agent, NativeOutput, PromptedOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

MODEL = "local"
INSTRUCTOR = Path(".venv-model-instructor/bin/python")
MAX_STEPS = 14
"""LangGraph's steps for six model calls with tools between them."""

Ask = Callable[[Any, str], Any]
"""Takes a task and the server's address, returns the answer."""


def openai_agents(task: Any, url: str) -> Any:
    set_tracing_disabled(True)

    async def run() -> Any:
        client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        agent: Any = OpenAIAgent(
            name="agent",
            model=OpenAIChatCompletionsModel(MODEL, client),
            tools=[function_tool(each) for each in task.tools],
            output_type=task.type,
        )
        try:
            return (await Runner.run(agent, task.prompt, max_turns=6)).final_output
        except UserError:  # its strict mode cannot express the type; its error message recommends this
            agent.output_type = AgentOutputSchema(task.type, strict_json_schema=False)
            return (await Runner.run(agent, task.prompt, max_turns=6)).final_output

    return asyncio.run(run())


def pydantic_ai(output: Callable[[Any], Any]) -> Ask:
    def ask(task: Any, url: str) -> Any:
        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="none"))
        agent: Any = Agent(model, output_type=output(task.type), tools=list(task.tools), retries=2)
        return agent.run_sync(task.prompt, usage_limits=UsageLimits(request_limit=6)).output

    return ask


def langchain(strategy: Callable[[Any], Any]) -> Ask:
    def ask(task: Any, url: str) -> Any:
        model = ChatOpenAI(model=MODEL, base_url=url, api_key="none", max_retries=0)
        agent: Any = create_agent(model, list(task.tools), response_format=strategy(task.type))
        given = {"messages": [{"role": "user", "content": task.prompt}]}
        return agent.invoke(given, {"recursion_limit": MAX_STEPS}).get("structured_response")

    return ask


def instructor(mode: str) -> Ask:
    """It runs in a separate environment, because its dependencies conflict with those of the others."""

    def ask(task: Any, url: str) -> Any:
        command = [str(INSTRUCTOR), "-m", "benchmarks.peers.instructor_small_models", mode, task.name, url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise type((done.stderr.split() or ["Exception"])[-1], (Exception,), {})
        return TypeAdapter(task.type).validate_json(done.stdout)

    return ask


def _as_it_is(type_: Any) -> Any:
    return type_


PEERS: dict[str, Ask] = {
    "openai-agents": openai_agents,
    "pydantic-ai": pydantic_ai(_as_it_is),
    "pydantic-ai native": pydantic_ai(NativeOutput),
    "pydantic-ai prompted": pydantic_ai(PromptedOutput),
    "langchain": langchain(_as_it_is),
    "langchain provider": langchain(ProviderStrategy),
    "langchain tool": langchain(ToolStrategy),
}
if INSTRUCTOR.exists():
    PEERS |= {"instructor": instructor("TOOLS"), "instructor json_schema": instructor("JSON_SCHEMA")}
