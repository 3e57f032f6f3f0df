"""A server in a process of its own that is slow in the ways its models are called; its port is
printed."""

import json
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = json.dumps({"choices": [{"message": {"content": "10:08"}}]}).encode()
LOCK = threading.Lock()
TRIES = {}


class Handler(BaseHTTPRequestHandler):
    """`drip`, `drip-headers` and `silent` never end; `busy-SECONDS` is so for the first eight
    requests, `busy-date` for
    the first, `always-SECONDS` for ever."""

    def do_POST(self):
        how = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
        with LOCK:
            TRIES[how] = TRIES.get(how, 0) + 1
        way, _, when = how.partition("-")
        if how == "silent":
            time.sleep(600)
        elif how == "drip-headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            self.drip()
        elif how == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
            self.drip()
        elif way == "always" or TRIES[how] <= (1 if when == "date" else 8):
            when = formatdate(time.time() + 3, usegmt=True) if when == "date" else when
            self.answer(429, b"slow down\x1b[31m", {"Retry-After": when})
        else:
            self.answer(200, ANSWER, {})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self):
        for _ in range(6000):
            self.wfile.write(b" ")
            time.sleep(0.1)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    sys.stderr.close()  # of clients that hang up
    server.serve_forever()
