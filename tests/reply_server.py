"""A server in a thread that replies as its `reply` says at the time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, TypeAlias

Reply: TypeAlias = "tuple[int, Any] | tuple[int, dict[str, str], Any]"
"""Status, headers if any, and body: bytes, JSON, or what makes it of the request's handler."""


class ReplyServer(ThreadingHTTPServer):
    """`reply` is that to each request, or makes it of the request's JSON, None for a GET."""

    reply: Reply | Callable[[Any], Reply] = (200, b"")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        """Path, headers and JSON of each request so far."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that were killed."""


class _Handler(BaseHTTPRequestHandler):
    server: ReplyServer

    def do_GET(self) -> None:
        self._send(None)

    def do_POST(self) -> None:
        self._send(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _send(self, request: Any) -> None:
        self.server.requests.append((self.path, dict(self.headers), request))
        reply = self.server.reply
        try:
            status, *headers, body = reply if isinstance(reply, tuple) else reply(request)
        except ConnectionAbortedError:  # hang up without a word
            self.close_connection = True
            return
        body = body(self) if callable(body) else body
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(data))} | dict(*headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def answer(text: str, **more: Any) -> Reply:
    """What servers of chats reply where a model says this text."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return 200, {"choices": [choice | more]}


@contextmanager
def reply_server(reply: Reply | Callable[[Any], Reply] = (200, b"")) -> Iterator[ReplyServer]:
    """Run one on a free port of this machine."""
    with ReplyServer() as server:
        server.reply = reply
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
