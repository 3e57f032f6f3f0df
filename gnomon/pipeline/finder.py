"""The finder: a small convolutional network that finds instruments in wide pictures.

It comes with gnomon-tiny. It gives four corners of each instrument, so that a face that is seen
from the side can be cut out as a square. The shipped network learned little of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from gnomon.pipeline.families import TINY

KINDS = ("clock", "dial", "gauge", "counter")
SIDE = 192
"""Side in pixels of the square that the network sees. Wider pictures get grey bars."""
STRIDE = 8
"""Pixels between two places at which the network says what is there."""
CELLS = SIDE // STRIDE
GREY = 114
WEIGHTS = TINY / "finder.safetensors"
MARGIN = 0.02
"""Share of the instrument's side that a cut adds at each of its ends."""
_UNIT = 32.0
"""Pixels of half an instrument whose predicted size is 0."""
_LEAST_SCORE = 0.1
_MOST_OVERLAP = 0.4
"""Largest share of the smaller of two boxes in which they overlap, if both are instruments."""
_NEAR = 1.9
"""Side of the near view in which corners are found again, in sides of the instrument."""
_MOST_NEAR = 2
"""Largest number of detections that are looked at again."""
_FAR_LESS_SURE = 0.6
"""Share of the best score below which a detection is not looked at again."""

Corners: TypeAlias = NDArray[np.float64]
"""Corners in pixels: top left, top right, bottom right and bottom left of the upright instrument,
[4, 2]. Some may lie outside of the picture."""


