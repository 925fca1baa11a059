"""A proxy on loopback that breaks connections on demand, as those between a browser and its server do."""

import random
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_LAST_CHUNK = b"0\r\n\r\n"
_SIZE = re.compile(rb"[0-9a-fA-F]+")
_BETWEEN_EVENTS = (b"\n\n", b"\r\n\r\n")


class FaultyProxy:
    """Passes bytes on, one thread for each direction of a connection."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (str(parts.hostname), int(parts.port or 80))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._streams: dict[socket.socket, socket.socket] = {}
        self._refuses = False
        self._longest_delay = 0.0
        self._repeats = False
        self.repeated = 0
        """How often events were passed on once more."""
        self._is_closed = threading.Event()
        self._passes = threading.Event()
        self._passes.set()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, *, cleanly: bool) -> int:
        """End every stream of a run; cleanly, so that the browser takes it for complete. Returns how many there were."""
        streams = list(self._streams.items())
        for browser, server in streams:
            with suppress(OSError):
                if cleanly:
                    browser.sendall(_LAST_CHUNK)
            _close(browser, server)
        return len(streams)

    def go_away(self) -> None:
        """Answer nobody any more."""
        self._refuses = True
        self.cut(cleanly=False)

    def come_back(self) -> None:
        self._refuses = False

    def hang(self) -> None:
        """Pass nothing on any more, and break nothing either."""
        self._passes.clear()

    def delay(self, longest_seconds: float) -> None:
        """Pass each piece on after a time of its own, so that the answers to several questions come in another order."""
        self._longest_delay = longest_seconds

    def repeat(self) -> None:
        """Pass the events of a stream on twice, and after them those that came just before, as a server may that replays."""
        self._repeats = True

    def go_on(self) -> None:
        """Pass on what has come meanwhile, and what comes, at once and once."""
        self._longest_delay = 0.0
        self._repeats = False
        self._passes.set()

    def close(self) -> None:
        self._is_closed.set()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            if self._refuses:
                browser.close()
                continue
            server = socket.create_connection(self._target)
            for source, sink, is_request in ((browser, server, True), (server, browser, False)):
                threading.Thread(target=self._pass_on, args=(source, sink, is_request), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, is_request: bool) -> None:
        before = b""
        with suppress(OSError):
            while piece := source.recv(65536):
                self._passes.wait()
                self._is_closed.wait(random.uniform(0, self._longest_delay))
                if is_request and self._refuses:
                    break
                if is_request and b"/stream" in piece.split(b"\r\n", 1)[0]:
                    self._streams[source] = sink
                sink.sendall(piece)
                are_events = not is_request and sink in self._streams and _are_events(piece)
                if are_events and self._repeats:
                    sink.sendall(before + piece)
                    self.repeated += 1
                before = piece if are_events else b""
        self._streams.pop(source if is_request else sink, None)
        _close(source, sink)


def _are_events(piece: bytes) -> bool:
    """Whether a piece of a response is made of whole chunks with whole events, and not the end of it."""
    rest = piece
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16) if _SIZE.fullmatch(size) else 0
        chunk, rest = rest[:length], rest[length:]
        if not chunk.endswith(_BETWEEN_EVENTS) or not rest.startswith(b"\r\n"):
            return False
        rest = rest[2:]
    return True


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()


@contextmanager
def faulty_proxy(target: str) -> Iterator[FaultyProxy]:
    """Put a proxy before a server."""
    proxy = FaultyProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
