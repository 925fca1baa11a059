"""Instructor, in a separate environment: ``python -m benchmarks.peers.instructor_small_models MODE TASK URL``.

It prints the answer as JSON, or the name of the exception on standard error.
"""

from __future__ import annotations

import sys

import instructor
from openai import OpenAI
from pydantic import TypeAdapter

from tests.models.tasks import TASKS


def main(mode: str, name: str, url: str) -> int:
    task = next(task for task in TASKS if task.name == name)
    client = instructor.from_openai(OpenAI(base_url=url, api_key="none", max_retries=0), mode=instructor.Mode[mode])
    asked = [{"role": "user", "content": task.prompt}]
    try:
        answer = client.chat.completions.create(model="local", messages=asked, response_model=task.type, max_retries=3)
        print(TypeAdapter(task.type).dump_json(answer).decode())  # noqa: T201 - the other process reads it
    except Exception as error:  # noqa: BLE001 - its name is what is counted
        print(type(error).__name__, file=sys.stderr)  # noqa: T201 - as above
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