class Detection(NamedTuple):
    """An instrument in a picture."""

    kind: str
    score: float
    """Confidence that an instrument is there, 0 to 1."""
    corners: Corners
    shares: dict[str, float]
    """Probability of each kind."""

    def box(self, size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Return the corners x1, y1, x2, y2 of the box in a picture of this size."""
        low = np.clip(np.floor(self.corners.min(0)), 0, size).astype(int).tolist()
        high = np.clip(np.ceil(self.corners.max(0)), 0, size).astype(int).tolist()
        return low[0], low[1], high[0], high[1]


class Finder:
    """The network with its weights, on the CPU."""

    def __init__(self, weights: str | Path = WEIGHTS) -> None:
        self._content = Path(weights).read_bytes()

    @cached_property
    def digest(self) -> str:
        """Hash of the weights' content."""
        return sha256(self._content).hexdigest()[:16]

    @cached_property
    def network(self) -> FinderNetwork:
        """The network, loaded on first use."""
        from safetensors.torch import load

        # The random weights of a new network are replaced, so random numbers go on as before.
        with torch.random.fork_rng():
            network = FinderNetwork()
        network.load_state_dict(
            {n: w.float() for n, w in load(self._content).items()}, strict=False
        )
        return network.to(memory_format=torch.channels_last).eval()  # type: ignore[call-overload, no-any-return]

    def find(self, picture: Image.Image) -> list[Detection]:
        """Return the instruments in a picture, the surest first."""
        pixels = np.asarray(picture.convert("RGB"))
        (rough,) = self._detect([_square(pixels, (0, 0, *picture.size))])
        near = []
        least = _FAR_LESS_SURE * max((detection.score for detection in rough), default=0)
        for detection in [d for d in rough if d.score >= least][:_MOST_NEAR]:
            middle = detection.corners.mean(0)
            reach = np.ptp(detection.corners, 0).max() * _NEAR / 2
            near.append((*(middle - reach), *(middle + reach)))
        views = [_square(pixels, view) for view in near]
        result = [*rough]
        for index, closer in enumerate(self._detect(views) if views else []):
            result[index] = _better(rough[index], closer)
        return sorted(result, key=lambda detection: -detection.score)

    def _detect(self, views: Sequence[tuple[NDArray[np.uint8], Corners]]) -> list[list[Detection]]:
        """Return the detections of each view in pixels of its picture. A view has a matrix [2, 3]
        from its pixels to the picture's."""
        batch = torch.from_numpy(np.stack([pixels for pixels, _ in views]))
        with torch.inference_mode():
            here, kinds, corners = self.network(normalise(batch))
            score = torch.sigmoid(here)
            is_top = nn.functional.max_pool2d(score, 3, 1, 1) == score
            score, kinds = torch.where(is_top, score, 0)[:, 0], torch.softmax(kinds, 1)
        results = []
        for row, (_, move) in enumerate(views):
            detections: list[Detection] = []
            for at in score[row].flatten().argsort(descending=True)[:12].tolist():
                y, x = divmod(at, CELLS)
                if (sure := float(score[row, y, x])) < _LEAST_SCORE:
                    break
                places = corners[row, :, y, x].reshape(4, 2).double().numpy() @ move[:, :2].T
                shares = dict(zip(KINDS, kinds[row, :, y, x].tolist(), strict=True))
                kind = max(shares, key=shares.__getitem__)
                new = Detection(kind, sure, places + move[:, 2], shares)
                if all(_overlap(new, other) < _MOST_OVERLAP for other in detections):
                    detections.append(new)
            results.append(detections)
        return results


def cut(
    picture: Image.Image, corners: Corners, *, side: int | None = None, straight: bool = True,
    margin: float = MARGIN,
) -> Image.Image:  # fmt: skip
    """Cut an instrument out of its picture, with a margin, upright unless `straight` is False.

    A round face becomes a square of `side` pixels, by default about as large as it is in the
    picture. A plain cut is a square around the corners.
    """
    corners = np.asarray(corners, float)
    if not straight:
        low, high = corners.min(0), corners.max(0)
        reach = (high - low).max() / 2
        corners = (low + high) / 2 + reach * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    sides = np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1)
    wide, high_ = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    is_long = wide > 1.5 * high_
    width = max(8, round(side or max(wide, high_) * (1 + 2 * margin)))
    height = max(8, round(width * high_ / wide)) if is_long else width
    inner = np.array([(margin, margin), (1 + margin, margin), (1 + margin, 1 + margin),
                      (margin, 1 + margin)]) / (1 + 2 * margin) * (width, height)  # fmt: skip
    # OpenCV counts pixels by their centres.
    move = cv2.getPerspectiveTransform(
        (corners - 0.5).astype(np.float32), (inner - 0.5).astype(np.float32)
    )
    pixels = np.asarray(picture.convert("RGB"))
    shrink = max(1.0, max(wide, high_) / width)
    if shrink > 1.5:  # a warp looks at four pixels only
        pixels = cv2.GaussianBlur(pixels, (0, 0), 0.35 * shrink)
    upright = cv2.warpPerspective(
        pixels, move, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return Image.fromarray(upright)


def _better(rough: Detection, closer: Sequence[Detection]) -> Detection:
    """Return a detection with the corners of the near view, if this shows the same thing."""
    for detection in closer:
        away = np.linalg.norm(detection.corners.mean(0) - rough.corners.mean(0))
        size, before = np.ptp(detection.corners, 0).max(), np.ptp(rough.corners, 0).max()
        if away < 0.3 * before and 0.5 < size / before < 1.7:
            shares = {k: (share + rough.shares[k]) / 2 for k, share in detection.shares.items()}
            kind = max(shares, key=shares.__getitem__)
            score = (rough.score + detection.score) / 2
            return Detection(kind, score, detection.corners, shares)
    return rough._replace(score=rough.score / 2)


def _overlap(first: Detection, other: Detection) -> float:
    low = np.maximum(first.corners.min(0), other.corners.min(0))
    high = np.minimum(first.corners.max(0), other.corners.max(0))
    areas = [np.prod(np.ptp(detection.corners, 0)) for detection in (first, other)]
    return float(np.prod(np.clip(high - low, 0, None)) / max(min(areas), 1e-6))


def _square(pixels: NDArray[np.uint8], view: Sequence[float]) -> tuple[NDArray[np.uint8], Corners]:
    """Return a view of a picture, x1, y1, x2, y2 in pixels, as the network sees it.

    Around the view and the picture is grey. The matrix leads from its pixels to the picture's.
    """
    height, width = pixels.shape[:2]
    x1, y1, x2, y2 = view
    scale = max(x2 - x1, y2 - y1) / SIDE
    x0, y0 = (x1 + x2 - scale * SIDE) / 2, (y1 + y2 - scale * SIDE) / 2
    move = np.array([[scale, 0, x0], [0, scale, y0]])
    # The part that lies in the picture is shrunk with all its pixels.
    low = np.clip(np.floor([x1, y1]), 0, (width, height)).astype(int)
    high = np.clip(np.ceil([x2, y2]), 0, (width, height)).astype(int)
    square = np.full((SIDE, SIDE, 3), GREY, np.uint8)
    if (high <= low).any():
        return square, move
    begin = np.clip(np.round((low - (x0, y0)) / scale), 0, SIDE - 1).astype(int)
    end = np.clip(np.round((high - (x0, y0)) / scale), begin + 1, SIDE).astype(int)
    way = cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR
    part = np.ascontiguousarray(pixels[low[1] : high[1], low[0] : high[0]])
    size = (int(end[0] - begin[0]), int(end[1] - begin[1]))
    square[begin[1] : end[1], begin[0] : end[0]] = cv2.resize(part, size, interpolation=way)
    return square, move


class _Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = _convolution(width, width), _convolution(width, width)

    def forward(self, x: Tensor) -> Tensor:
        moved: Tensor = self.second(torch.relu(self.first(x)))
        return torch.relu(x + moved)


def _convolution(before: int, after: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(before, after, size, stride, size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(after))


class FinderNetwork(nn.Module):
    """Network from pictures [n, 3, SIDE, SIDE] to three maps of CELLS × CELLS places.

    The maps are a logit of "the middle of an instrument is here" [n, 1, …], logits of its kind
    [n, kinds, …] and its corners in pixels of the picture [n, 8, …], x and y of each.
    """

    def __init__(self) -> None:
        super().__init__()
        relu = nn.ReLU(inplace=True)
        self.stem = nn.Sequential(
            _convolution(3, 16, stride=2), relu, _convolution(16, 32, stride=2), relu, _Block(32)
        )
        self.fine = nn.Sequential(_convolution(32, 64, stride=2), relu, _Block(64))
        self.middle = nn.Sequential(_convolution(64, 112, stride=2), relu, _Block(112), _Block(112))
        self.coarse = nn.Sequential(
            _convolution(112, 128, stride=2), relu, _Block(128), _Block(128)
        )
        self.from_coarse, self.from_middle = _convolution(128, 112, 1), _convolution(112, 64, 1)
        self.after_middle, self.after_fine = _Block(112), _Block(64)
        self.head = nn.Sequential(_convolution(64, 96), relu, nn.Conv2d(96, 1 + len(KINDS) + 9, 1))
        bias = self.head[-1].bias
        assert isinstance(bias, nn.Parameter)
        with torch.no_grad():
            bias.zero_()
            bias[0] = -4.0
            bias[-8:] = torch.tensor([-1.0, -1, 1, -1, 1, 1, -1, 1])
        middles = (torch.arange(CELLS) + 0.5) * STRIDE
        y, x = torch.meshgrid(middles, middles, indexing="ij")
        self.register_buffer("middles", torch.stack([x, y] * 4), persistent=False)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        fine = self.fine(self.stem(pictures))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        middle = self.after_middle(torch.relu(middle + _twice(self.from_coarse(coarse))))
        fine = self.after_fine(torch.relu(fine + _twice(self.from_middle(middle))))
        maps = self.head(fine).float()
        here, kinds, size, corners = maps.split([1, len(KINDS), 1, 8], 1)
        scale = _UNIT * torch.exp(size.clamp(-3, 3))
        return here, kinds, self.middles + scale * corners


def _twice(x: Tensor) -> Tensor:
    return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")


def normalise(pixels: Tensor) -> Tensor:
    """Bring pictures [n, SIDE, SIDE, 3], 0 to 255, into the form that the network takes."""
    return (pixels.permute(0, 3, 1, 2).float() - GREY) / 64.0
