"""Answers of a model behind an OpenAI-compatible server: vLLM, SGLang, `transformers serve`, hosts.

This module does not need the training stack. The key is read from OPENAI_API_KEY and never written.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import islice
from multiprocessing.pool import ThreadPool
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2

from gnomon.pipeline.answering.rule import (
    GREEDY,
    AnswerRule,
    Choice,
)
from gnomon.pipeline.answering.sampled import (
    SampledAnswer,
    sampled_belief,
)
from gnomon.progress import note, track, warn
from gnomon.redact import KEY, check_url, redact, server_key, strike_secrets
from gnomon.sample import Prediction, Sample, Size

if TYPE_CHECKING:
    from ssl import SSLContext

    from PIL.Image import Image


T = TypeVar("T")

_WAITS = (1, 2, 4, 8, 16)
"""Seconds before each new try, if a server is busy or failing, or its reply malformed."""
_TRIES = 3
"""Fraction of the time for an answer that a single try gets, because a connection may hang."""
_LONGEST = 2**20
"""Largest number of bytes read of a reply. A longer reply is cut, and therefore malformed."""
_ERROR_LENGTH, _NOTE_LENGTH = 500, 120
"""Characters of a reply that are quoted in an error, and in the announcement of a wait."""
_WAY_OUT = "ask fewer questions at once, or set a larger eval.answer_seconds"
_REFUSES_TEMPERATURE = re.compile(r"max_completion_tokens|temperature\W+(does|is)\b")
"""Refusals by hosts of reasoning models, which accept no temperature and another name for the
limit."""
_EMPTY = (
    "{} answers are empty: a model that thinks first may need more tokens than"
    " eval.max_new_tokens={}"
)
_WARM = "{} does not accept a temperature, so its answer to the same question may change"
_OPTIONAL = {
    "logprobs": re.compile("logprob"),
    "n": re.compile(r"""['"`]n['"`]|\bn\s*(=|>|must|is)"""),
}
"""Optional parameters of drawn answers, with their names in refusals."""
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504)
"""Statuses after which another try may succeed."""


@dataclass(frozen=True)
class Reply:
    """A server's answer to one question."""

    text: str


