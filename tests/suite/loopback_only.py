"""No test talks to anything but this machine; one that tries fails, even if the code under test hides the error."""

import sys
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import pytest

_attempts: list[str] = []


def _refuse_strangers(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # a path or bytes: a Unix socket
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_this_machine(host):
        _attempts.append(str(host))
        raise ConnectionRefusedError(f"a test may not connect to {host!r}, only to loopback addresses")


def _is_this_machine(host: str | bytes | None) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def loopback_only() -> Iterator[None]:
    _attempts.clear()
    yield
    attempts = _attempts.copy()
    _attempts.clear()
    assert not attempts, f"the test tried to connect to {', '.join(attempts)}"


sys.addaudithook(_refuse_strangers)  # for the life of the process: threads and imports are seen as well
