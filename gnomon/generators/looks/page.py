"""A chart as people see it: on a screen, slide or dashboard, scanned or photographed from paper.

The chart lies on a page beside other things, which never show its numbers. A sheet of paper may be
bent and tilted before a scanner or a camera records it. A single pose maps every point of the chart
to the finished picture.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from PIL import Image, ImageDraw

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.lettering import font_at_size
from gnomon.generators.drawing.pose import HALF, Curl, Matrix, Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng
from gnomon.sample import Size

# Shares of the picture's sides that the chart takes, by look.
_SHARES = {"screenshot": (0.8, 0.96), "dashboard": (0.74, 0.82), "slide": (0.74, 0.84),
           "scan": (0.8, 0.94), "photo": (0.8, 0.92)}  # fmt: skip
PAGE_LOOKS = tuple(_SHARES)
# Pixels of the picture that show as much as one pixel of a flat chart.
PAGE_COARSENESS = 1.6
# Words beside the chart, without numbers and without names that charts have.
_TEXT = (
    "the survey shows how demand grew in most regions while costs stayed level and teams met their"
    " targets for service quality despite delays in delivery of new parts to several sites"
)
_TITLES = ("Quarterly review", "Key findings", "Where we stand", "Overview", "Results at a glance",
           "Annual report", "Our market", "Status update")  # fmt: skip
# Brightness of paper before the exposure of a photograph.
_WHITE = 0.88
_DESKS = ((150, 118, 86), (96, 72, 54), (196, 190, 180), (58, 62, 70), (120, 128, 120))


class PageColours(NamedTuple):
    """Colours of the chart that the page takes up."""

    page: Colour
    ink: Colour
    accent: Colour
    have_meaning: bool
    """True if colours tell series apart. Then they are never lost."""


def show_on_page(
    picture: Image.Image, look: str, colours: PageColours, rng: Rng
) -> tuple[Image.Image, Pose]:
    """Put the picture of a chart on a page, and record the page. Also return the pose of its
    points.

    The result has the size of the picture.
    """
    width, height = size = picture.size
    share = rng.uniform(*_SHARES[look])
    inner = round(share * width), round(share * height)
    x, y = _free_place(look, size, inner, rng)
    sheet = _LAYOUTS[look](size, (x, y, x + inner[0], y + inner[1]), colours, rng)
    small = cv2.resize(np.asarray(picture), inner, interpolation=cv2.INTER_AREA)
    pixels = np.array(sheet)
    pixels[y : y + inner[1], x : x + inner[0]] = small
    scale = np.array([[inner[0] / width, 0, x], [0, inner[1] / height, y], [0, 0, 1]])
    if look in ("scan", "photo"):
        corners = oblong(x, y, x + inner[0], y + inner[1])
        recorded, curl, beyond = _RECORDS[look](pixels, corners, colours, rng)
        return Image.fromarray(recorded), Pose(scale, curl, beyond)
    return Image.fromarray(_captured(pixels, look, rng)), Pose(scale)


def _free_place(look: str, size: Size, inner: Size, rng: Rng) -> tuple[int, int]:
    """Place the chart. On slides and dashboards it leaves its room on one side."""
    free_x, free_y = size[0] - inner[0], size[1] - inner[1]
    if look in ("slide", "dashboard"):
        edge = max(4, free_x // 14)
        return rng.choice((edge, free_x - edge)), free_y - max(4, free_y // 5)
    return rng.integer(0, free_x), rng.integer(0, free_y)


_Corners: TypeAlias = tuple[int, int, int, int]


def _screen(size: Size, chart: _Corners, colours: PageColours, rng: Rng) -> Image.Image:
    """A page in a browser or a document, with text around the chart."""
    ground = colours.page if rng.chance(0.6) else (255, 255, 255)
    sheet = Image.new("RGB", size, ground)
    draw, ink = ImageDraw.Draw(sheet), _readable(ground)
    width, height = size
    _write_lines(draw, (6, chart[3] + 4, width - 6, height), ink, rng)
    has_bar = chart[1] >= 14 and rng.chance(0.5)
    _write_lines(draw, (6, 15 if has_bar else 4, width - 6, chart[1] - 4), ink, rng)
    if has_bar:  # of a window
        bar = tuple(round(0.85 * part + 20) for part in ground)
        draw.rectangle((0, 0, width, 12), bar)
        for place, light in enumerate(((236, 95, 86), (245, 190, 79), (97, 197, 84))):
            draw.ellipse((6 + 12 * place, 3, 12 + 12 * place, 9), light)
    return sheet


def _slide(size: Size, chart: _Corners, colours: PageColours, rng: Rng) -> Image.Image:
    """A slide with a heading, and points beside the chart."""
    width, height = size
    sheet = Image.new("RGB", size, colours.page)
    draw, ink = ImageDraw.Draw(sheet), _readable(colours.page)
    head = (0, 0, width, max(10, chart[1] - 4))
    if rng.chance(0.5):
        draw.rectangle(head, colours.accent)
        ink_of_head = _readable(colours.accent)
    else:
        ink_of_head = ink
    font = font_at_size("sans-bold", max(9, min(28, 0.5 * head[3])))
    draw.text((10, 0.2 * head[3]), rng.choice(_TITLES), ink_of_head, font)
    for x1, x2 in ((4, chart[0] - 4), (chart[2] + 4, width - 4)):
        _write_lines(draw, (x1, chart[1], x2, height - 14), ink, rng, bullets=True)
    draw.rectangle((0, height - 3, width, height), colours.accent)
    return sheet


def _dashboard(size: Size, chart: _Corners, colours: PageColours, rng: Rng) -> Image.Image:
    """A dashboard with tiles around the chart."""
    width = size[0]
    dark = sum(colours.page) < 380
    sheet = Image.new("RGB", size, rng.choice(((18, 20, 26), (32, 34, 42)) if dark
                                              else ((236, 239, 243), (225, 229, 236))))  # fmt: skip
    draw = ImageDraw.Draw(sheet)
    draw.rounded_rectangle(
        (chart[0] - 3, chart[1] - 3, chart[2] + 3, chart[3] + 3), 5, colours.page
    )
    column = (4, chart[0] - 8) if chart[0] > width - chart[2] else (chart[2] + 8, width - 4)
    third = (chart[3] - chart[1]) // 3
    places = [(column[0], y, column[1], y + third - 6) for y in range(chart[1], chart[3], third)]
    places += [
        (4 + (width - 8) * k // 4, 4, (width - 8) * (k + 1) // 4, chart[1] - 8) for k in range(4)
    ]
    for x1, y1, x2, y2 in places:
        if x2 - x1 < 20 or y2 - y1 < 14:
            continue
        draw.rounded_rectangle((x1, y1, x2, y2), 4, colours.page)
        inside = (x1 + 5, y1 + 4, x2 - 5, y2 - 4)
        _draw_tile(draw, inside, colours, rng)
    return sheet


def _draw_tile(draw: ImageDraw.ImageDraw, room: _Corners, colours: PageColours, rng: Rng) -> None:
    """Fill a tile with words, or with a small curve, columns or pie without numbers."""
    x1, y1, x2, y2 = room
    heights = [rng.uniform(y1, y2) for _ in range(8)]
    xs = np.linspace(x1, x2, 8).tolist()
    match rng.choice(("words", "curve", "columns", "pie")):
        case "words":
            _write_lines(draw, room, _readable(colours.page), rng)
        case "curve":
            draw.line(list(zip(xs, heights, strict=True)), colours.accent, rng.integer(1, 2))
        case "columns":
            for x, next_x, height in zip(xs, xs[1:], heights, strict=False):
                draw.rectangle((x, height, 0.4 * x + 0.6 * next_x, y2), colours.accent)
        case _:
            x, y, radius = (x1 + x2) / 2, (y1 + y2) / 2, min(x2 - x1, y2 - y1) / 2
            circle = (x - radius, y - radius, x + radius, y + radius)
            turn = rng.integer(20, 340)
            draw.pieslice(circle, -90, turn, colours.accent)
            draw.pieslice(circle, turn, 270, _readable(colours.page))


def _paper(size: Size, chart: _Corners, colours: PageColours, rng: Rng) -> Image.Image:
    """A printed page with text above and below the chart."""
    paper = rng.choice(((252, 251, 248), (246, 243, 235), (255, 255, 255), (240, 240, 238)))
    ground = paper if sum(colours.page) > 600 else colours.page
    sheet = Image.new("RGB", size, ground)
    draw, ink = ImageDraw.Draw(sheet), _readable(ground)
    _write_lines(draw, (8, chart[3] + 5, size[0] - 8, size[1]), ink, rng)
    _write_lines(draw, (8, 3, size[0] - 8, chart[1] - 5), ink, rng)
    return sheet


_Layout: TypeAlias = Callable[[Size, _Corners, PageColours, Rng], Image.Image]
_LAYOUTS: dict[str, _Layout] = {
    "screenshot": _screen, "dashboard": _dashboard, "slide": _slide, "scan": _paper,
    "photo": _paper,
}  # fmt: skip


def _write_lines(draw: ImageDraw.ImageDraw, room: _Corners, ink: Colour, rng: Rng, *,
                 bullets: bool = False) -> None:  # fmt: skip
    """Fill a room with lines of words, if it is large enough."""
    x1, y1, x2, y2 = room
    pixels = rng.integer(8, 12)
    if x2 - x1 < 3 * pixels or y2 - y1 < pixels:
        return
    font, words = font_at_size(rng.choice(("sans", "serif")), pixels), _TEXT.split()
    for y in range(y1, y2 - pixels, round(1.5 * pixels)):
        start = rng.integer(0, len(words) - 1)
        many = int((x2 - x1) / (3.6 * pixels)) + 1
        text = " ".join((words[start:] + words[:start])[:many])
        text = ("• " if bullets and rng.chance(0.5) else "") + text
        while text and font.getlength(text) > x2 - x1:
            text = text.rpartition(" ")[0]
        draw.text((x1, y), text, ink, font)


def _readable(ground: Colour) -> Colour:
    """Return an ink for words on a ground."""
    return (40, 42, 46) if sum(ground) > 380 else (222, 224, 228)


def _captured(pixels: Pixels, look: str, rng: Rng) -> Pixels:
    """Capture a screen: dark mode, scaling and JPEG are optional."""
    height, width = pixels.shape[:2]
    if look != "slide" and pixels.mean() > 150 and rng.chance(0.2):
        bright, red, blue = cv2.split(cv2.cvtColor(pixels, cv2.COLOR_RGB2YCrCb))
        dark = cv2.merge([255 - np.uint8(0.9 * bright), red, blue])
        pixels = np.asarray(cv2.cvtColor(dark, cv2.COLOR_YCrCb2RGB))
    if rng.chance(0.5):
        scale = rng.uniform(0.85, 1.4)
        other = round(width * scale), round(height * scale)
        how = rng.choice((cv2.INTER_LINEAR, cv2.INTER_AREA, cv2.INTER_CUBIC))
        pixels = cv2.resize(cv2.resize(pixels, other, interpolation=how), (width, height),
                            interpolation=cv2.INTER_AREA)  # fmt: skip
    return photo.jpeg(pixels, rng.integer(30, 92)) if rng.chance(0.7) else pixels


_Record: TypeAlias = tuple[Pixels, Curl | None, Matrix]


def _scanned(sheet: Pixels, chart: Points, colours: PageColours, rng: Rng) -> _Record:
    """Scan a sheet: a slight turn, grey or pale inks, dust, streaks and JPEG."""
    height, width = sheet.shape[:2]
    turn = math.radians(rng.uniform(-1.5, 1.5))
    cos, sin = math.cos(turn), math.sin(turn)
    middle = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]])
    about = middle @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ np.linalg.inv(middle)
    beyond = _fitted(about, chart, (width, height))
    noise_rng = np.random.Generator(np.random.Philox(rng.bits()))
    image = photo.to_float(_view(sheet, None, beyond, (235, 235, 232)))
    if rng.chance(0.4) and not colours.have_meaning:
        image = np.repeat(image.mean(2, keepdims=True), 3, axis=2)
    image = 1 - (1 - image) * rng.uniform(0.75, 1.1)
    image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.2, 0.6))
    image += rng.uniform(0.003, 0.018) * photo.grain((height, width), 1, noise_rng)[..., None]
    if rng.chance(0.3):
        image[:, rng.integer(0, width - 1)] *= rng.uniform(0.85, 1.1)
    if rng.chance(0.3):  # the shadow of a book's spine
        columns = np.arange(width) if rng.chance(0.5) else np.arange(width)[::-1]
        image *= (1 - 0.35 * np.exp(-columns / (0.06 * width)))[None, :, None]
    return photo.jpeg(photo.to_pixels(image), rng.integer(35, 90)), None, beyond


def _photographed(sheet: Pixels, chart: Points, colours: PageColours, rng: Rng) -> _Record:
    """Photograph a bent sheet on a desk, in the light of a room, by a small camera."""
    height, width = sheet.shape[:2]
    noise_rng = np.random.Generator(np.random.Philox(rng.bits()))
    curl = Curl(rng.uniform(0, 0.015) * height, width * rng.uniform(1.2, 2.4), rng.uniform(0, 6.28))
    corners = oblong(0, 0, width, height)
    jitter = np.array([[rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05)] for _ in range(4)])
    inset = (np.array([width, height]) / 2 - corners) * rng.choice((0.0, 0.03, 0.06))
    quad = corners + inset + jitter * (width, height)
    about = cv2.getPerspectiveTransform(corners.astype(np.float32), quad.astype(np.float32))
    beyond = _fitted(about, curl(chart), (width, height))
    scene = photo.to_float(_view(sheet, curl, beyond, rng.choice(_DESKS)))
    scene *= 0.4 + 0.6 * photo.lamp_field(height, width, rng, noise_rng)
    # The slopes of a bent sheet are lit differently.
    slope = np.gradient(curl.rise(np.arange(width) + 0.5)) * rng.uniform(-3, 3)
    scene *= np.clip(1 + slope, 0.7, 1.3).astype(np.float32)[None, :, None]
    if rng.chance(0.25):  # the shadow of the person who takes the picture
        x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
        angle, edge = rng.uniform(0, math.tau), rng.uniform(0.1, 0.5)
        away = (x - 0.5) * math.cos(angle) + (y - 0.5) * math.sin(angle) - edge + 0.3
        dark = 1 / (1 + np.exp(-away / rng.uniform(0.02, 0.15)))
        scene *= (1 - rng.uniform(0.1, 0.35) * dark).astype(np.float32)[..., None]
    # White paper is as bright as the camera can show, and no brighter.
    scene *= min(1.0, _WHITE / float(np.quantile(scene[::8, ::8], 0.97)))
    least = 0.5 if colours.have_meaning else 0.3
    return photo.camera(scene, min(width, height), rng, noise_rng, least), curl, beyond


_RECORDS: dict[str, Callable[[Pixels, Points, PageColours, Rng], _Record]] = {
    "scan": _scanned, "photo": _photographed,
}  # fmt: skip


def _fitted(move: Matrix, chart: Points, size: Size) -> Matrix:
    """Shrink and shift a move of the sheet until all of the chart is in the picture."""
    rim = Pose(move)(_rim(chart))
    low, high = rim.min(0), rim.max(0)
    room = np.array(size) - 4.0
    scale = min(1.0, *(room / (high - low)))
    shift = np.clip(scale * low, 2, np.array(size) - 2 - scale * (high - low)) - scale * low
    fit = np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1]])
    fitted: Matrix = fit @ move
    return fitted


def _rim(corners: Points) -> Points:
    """Return points along the edges of a quadrilateral."""
    shares = np.linspace(0, 1, 8)[:, None]
    edges = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.concatenate([a + shares * (b - a) for a, b in edges])


def _view(sheet: Pixels, curl: Curl | None, beyond: Matrix, ground: Colour) -> Pixels:
    """Return the sheet as it is seen, on a ground of one colour."""
    height, width = sheet.shape[:2]
    back = np.linalg.inv(beyond)
    if curl is None:
        flat = np.linalg.inv(HALF) @ beyond @ HALF
        return np.asarray(cv2.warpPerspective(sheet, flat, (width, height), flags=cv2.INTER_LINEAR,
                                              borderMode=cv2.BORDER_CONSTANT,
                                              borderValue=ground))  # fmt: skip
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    u, v, w = (row[0] * x + row[1] * y + row[2] for row in back)
    u, v = u / w, v / w
    v -= curl.rise(u)
    return np.asarray(cv2.remap(sheet, (u - 0.5).astype(np.float32), (v - 0.5).astype(np.float32),
                                cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT,
                                borderValue=ground))  # fmt: skip