@dataclass
class Server:
    """Server with the name of a model on it."""

    url: str
    """Address up to and with /v1."""
    model: str
    thinks: bool = False
    """True after the server refused a temperature, or the usual name of the limit. Then it gets
    neither."""
    refused: set[str] = field(default_factory=set)
    """Optional parameters that the server refused."""
    seconds: float = 900
    """Time for one answer, including all tries and the waits between them."""
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)
    _announced: float = field(default=0, init=False, repr=False, compare=False)
    """End of the longest announced wait, among several questions that wait simultaneously."""

    def __post_init__(self) -> None:
        check_url(self.url)
        server_key()  # raises for a malformed key before anything is sent

    def ask(self, question: str, images: Sequence[Image], *, max_tokens: int) -> Reply:
        """Send one question, at temperature 0 if the model takes one, and return the reply.

        It tries again if the server is busy, fails, or refuses a parameter.
        """
        return self._complete(question, images, {"temperature": 0}, max_tokens, _reply_of)

    def samples(
        self, question: str, images: Sequence[Image], *, max_tokens: int, n: int
    ) -> list[SampledAnswer]:
        """Draw n answers to one question at temperature 1, each with its probability if given.

        A server may give fewer at a time, or only one. It is asked until there are n.
        """
        answers: list[SampledAnswer] = []
        while len(answers) < n:
            more = {"temperature": 1, "n": n - len(answers), "logprobs": True}
            answers += self._complete(question, images, more, max_tokens, _samples_of)
        return answers[:n]

    def _complete(
        self,
        question: str,
        images: Sequence[Image],
        more: dict[str, Any],
        max_tokens: int,
        parse: Callable[[str], T],
    ) -> T:
        """Send one question with these parameters, and return the parsed reply."""
        # Pictures come before the question, as in the prompts of training.
        content: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": _data_uri(image)}} for image in images
        ]
        content.append({"type": "text", "text": question})
        request = {"model": self.model, "messages": [{"role": "user", "content": content}]}
        deadline, message = time.monotonic() + self.seconds, ""
        # There is no wait after the last try.
        for pause in (*_WAITS, 0):
            limits = {"max_tokens": max_tokens, **more}
            if self.thinks:
                limits = {"max_completion_tokens": max_tokens, **more}
                del limits["temperature"]
            limits = {name: v for name, v in limits.items() if name not in self.refused}
            wait: float = pause
            seconds = min(self.seconds / _TRIES, deadline - time.monotonic())
            try:
                status, headers, text = self._send("chat/completions", seconds, request | limits)
                if status == 200:
                    # Raises a ValueError for an invalid answer, which is tried again below.
                    return parse(text)
                message = self._refusal(status, text)
                refused = next(
                    (key for key, name in _OPTIONAL.items() if key in limits and name.search(text)),
                    "",
                )
                # The same question again without the refused parameter, immediately.
                if "temperature" in limits and _REFUSES_TEMPERATURE.search(text):
                    self.thinks, wait = True, 0
                elif status not in _BUSY and refused:
                    self.refused.add(refused)
                    wait = 0
                # A repetition would not change such a refusal.
                elif status not in _BUSY:
                    break
                elif pause:
                    wait = _retry_after(headers.get("Retry-After"), pause)
            except TimeoutError:
                message = f"did not finish its answer within {seconds:.0f} s"
            except (httpx2.HTTPError, OSError) as error:
                message = f"cannot be reached: {error}"
            except ValueError as error:
                message = f"answered {error}"
            remaining = deadline - time.monotonic()
            if remaining <= wait:
                message = (
                    f"is not asked again: the next try would be in {wait:.0f} s, and only"
                    f" {max(remaining, 0):.0f} of the {self.seconds:.0f} s for an answer are left"
                    f" ({_WAY_OUT}): {message}"
                )
                break
            if wait:
                self._announce(wait, message)
                time.sleep(wait)
        raise self._error(message)

    def _announce(self, wait: float, message: str) -> None:
        """Print the reason for a wait, once for all questions that wait until the same time."""
        with self._lock:
            end = time.monotonic() + wait
            if end > self._announced + 1:
                self._announced = end
                note(f"{self._error(message, _NOTE_LENGTH)}; asked again in {wait:.0f} s")

    def models(self) -> list[str]:
        """List the server's models by one request. Empty if its reply is malformed."""
        try:
            _, _, text = self._send("models", self.seconds / _TRIES)
            return [str(model["id"]) for model in json.loads(text)["data"]]
        except (httpx2.HTTPError, OSError) as error:
            raise self._error(f"cannot be reached: {error}") from error
        except (ValueError, LookupError, RecursionError, TypeError):
            return []

    def _send(
        self, path: str, seconds: float, body: dict[str, Any] | None = None
    ) -> tuple[int, Mapping[str, str], str]:
        """Send one request, and return status, headers and text of the reply or refusal."""
        headers = {"Content-Type": "application/json"}
        if secret := server_key():
            headers["Authorization"] = f"Bearer {secret}"
        data = None if body is None else json.dumps(body).encode()
        method, url = "GET" if data is None else "POST", f"{self.url.rstrip('/')}/{path}"
        reply = _request(method, url, headers, data, seconds)
        return asyncio.run_coroutine_threadsafe(reply, _event_loop()).result()

    def _refusal(self, status: int, text: str) -> str:
        """Return a message about a status other than 200, with a way out if there is one."""
        if 300 <= status < 400:
            return f"answered {status}: redirects are not followed; give the URL it points to"
        way_out = ""
        if status in (401, 403):
            way_out = f" (the key in {KEY} was refused)" if server_key() else f" (is {KEY} set?)"
        if status == 404 and (names := self.models()):
            way_out = f" (it has {', '.join(names)})"
        return f"refused {self.model!r} with {status}{way_out}: {text}"

    def _error(self, message: str, length: int = _ERROR_LENGTH) -> ValueError:
        """Make an error from a message, after removing the key, which a server may echo."""
        message = " ".join(redact(message).split())
        return ValueError(f"{self.url} {message[:length]}{'…' * (len(message) > length)}")


def _reply_of(body: str) -> Reply:
    """Parse a reply. Some hosts send the answer as a list of parts, or null."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"] or ""
        if isinstance(content, list):
            content = "".join(part.get("text") or "" for part in content)
        text = content.encode("utf-8", "replace").decode()  # half an emoji is no UTF-8
        return Reply(strike_secrets(text).strip())
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"with a reply that holds no answer: {body}") from error


def _samples_of(body: str) -> list[SampledAnswer]:
    """Parse a reply of one or several answers, with their probabilities if there are any."""
    _reply_of(body)  # refuses a reply without an answer
    return [
        SampledAnswer(_reply_of(json.dumps({"choices": [choice]})).text, _logprob_of(choice))
        for choice in json.loads(body)["choices"]
    ]


def _logprob_of(choice: Any) -> float | None:
    """Sum the log-probabilities of an answer's tokens. None for an answer that was cut off."""
    try:
        total = sum(float(token["logprob"]) for token in choice["logprobs"]["content"])
    except (LookupError, TypeError, ValueError):
        return None
    is_whole = choice.get("finish_reason") == "stop" and bool(choice["logprobs"]["content"])
    # Some hosts report -9999 for a token that they did not look up.
    return total if is_whole and -1000 < total <= 1e-6 else None


