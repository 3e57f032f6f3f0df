"""One question to an OpenAI-compatible server: vLLM, SGLang, `transformers serve`, hosts.

Needs nothing of the training stack. The key is read from OPENAI_API_KEY and written nowhere.
"""

from __future__ import annotations

import base64
import io
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from gnomon.redact import KEY, key, redacted, struck

if TYPE_CHECKING:
    from PIL.Image import Image

_WAITS = (1, 2, 4, 8, 16)
"""Seconds before a server is asked again that is busy or failing, or whose reply is malformed."""
_PATIENCE = 300
"""Seconds for one answer."""
_LONGEST = 2**20
"""Bytes of a reply that are read; a longer one is malformed."""
_SHOWN = 500
"""Characters of a reply that a message shows."""
_REFUSED: dict[str, tuple[re.Pattern[str], str | None]] = {
    "max_tokens": (re.compile("max_completion_tokens"), "max_completion_tokens"),
    "temperature": (re.compile(r"temperature\W+(does|is)\b"), None),
}
"""What some hosts' newer models say to a word that every server knows, and the word they take."""
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504)
_TOO_LONG = re.compile(r"(context|model) (length|size|window)", re.IGNORECASE)
"""What vLLM, llama.cpp and Ollama say to a question that does not fit."""


@dataclass(frozen=True)
class Reply:
    """A server's answer to one question."""

    text: str
    prompt_tokens: int | None
    """What the question with its picture came to there, where the server tells."""
    cut: bool
    """Whether it ended because it had as many tokens as were asked for."""


