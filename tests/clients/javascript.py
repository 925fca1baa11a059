"""Programs in JavaScript, run beside the packages that `make test-clients` installs into `.clients/`."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

INSTALLED = Path(__file__).parents[2] / ".clients"
NODE = INSTALLED / "node_modules" / "node" / "bin" / "node"
"""A Node.js of its own: the packages need a newer one than a machine may have."""


async def node(program: Path, *arguments: str, exit_codes: tuple[int, ...] = (0,)) -> str:
    """Run a program, and return what it prints; fail with all it says if it exits otherwise."""
    if program.parent == Path(__file__).parent:  # a module is looked for beside the program that imports it
        program = Path(shutil.copy(program, INSTALLED))
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(str(NODE), str(program), *arguments, **pipes)  # type: ignore[arg-type]  # the pipes
    printed, errors = await process.communicate()
    assert process.returncode in exit_codes, f"{printed.decode()}\n{errors.decode()}"
    return printed.decode()


async def ask(program: str, address: str, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    """Let one of the clients beside this file take steps one after another, and return what it knows after each."""
    printed = await node(Path(__file__).with_name(program), address, json.dumps(steps))
    return [json.loads(line) for line in printed.splitlines()]
