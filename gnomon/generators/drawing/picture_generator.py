"""Base of kinds that draw pictures: their materials, and the degradation of pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from PIL.Image import Image

from gnomon.generators.base import LATER, WORDS_ONLY, Generator
from gnomon.generators.drawing import backgrounds, colours
from gnomon.generators.drawing import degrade as degrading
from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.degrade import Degrade
from gnomon.generators.drawing.lettering import font_fault
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile, user_files
from gnomon.sample import Sample

STEPS_WANTED = "First state what you see."


@dataclass(frozen=True, kw_only=True, repr=False)
class PictureGenerator(Generator):
    """Kind whose samples are pictures."""

    asks_for_steps: ClassVar[tuple[str, ...]] = ()
    """Questions whose answers can have steps. Empty for a kind without steps."""

    answer: Literal["value", "steps", "mixed"] = field(default="value", metadata=WORDS_ONLY)
    """value; steps: answers first state what the picture shows, such as between 4 and 5, 7 of 10:
    4.7; or mixed: half of each, and the question says if steps are wanted. Answers that are places
    or lists have no steps. Pictures do not depend on it."""
    degrade: Degrade = field(default="off", metadata=LATER)
    """Noise, blur, JPEG, uneven light, a slight turn, tilt and crop: off, light or heavy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.materials  # files that cannot be drawn with are refused here
        questions = getattr(self, "questions", ())
        if self.answer != "value" and not {*questions} & {*self.asks_for_steps}:
            raise ValueError(
                f"answer={self.answer!r}: {self.kind} has no steps for questions={questions}: give"
                f" answer='value', or add one of {', '.join(self.asks_for_steps)}"
            )

    def id(self, index: int) -> str:
        form = "" if self.answer == "value" else f"-{self.answer}"
        return f"{self.name}{form}-{index:07}"

    def with_steps(self, index: int, sample: Sample, steps: Callable[[], str]) -> Sample:
        """Return sample `index` with the result of `steps` before its answer, if this is wanted."""
        if self.answer == "value" or sample.facts["question"] not in self.asks_for_steps:
            return sample
        is_mixed = self.answer == "mixed"
        if not (rationale := steps()) or (is_mixed and Rng(self.name, "answer", index).chance(0.5)):
            return sample
        question = f"{sample.question} {STEPS_WANTED}" if is_mixed else sample.question
        return replace(sample, question=question, rationale=rationale)

    @property
    @abstractmethod
    def built_in(self) -> Mapping[str, tuple[str, ...]]:
        """Built-in names of the options `backgrounds`, `fonts` and `palettes`, if the kind has
        them."""

    def palette_name(self, file: UserFile) -> str:
        """Return the name of a user's palette: the colours in its file."""
        return colours.dial_palette_name(file)

    @cached_property
    def materials(self) -> Materials:
        """Backgrounds, fonts and palettes to draw with."""
        choices = {option: getattr(self, option) for option in self.built_in}
        return Materials(choices, self.built_in, self.palette_name)

    @property
    def files(self) -> dict[str, UserFile]:
        return self.materials.files

    @property
    def hashed_options(self) -> dict[str, Any]:
        return self.materials.hashed_options

    def background_photograph(self, index: int) -> UserFile | None:
        """Return the photograph behind picture `index`. None if its background is drawn."""
        if not self.materials.has_photographs:
            return None
        # A separate random stream, so a photograph leaves the rest of the picture unchanged.
        name = Rng(self.name, "photograph", index).choice(self.materials.names("backgrounds"))
        return name if isinstance(name, UserFile) else None

    def ground(self, grounds: Sequence[Colour], photo: UserFile | None, rng: Rng) -> Colour:
        """Choose a random ground, or the ground most similar to a photograph."""
        return rng.choice(grounds) if photo is None else backgrounds.nearest_ground(photo, grounds)

    def degrade_picture(
        self, index: int, picture: Image, keep: Points | None = None,
        *, stroke: int | None = None,
    ) -> tuple[Image, Pose]:  # fmt: skip
        """Degrade picture `index`. The homography maps its points.

        The crop keeps all of `keep`, points [n, 2] of the picture. With None it keeps the whole
        picture. `stroke` is the width in pixels of strokes that a blur must not erase. None stands
        for the strokes of a dial.
        """
        if self.degrade == "off":
            return picture, degrading.UNMOVED
        rng = Rng(self.name, "degrade", index)
        return degrading.degraded(picture, self.degrade, rng, keep, stroke)


class Materials:
    """Backgrounds, fonts and palettes that the options of a kind name.

    A folder stands for all its files in the order of their names. Each file is chosen as often as a
    built-in name.
    """

    def __init__(
        self,
        choices: Mapping[str, Sequence[str] | None],
        built_in: Mapping[str, Sequence[str]],
        palette_name: Callable[[UserFile], str],
    ) -> None:
        """Find and check the files.

        `choices` has the options as the user gave them, None for all of `built_in`. `palette_name`
        turns a palette's file into a name.
        """
        self._choices, self._built_in, self._palette_name = choices, built_in, palette_name
        for file in self._files("backgrounds"):
            backgrounds.check_photograph(file)
        _ = self._names

    def names(self, option: str) -> tuple[str, ...]:
        """Return the names of an option: built-in names, files, and for palettes their colours."""
        return self._names[option]

    @cached_property
    def procedural_backgrounds(self) -> tuple[str, ...]:
        """Drawn backgrounds, without photographs."""
        return tuple(n for n in self.names("backgrounds") if not isinstance(n, UserFile))

    @property
    def has_photographs(self) -> bool:
        """Return True if a background may be a photograph."""
        return len(self.procedural_backgrounds) < len(self.names("backgrounds"))

    @property
    def files(self) -> dict[str, UserFile]:
        """The user's files, by their paths."""
        return {file.path: file for option in self._by_entry for file in self._files(option)}

    @property
    def hashed_options(self) -> dict[str, Any]:
        """The options that name files, with hashes of the files instead of their paths."""
        return {
            option: [
                [file.sha256 for file in files_by_entry[entry]]
                if entry in files_by_entry
                else entry
                for entry in self._choices[option] or ()
            ]
            for option, files_by_entry in self._by_entry.items()
            if files_by_entry
        }

    def check_fonts(self, letters: str) -> None:
        """Refuse fonts of the user that cannot write these letters."""
        for file in self._files("fonts"):
            if fault := font_fault(file, letters):
                raise ValueError(f"fonts: {fault}: leave such fonts out")

    @cached_property
    def _by_entry(self) -> dict[str, dict[str, list[UserFile]]]:
        """Files of each option, by the entry that names them."""
        return {
            option: user_files(option, entries, self._built_in[option])
            for option, entries in self._choices.items()
            if entries is not None
        }

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        names = {}
        for option, standard in self._built_in.items():
            entries = self._choices[option] or standard
            files = self._by_entry.get(option, {})
            every = [name for entry in entries for name in files.get(entry, [entry])]
            if option == "palettes":
                # A user's palette is named by its colours, so equal colours from two files are
                # one palette.
                every = [self._palette_name(n) if isinstance(n, UserFile) else n for n in every]
            # Two entries may name the same file. It is still chosen as often as the others.
            names[option] = tuple(dict.fromkeys(every))
        return names

    def _files(self, option: str) -> list[UserFile]:
        return [file for files in self._by_entry.get(option, {}).values() for file in files]
