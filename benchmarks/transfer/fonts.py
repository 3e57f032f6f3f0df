"""The fonts of foreign pictures: files that come inside packages, the same on every machine."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
from base64 import b64encode
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from PIL import Image

FONTS = {
    "Roboto": ("font_roboto", "Roboto-Regular.ttf"),
    "Roboto Bold": ("font_roboto", "Roboto-Bold.ttf"),
    "Source Serif Pro": ("font_source_serif_pro", "SourceSerifPro-Bold.ttf"),
    "Fredoka One": ("font_fredoka_one", "FredokaOne-Regular.ttf"),
    "Hanken Grotesk": ("font_hanken_grotesk", "HankenGrotesk-Medium.otf"),
}
"""By the name that a page calls each by: its package, and the file in it."""
PACKAGES = tuple(dict.fromkeys(package for package, _ in FONTS.values()))


@cache
def font_file(name: str) -> Path:
    """Where a font lies."""
    package, file = FONTS[name]
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "files" / file


@cache
def font_face(name: str) -> str:
    """A rule of CSS that carries the font within itself."""
    data = b64encode(font_file(name).read_bytes()).decode()
    return f'@font-face {{ font-family: "{name}"; src: url(data:font/ttf;base64,{data}); }}'


class Program:
    """A program that draws, with these fonts. It reads scripts one after another and stays open."""

    def __init__(self, command: list[str], say: str) -> None:
        """Start the program. `say` is its command that prints the word done."""
        self._folder = tempfile.TemporaryDirectory(prefix="gnomon-transfer-")
        folder = Path(self._folder.name)
        listed = "".join(f"<dir>{font_file(name).parent}</dir>" for name in FONTS)
        config = folder / "fonts.conf"
        config.write_text(f"<fontconfig>{listed}<cachedir>{folder}</cachedir></fontconfig>")
        environment = os.environ | {"FONTCONFIG_FILE": str(config), "LC_ALL": "C.UTF-8"}
        self._say, self._picture = say, folder / "chart.png"
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._process.communicate)  # it ends before its folder is removed

    def draw(self, script: str) -> Image.Image:
        """Run a script that writes `chart.png`. Return that picture."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{script}\n{self._say}\n")
        self._process.stdin.flush()
        while (line := self._process.stdout.readline().strip()) != "done":
            if not line and self._process.poll() is not None:
                raise ValueError(f"{self._process.args} ended before it had drawn")
        picture = Image.open(BytesIO(self._picture.read_bytes())).convert("RGB")
        self._picture.unlink()
        return picture
