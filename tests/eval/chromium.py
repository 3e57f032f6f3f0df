"""Headless Chromium, driven over its pipe by the DevTools protocol: real keys, every request."""

import json
from pathlib import Path
from time import monotonic, sleep

import pytest

from benchmarks.transfer.chromium import NAMES, Page, found

needs_browser = pytest.mark.skipif(
    found() is None, reason=f"no browser: none of {', '.join(NAMES)} is here"
)
LOOKS = Path(__file__).with_name("look.js")
_LIMIT = 60
_KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "ArrowRight": (39, ""), "ArrowLeft": (37, "")}


class Browser(Page):
    """Browser with one page; `requests` and `console` collect what came since it was opened."""

    def __init__(self):
        self.requests, self.console, self._loaded = [], [], False
        super().__init__()
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def open(self, page, *, width=1400, dark=False, scripts=True):
        """Load a file at that width."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.requests, self.console, self._loaded = [], [], False
        self.call("Page.navigate", url=Path(page).as_uri())
        while not self._loaded:
            self.heard()

    def wait(self, expression, expected):
        """Until the expression comes to that."""
        ends = monotonic() + _LIMIT
        while (found := self.value(expression)) != expected:
            assert monotonic() < ends, f"{expression} is {found!r}, not {expected!r}"
            sleep(0.02)

    def look(self):
        """Return look.js's measures of the page, whose <details> are open afterwards."""
        return self.value(LOOKS.read_text())

    def key(self, name):
        """Press a key, as a person does."""
        code, text = _KEYS.get(name, (ord(name[0].upper()), name))
        about = {"key": name, "windowsVirtualKeyCode": code}
        self.call(
            "Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {})
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def choose(self, selector, value):
        """Choose an option of a <select>."""
        self.value(
            f"(one => {{ one.value = {json.dumps(value)};"
            " one.dispatchEvent(new Event('input', {bubbles: true}));"
            " one.dispatchEvent(new Event('change', {bubbles: true})) })"
            f"(document.querySelector({json.dumps(selector)}))"
        )

    def heard(self):
        message = super().heard()
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, event, about):
        if event == "Network.requestWillBeSent":
            if not (url := about["request"]["url"]).startswith("data:"):
                self.requests.append(url)
        elif event in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(about)
        elif event == "Page.loadEventFired":
            self._loaded = True
