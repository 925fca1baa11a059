"""The loopback server: it answers from a script and records the requests."""

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from itertools import count
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from tests.openai_server.behaviour import Behaviour
from tests.openai_server.chat_completions import CHAT_COMPLETIONS
from tests.openai_server.exchange import Endpoint, Exchange, cut_at_stop, overwritten, overwritten_event
from tests.openai_server.loopback import Answer, LoopbackServer, ServedRequest
from tests.openai_server.reply import Failure, JSONObject, Reply
from tests.openai_server.responses import RESPONSES
from tests.openai_server.text_completions import TEXT_COMPLETIONS

Script = Iterable[Reply | Failure] | Callable[[JSONObject], Reply | Failure]

_ENDPOINTS: Mapping[str, Endpoint] = {
    "/v1/chat/completions": CHAT_COMPLETIONS,
    "/v1/responses": RESPONSES,
    "/v1/completions": TEXT_COMPLETIONS,
}
_POLL_SECONDS = 0.01


class OpenAIServer:
    """An OpenAI-compatible server on a free loopback port, for the time of a `with` block.

    Args:
        replies: The replies in order, or a function of the request body. A list that runs out is
            answered with HTTP 500.
        behave: Asked before the script; a failure is sent and uses up no reply.
        honours_stop: Whether the text ends before a stop sequence of the request.
        keep_alive: Whether a connection serves several requests. Off by default: ChatOpenAI keeps
            its clients for the life of the process, and an idle connection of a client whose event
            loop is gone ends in a ResourceWarning in some later test.
    """

    def __init__(
        self,
        replies: Script,
        *,
        behave: Behaviour | None = None,
        honours_stop: bool = True,
        keep_alive: bool = False,
    ) -> None:
        self._reply_to = replies if callable(replies) else _in_order(replies)
        self._behave = behave
        self._honours_stop = honours_stop
        self._requests: list[ServedRequest] = []
        self._lock = Lock()
        self._http = LoopbackServer(self._answer, keep_alive=keep_alive)
        self._thread = Thread(target=self._http.serve_forever, args=(_POLL_SECONDS,), name="openai-server")

    @property
    def base_url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def requests(self) -> list[ServedRequest]:
        """The requests served so far, in order of arrival."""
        with self._lock:
            return list(self._requests)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.drop_connections()
        self._http.server_close()
        self._thread.join()

    def _answer(self, request: ServedRequest) -> Answer:
        with self._lock:
            self._requests.append(request)
            number = len(self._requests)
        if request.path not in _ENDPOINTS:
            return Failure(HTTPStatus.NOT_FOUND, f"There is no endpoint {request.path!r}.")
        try:
            reply = (self._behave and self._behave(request.body)) or self._reply_to(request.body)
        except Exception as error:  # noqa: BLE001 - whatever a test's function raises must reach the client
            return Failure(HTTPStatus.INTERNAL_SERVER_ERROR, f"The script raised {error!r}.")
        if isinstance(reply, Failure):
            return reply
        return self._render(request, reply, number)

    def _render(self, request: ServedRequest, reply: Reply, number: int) -> Answer:
        reply = cut_at_stop(reply, request.body) if self._honours_stop else reply
        exchange, endpoint = Exchange(request.body, reply, number), _ENDPOINTS[request.path]
        values = reply.overwritten
        if request.body.get("stream"):
            return (overwritten_event(event, values) if values else event for event in endpoint.events(exchange))
        return overwritten(endpoint.whole(exchange), values) if values else endpoint.whole(exchange)


def _in_order(replies: Iterable[Reply | Failure]) -> Callable[[JSONObject], Reply | Failure]:
    lock, left, served = Lock(), iter(replies), count(1)

    def next_reply(body: JSONObject) -> Reply | Failure:
        with lock:
            number = next(served)
            ran_out = Failure(HTTPStatus.INTERNAL_SERVER_ERROR, f"The script has no reply for request {number}.")
            return next(left, ran_out)

    return next_reply
