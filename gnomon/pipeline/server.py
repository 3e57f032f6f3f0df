"""One question to an OpenAI-compatible server: vLLM, SGLang, `transformers serve`, hosts.

Needs nothing of the training stack. The key is read from OPENAI_API_KEY and written nowhere.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from PIL.Image import Image

KEY = "OPENAI_API_KEY"
_WAITS = (1, 2, 4, 8, 16)
"""Seconds before a busy or failing server is asked again."""
_PATIENCE = 300
"""Seconds for one answer."""
_REFUSED: dict[str, tuple[re.Pattern[str], str | None]] = {
    "max_tokens": (re.compile("max_completion_tokens"), "max_completion_tokens"),
    "temperature": (re.compile(r"temperature\W+(does|is)\b"), None),
}
"""What some hosts' newer models say to a word that every server knows, and the word they take."""
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Server:
    """Where a model is asked."""

    url: str
    """Up to and with /v1."""
    model: str
    """Its name there."""
    taught: dict[str, str | None] = field(default_factory=dict, compare=False)
    """Words that it refused once, and what is said in their place from then on."""

    def ask(self, question: str, image: Image | None, *, max_tokens: int) -> str:
        """One answer, at temperature 0 where the model can be told so."""
        content: list[dict[str, Any]] = [{"type": "text", "text": question}]
        if image is not None:
            content.insert(0, {"type": "image_url", "image_url": {"url": _data_uri(image)}})
        asked = {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        answer = self._sent("chat/completions", asked)
        try:
            return _text(answer["choices"][0]["message"]["content"]).strip()
        except (AttributeError, KeyError, IndexError, TypeError) as error:
            raise ValueError(f"{self.url} answered {answer!r}: no choices in it") from error

    def _sent(self, path: str, asked: dict[str, Any]) -> Any:
        """The server's JSON; asked again where it is busy, or wants other words."""
        words = ((self.taught.get(key, key), value) for key, value in asked.items())
        body = {word: value for word, value in words if word}
        for pause in (*_WAITS, None):
            try:
                return self._once(path, body)
            except HTTPError as error:
                if error.code not in _BUSY or pause is None:
                    said = error.read(500).decode("utf-8", "replace").strip()
                    if self._learns(said, body):
                        return self._sent(path, asked)
                    raise ValueError(self._refused(error.code, said)) from error
                time.sleep(_after(error.headers.get("Retry-After"), pause))
            except json.JSONDecodeError as error:
                raise ValueError(f"{self.url} answered what is no JSON: {error}") from error
            except (URLError, HTTPException, ConnectionError, TimeoutError) as error:
                if pause is None:
                    raise ValueError(f"{self.url} cannot be reached: {error}") from error
                time.sleep(pause)
        raise AssertionError("the last wait is none")

    def _learns(self, said: str, body: dict[str, Any]) -> bool:
        """Whether it refused a word of the question that can be said otherwise."""
        for word, (refusal, other) in _REFUSED.items():
            if word in body and refusal.search(said):
                self.taught[word] = other
                return True
        return False

    def _once(self, path: str, body: dict[str, Any]) -> Any:
        url = f"{self.url.rstrip('/')}/{path}"
        headers = {"Content-Type": "application/json"}
        request = Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - the user's own URL
        if key := os.environ.get(KEY):  # not sent on to where a redirect leads
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        with urlopen(request, timeout=_PATIENCE) as opened:  # noqa: S310 - the same
            return json.load(opened)

    def _refused(self, code: int, said: str) -> str:
        way_out = f" (is {KEY} set?)" if code in (401, 403) else ""
        return f"{self.url} refused {self.model!r} with {code}{way_out}: {said}"


def _text(content: Any) -> str:
    """A message's content: a text, none, or a list of parts, as some hosts send it."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    return str(content or "")


def _after(said: str | None, otherwise: float) -> float:
    """The seconds that a server asks for, as a number or as a date; never longer than an answer."""
    if not said:
        return otherwise
    if said.strip().isdecimal():
        return min(float(said), _PATIENCE)
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return otherwise
    return min(max(0.0, until.timestamp() - time.time()), _PATIENCE)


def _data_uri(image: Image) -> str:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"