class _Stay(HTTPRedirectHandler):
    """A redirect is an error: it would take the pictures, or the key, to another host."""

    def http_error_302(self, *_: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_302  # type: ignore[assignment]
    http_error_307 = http_error_308 = http_error_302  # type: ignore[assignment]


_OPENER = build_opener(_Stay)


@dataclass(frozen=True)
class Server:
    """Where a model is asked."""

    url: str
    """Up to and with /v1; user:password@ and a query, where it has them, are sent and not shown."""
    model: str
    """Its name there."""
    taught: dict[str, str | None] = field(default_factory=dict, compare=False)
    """Words that it refused once, and what is said in their place from then on."""

    def __post_init__(self) -> None:
        key()  # a bad one is refused before anything is asked

    @property
    def address(self) -> str:
        """The URL as messages and files name it."""
        return redacted(self.url)

    def reply(self, question: str, images: Sequence[Image], *, max_tokens: int) -> Reply:
        """One answer, at temperature 0 where the model can be told so."""
        content: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": _data_uri(image)}} for image in images
        ]
        content.append({"type": "text", "text": question})
        asked = {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        found = self._answered(asked)
        return replace(found, text=struck(found.text, *self._sent).strip())

    def models(self) -> list[str]:
        """The names that the server tells of its models, asked once; none where it tells none."""
        try:
            told = json.loads(self._once("models"))
            return [str(model["id"]) for model in told["data"]]
        except HTTPError as error:
            if error.code in (401, 403) or 300 <= error.code < 400:
                raise self._error(self._refusal(error, _read(error))) from error
            return []
        except (URLError, HTTPException, OSError) as error:
            raise self._error(f"cannot be reached: {error}") from error
        except (ValueError, LookupError, TypeError):
            return []

    def _answered(self, asked: dict[str, Any]) -> Reply:
        """The server's answer; asked again where it is busy, answers badly or wants other words."""
        words = ((self.taught.get(word, word), value) for word, value in asked.items())
        body = {word: value for word, value in words if word}
        for pause in (*_WAITS, None):
            try:
                return _reply_of(self._once("chat/completions", body))
            except HTTPError as error:
                if error.code not in _BUSY or pause is None:
                    said = _read(error)
                    if self._learns(said, body):
                        return self._answered(asked)
                    raise self._error(self._refusal(error, said)) from error
                time.sleep(_after(error.headers.get("Retry-After"), pause))
            except _MalformedError as error:
                if pause is None:
                    raise self._error(f"answered {error}") from error
                time.sleep(pause)
            except (URLError, HTTPException, OSError) as error:
                if pause is None:
                    raise self._error(f"cannot be reached: {error}") from error
                time.sleep(pause)
        raise AssertionError("the last wait is none")

    def _learns(self, said: str, body: dict[str, Any]) -> bool:
        """Whether it refused a word of the question that can be said otherwise."""
        for word, (refusal, other) in _REFUSED.items():
            if word in body and refusal.search(said):
                self.taught[word] = other
                return True
        return False

    def _once(self, what: str, body: dict[str, Any] | None = None) -> bytes:
        where = urlsplit(self.url)
        url = where._replace(
            netloc=where.netloc.rpartition("@")[2],
            path=f"{where.path.rstrip('/')}/{what}",
            fragment="",
        ).geturl()
        headers = {"Content-Type": "application/json"}
        if login := self._login:  # before the key, which is perhaps another host's
            headers["Authorization"] = f"Basic {login}"
        elif secret := key():
            headers["Authorization"] = f"Bearer {secret}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, headers)  # noqa: S310 - the user's own URL
        with _OPENER.open(request, timeout=_PATIENCE) as opened:
            found: bytes = opened.read(_LONGEST)
        return found

    @property
    def _login(self) -> str:
        """The URL's user:password as a header has it."""
        login = unquote(urlsplit(self.url).netloc.rpartition("@")[0])
        return base64.b64encode(login.encode()).decode("ascii")

    def _refusal(self, error: HTTPError, said: str) -> str:
        if 300 <= error.code < 400:
            return (
                f"answered {error.code} and points to {_host(error.headers.get('Location'))}:"
                " redirects are not followed; give the URL that it points to, if you trust it"
            )
        sent = f"the key in {KEY} was refused" if key() else f"is {KEY} set?"
        way_out = f" ({sent})" if error.code in (401, 403) and not self._login else ""
        if error.code == 404 and (names := self._others()):
            way_out = f" (it has {names})"
        if _TOO_LONG.search(said):
            way_out = " (start it with a longer context, or with smaller pictures)"
        return f"refused {self.model!r} with {error.code}{way_out}: {said}"

    def _others(self) -> str:
        """The names of its models, where it tells them now."""
        try:
            return ", ".join(self.models())
        except ValueError:
            return ""

    def _error(self, told: str) -> ValueError:
        """Without what was sent in secret, which a server may hand back, before it is cut short."""
        told = " ".join(redacted(told, *self._sent).split())
        return ValueError(f"{self.address} {told[:_SHOWN]}{'…' * (len(told) > _SHOWN)}")

    @property
    def _sent(self) -> tuple[str, ...]:
        """What of the URL is secret, in the forms in which it is sent."""
        where = urlsplit(self.url)
        login = [where.username or "", where.password or ""]
        values = [value for _, value in parse_qsl(where.query) if len(value) > 3]
        return self._login, *login, *map(unquote, login), where.query, *values


class _MalformedError(Exception):
    """A reply that holds no answer."""


def _read(reply: HTTPError) -> str:
    """What a refusal says; nothing where the connection breaks."""
    try:
        return reply.read(_LONGEST).decode("utf-8", "replace").strip()
    except (HTTPException, OSError):
        return ""


def _reply_of(reply: bytes) -> Reply:
    """The answer in a reply: a text, none, or a list of parts, as some hosts send it."""
    try:
        said = reply.decode()
        whole = json.loads(said)
    except (ValueError, RecursionError) as error:
        said = reply.decode("utf-8", "replace")
        raise _MalformedError(f"what is no JSON: {said}") from error
    try:
        choice = whole["choices"][0]
        content = choice["message"]["content"]
        if isinstance(content, list):
            content = "".join(part.get("text") or "" for part in content)
    except (AttributeError, KeyError, IndexError, TypeError) as error:
        raise _MalformedError(f"with no choices in it: {said}") from error
    if not isinstance(content, str | None):
        raise _MalformedError(f"with what is no text: {said}")
    text = (content or "").encode("utf-8", "replace").decode()  # half an emoji is no UTF-8
    usage = whole.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    known = tokens if isinstance(tokens, int) else None
    return Reply(text, known, choice.get("finish_reason") == "length")


def _host(location: str | None) -> str:
    """Where a redirect leads, without the rest of it."""
    try:
        return urlsplit(location or "").hostname or "the same host"
    except ValueError:
        return "what is no URL"


def _after(said: str | None, otherwise: float) -> float:
    """The seconds that a server asks for; never longer than an answer."""
    seconds = said is not None and said.strip().isdecimal()
    return min(float(said or 0), _PATIENCE) if seconds else otherwise


def _data_uri(image: Image) -> str:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"
