"""The programs that are measured, each a process of its own: a map, and a bare asyncio loop over the SDK."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import BaseModel

from answergraph import AgentGraph, ProviderStrategy, UsageLimits, create_agent
from answergraph.many import map_answers

MODEL = "gpt-4.1-mini"
TIMEOUT_SECONDS = 3.0
DOCUMENT = "Read the number of document {number}. " + "The text of a document goes on for a while. " * 20


class Reading(BaseModel):
    """What stands in a document."""

    number: int
    kind: Literal["odd", "even"]


def documents(count: int) -> Iterator[dict[str, Any]]:
    """Yield the rows."""
    for number in range(count):
        yield {"id": str(number), "body": DOCUMENT.format(number=number)}


def agent_of(url: str) -> AgentGraph[Reading | None]:
    """Build the agent that is mapped."""
    model = ChatOpenAI(model=MODEL, base_url=url, api_key="none", timeout=TIMEOUT_SECONDS)  # type: ignore[arg-type]  # a secret
    return create_agent(model, response_format=ProviderStrategy(Reading), limits=UsageLimits(answer_attempts=2))


def agent_of_environment() -> AgentGraph[Reading | None]:
    """Build the agent in a process of an engine, which knows the server from its environment."""
    return agent_of(os.environ["ANSWERGRAPH_MAP_URL"])


def mapped(arguments: argparse.Namespace) -> int:
    """Map the rows and return how many there were."""
    run = map_answers(
        agent_of(arguments.url),
        documents(arguments.rows),
        key="id",
        input="body",
        ledger=arguments.ledger,
        concurrency=arguments.concurrency,
    )
    if arguments.out is not None:
        run.to_parquet(arguments.out)
        return sum(run.counts().values())
    return sum(1 for _ in run)


async def bare(arguments: argparse.Namespace) -> int:
    """Ask for the rows as a program over the SDK would: an asyncio loop, a semaphore, Pydantic, a line of JSON each."""
    client = AsyncOpenAI(base_url=arguments.url, api_key="none", timeout=TIMEOUT_SECONDS)
    rows, done = documents(arguments.rows), 0
    schema = {"name": "Reading", "schema": Reading.model_json_schema(), "strict": False}
    with Path(arguments.ledger or "/dev/null").open("w") as out:  # noqa: ASYNC230 - as the program that it stands for

        async def work() -> None:
            nonlocal done
            for row in rows:
                reply = await client.chat.completions.create(
                    model=MODEL,
                    messages=[{"role": "user", "content": row["body"]}],
                    response_format={"type": "json_schema", "json_schema": schema},  # type: ignore[typeddict-item]  # a dict
                )
                reading = Reading.model_validate_json(reply.choices[0].message.content or "")
                out.write(f'{{"id": {row["id"]}, "answer": {reading.model_dump_json()}}}\n')
                done += 1

        await asyncio.gather(*(work() for _ in range(arguments.concurrency)))
    return done


def main() -> None:
    """Do the work, and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=["map", "bare"])
    parser.add_argument("--url", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--ledger")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    wall, cpu = time.perf_counter(), time.process_time()
    done = mapped(arguments) if arguments.program == "map" else asyncio.run(bare(arguments))
    figures = {
        "rows": done,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")


if __name__ == "__main__":
    main()
