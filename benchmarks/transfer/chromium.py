"""One headless Chromium for many pages: each is laid out, and photographed as PNG.

It is driven by the DevTools protocol over two pipes, so that no package is needed and a browser is
started once for all pictures of a process.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
from base64 import b64decode
from contextlib import suppress
from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)
_PATIENCE = 300
_SETTLED = """document.fonts.ready.then(() => new Promise(
    done => requestAnimationFrame(() => requestAnimationFrame(done))))"""


def found() -> str | None:
    """A browser on the path."""
    return next((place for name in NAMES if (place := shutil.which(name))), None)


class Page:
    """A page of a browser of its own; what it shows can be replaced and photographed."""

    def __init__(self) -> None:
        browser = found()
        if browser is None:
            raise ValueError("no Chromium on the path")
        # Its child processes may still write there when it has ended.
        self._profile = tempfile.TemporaryDirectory(
            prefix="gnomon-chromium-", ignore_cleanup_errors=True
        )
        told, self._say = os.pipe()
        self._hear, tells = os.pipe()
        # The browser reads from its descriptor 3 and writes to its 4, whichever these are here.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (told, tells)]
        command = shlex.join([browser, *_FLAGS, f"--user-data-dir={self._profile.name}"])
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command} 3<&{ends[0]} 4>&{ends[1]}"],
            pass_fds=ends,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        for end in (told, tells, *ends):
            os.close(end)
        self._asked, self._left = 0, b""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._frame = self.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        atexit.register(self.close)

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """A command of the DevTools protocol, and what it gave back."""
        self._asked += 1
        message: dict[str, Any] = {"id": self._asked, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._say, json.dumps(message).encode() + b"\0")
        while (answer := self.heard()).get("id") != self._asked:
            pass
        if "error" in answer:
            raise ValueError(f"Chromium: {method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def value(self, script: str) -> Any:
        """The value of an expression of JavaScript, waited for where it is a promise."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in done:
            raise ValueError(f"Chromium: {done['exceptionDetails']}")
        return done["result"].get("value")

    def show(self, html: str) -> None:
        """Put a document in the place of the one that is shown."""
        self.call("Page.setDocumentContent", frameId=self._frame, html=html)

    def photograph(self, width: int, height: int, scale: float = 1.0) -> Image.Image:
        """The window at that size, once fonts and layout are settled."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=False,
        )  # fmt: skip
        self.value(_SETTLED)
        png = b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return Image.open(BytesIO(png)).convert("RGB")

    def close(self) -> None:
        """End the browser and its child processes."""
        atexit.unregister(self.close)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for end in (self._say, self._hear):
            os.close(end)
        self._profile.cleanup()

    def heard(self) -> dict[str, Any]:
        """What the browser says next: an answer, or an event."""
        while b"\0" not in self._left:
            if not select.select([self._hear], [], [], _PATIENCE)[0]:
                raise ValueError(f"Chromium said nothing for {_PATIENCE} seconds")
            read = os.read(self._hear, 1 << 20)
            if not read:
                raise ValueError("Chromium ended before it answered")
            self._left += read
        text, _, self._left = self._left.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message


@cache
def page(name: str) -> Page:
    """The page of that name in this process; a browser is started for the first call alone."""
    assert name
    return Page()
