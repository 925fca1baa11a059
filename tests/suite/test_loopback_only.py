"""The guard: connections to other machines fail and are reported; this machine can be reached."""

import asyncio
import socket
import subprocess
import sys

import pytest

SUITE = """
import socket

def test_hides_the_error():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except OSError:
        pass

def test_looks_up_a_name():
    try:
        socket.getaddrinfo("example.invalid", 80)
    except OSError:
        pass

def test_afterwards(): pass
"""


def test_a_test_that_connects_to_another_machine_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of others take seconds to import
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "tests.suite.loopback_only")
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["*tried to connect to 192.0.2.1*", "*tried to connect to example.invalid*"])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached(host: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection((host, server.getsockname()[1]), timeout=10) as client,
    ):
        assert client.getpeername() == server.getsockname()


async def test_asyncio_reaches_this_machine() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b"hello"
        writer.close()
        await writer.wait_closed()


def test_processes_can_be_started() -> None:
    assert subprocess.run([sys.executable, "-c", "print('ok')"], check=True, capture_output=True).stdout == b"ok\n"