def _retry_after(header: str | None, default: float) -> float:
    """Parse the header Retry-After, seconds or a date, into seconds. `default` if it is neither."""
    text = (header or "").strip()
    if text.isdecimal():
        return float(text)
    try:
        wait = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return default
    return max(wait, default)


def _data_uri(image: Image) -> str:
    buffer = io.BytesIO()
    # Lossless, because JPEG would blur thin hands and small digits.
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


async def _request(
    method: str, url: str, headers: dict[str, str], data: bytes | None, seconds: float
) -> tuple[int, Mapping[str, str], str]:
    """Send a request, and return status, headers and text of the reply within these seconds.

    Redirects are not followed, because they would take pictures or the key to another host.
    """
    # httpx's own timeouts hold for each read, so a server that sends a byte now and then would
    # keep a question waiting for ever.
    async with (
        asyncio.timeout(seconds),
        httpx2.AsyncClient(timeout=None, verify=_ssl_context()) as client,
        client.stream(method, url, headers=headers, content=data) as response,
    ):
        body = b""
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) >= _LONGEST:
                break
        return response.status_code, response.headers, body[:_LONGEST].decode("utf-8", "replace")


@cache
def _ssl_context() -> SSLContext:
    """Return the settings of TLS, which take longer to make than many a reply."""
    return httpx2.create_ssl_context()


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all requests. It runs in a separate thread, because a notebook's
    thread has a loop."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


def predict_batches(
    server: Server,
    samples: Iterable[Sample],
    *,
    settings: dict[str, Any],
    n_parallel: int,
    max_new_tokens: int,
    dialect: str,
    rule: AnswerRule = GREEDY,
    repeats: int = 0,
) -> Iterator[list[Prediction]]:
    """Yield the answer to each sample, in their order, with `n_parallel` requests under way.

    Boxes are read in the pixels of the picture as it was sent, because only the server knows how it
    resizes a picture. If the rule needs a belief and the answers can be listed, a question is asked
    `repeats` times.
    """
    empty = 0

    # Runs in a separate thread, and therefore writes nothing.
    def answer(sample: Sample) -> Prediction:
        choice = Choice()
        # Some servers do not report probabilities, so a belief is counted from repeated draws.
        if candidates := rule.answers(sample, dialect):
            draws = server.samples(
                sample.question, sample.images, max_tokens=max_new_tokens, n=repeats
            )
            belief = sampled_belief(draws, candidates, sample.target.answer_form, dialect)
            if belief is not None:
                choice = rule.choose(belief, sample, dialect)
        # Without a belief, or without a possible answer among the draws, ask for the most likely
        # text.
        if not choice.text:
            reply = server.ask(sample.question, sample.images, max_tokens=max_new_tokens)
            choice = replace(choice, text=reply.text)
        logprobs = choice.logprobs if rule.stores_beliefs else None
        return Prediction.of(
            sample, choice.text, _size(sample), dialect, settings, logprobs, choice.certainty
        )

    for prediction in _in_order(answer, samples, n_parallel=n_parallel):
        empty += not prediction.text
        yield [prediction]
    if empty:
        warn(_EMPTY.format(empty, max_new_tokens))
    if server.thinks:
        warn(_WARM.format(server.model))


def check_rule(rule: AnswerRule) -> None:
    """Refuse a rule that needs more of a model than a server gives."""
    if rule.wide_grid:
        raise ValueError(
            "eval.grid: gnomon counts the answers of a model behind a server, over at most 10,000"
            " numbers: give a coarser grid"
        )
    if rule.views > 1:
        raise ValueError(
            f"eval.views={rule.views}: a model behind a server sees only the original picture:"
            " leave eval.views out"
        )


def _size(sample: Sample) -> Size | None:
    return sample.image.size if sample.image else None


def ask_all(
    server: Server, samples: Sequence[Sample], *, n_parallel: int, max_tokens: int
) -> Iterator[tuple[Sample, Reply]]:
    """Yield the server's reply to every sample, in their order."""

    def ask(sample: Sample) -> tuple[Sample, Reply]:
        return sample, server.ask(sample.question, sample.images, max_tokens=max_tokens)

    yield from track(
        _in_order(ask, samples, n_parallel=n_parallel), total=len(samples), desc="answers"
    )


def _in_order(
    ask: Callable[[Sample], T], samples: Iterable[Sample], *, n_parallel: int
) -> Iterator[T]:
    """Yield the result of `ask` for every sample, in their order, `n_parallel` of them at a
    time."""
    rest = iter(samples)
    with ThreadPool(n_parallel) as pool:
        # Twice as many are queued as run, so a slow answer does not delay other questions.
        queue = deque(pool.apply_async(ask, (sample,)) for sample in islice(rest, 2 * n_parallel))
        while queue:
            # get() raises here what the thread raised.
            yield queue.popleft().get()
            queue.extend(pool.apply_async(ask, (sample,)) for sample in islice(rest, 1))
