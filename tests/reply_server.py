"""A server in a thread that replies as its `reply` says at the time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, TypeAlias

Reply: TypeAlias = "tuple[int, bytes]"
"""Status and body."""


class ReplyServer(ThreadingHTTPServer):
    """`reply` is that to each request, or makes it of the request's JSON, None for a GET."""

    reply: Reply | Callable[[Any], Reply] = (200, b"")

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
        reply = self.server.reply
        status, body = reply if isinstance(reply, tuple) else reply(request)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def answer(text: str, **more: Any) -> Reply:
    """What servers of chats reply where a model says this text."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return 200, json.dumps({"choices": [choice | more]}).encode()


@contextmanager
def reply_server(reply: Reply | Callable[[Any], Reply] = (200, b"")) -> Iterator[ReplyServer]:
    """Run one on a free port of this machine."""
    with ReplyServer(("127.0.0.1", 0), _Handler) as server:
        server.reply = reply
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
