"""A model that reads pictures. `gnomon.load` opens it; `read` asks it about a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sized
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.target import AnswerForm, Unlabelled
from gnomon.answers.number.answer import NumberForm, number_range_of, numbers_of
from gnomon.answers.registry import COLUMN_TARGETS, TARGETS
from gnomon.answers.text.answer import ANY_TEXT
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Certifier, Terms
from gnomon.eval.scoring.question_file import Question
from gnomon.files import content_hash
from gnomon.names import check as check_known
from gnomon.pipeline import families
from gnomon.pipeline.answering.rule import GREEDY, AnswerRule, full_settings
from gnomon.progress import track, warn
from gnomon.recipe import Columns, Recipe, RecipeError
from gnomon.runs import cuts
from gnomon.runs.answer import Answer
from gnomon.runs.finding import (
    EMBEDDED_READERS,
    InstrumentFinder,
    additions_of,
    cut_kind,
    kinds_asked,
)
from gnomon.runs.known_questions import (
    LISTED,
    box_questions,
    known_questions,
    question_of,
)
from gnomon.runs.picture_input import check_is_list, find_pictures, open_picture
from gnomon.runs.python_arguments import whole_number
from gnomon.runs.trained_rows import TrainedRows, read_rows
from gnomon.runs.trained_wording import in_trained_words
from gnomon.sample import CUT, FINDING, Prediction, Sample

if TYPE_CHECKING:
    from PIL.Image import Image

    from gnomon.pipeline.answering.server import Server
    from gnomon.pipeline.load import Loaded
    from gnomon.runs.picture_input import Picture

WINDOW = 8
"""Batches of pictures that are open at a time, unless they are large."""
_LOOKED_AT = 8
"""Pictures whose sizes are looked at before all are asked about."""
_MOST_PIXELS = 64_000_000
"""Largest number of pixels that are held at a time: photographs of a phone must fit in memory."""


class Reader:
    """A model with the question that it was trained on, and the calibration of its run.

    `gnomon.load` makes it. Nothing that it does writes a file.
    """

    def __init__(
        self, recipe: Recipe, run: Path | None = None, *, question: str | None = None,
        find: str | None = None, finder: InstrumentFinder | None = None,
        certifier: Certifier | None = None,
    ) -> None:  # fmt: skip
        self.recipe = as_calibrated(recipe, certifier)
        """How the model is loaded and how it answers."""
        self.run = run
        """The run that trained the model. It is None for a model as it came."""
        self.find = find
        """The question for the box that is cut out first. None asks about whole pictures."""
        self.finder = finder
        """The finder that looks for the instrument in each picture. None reads whole pictures."""
        self.certifier = certifier
        """The calibration of the run, with the terms that you asked for."""
        self._question = question
        self._unknown_questions: set[str] = set()
        self._warned_kinds: set[str | None] = set()
        self._with_additions: dict[str, Loaded] = {}
        self._has_looked = False

    def __repr__(self) -> str:
        return f"Reader({self.name!r})"

    @property
    def name(self) -> str:
        """The run's folder, or the model's name."""
        return self.recipe.model.name if self.run is None else str(self.run)

    @cached_property
    def questions(self) -> dict[str, AnswerForm]:
        """The questions that the model was trained on, each with the form of its answers.

        It is empty if the training is unknown, for example for a model of the hub.
        """
        return known_questions(self.recipe, self.run)

    @cached_property
    def question(self) -> str:
        """The question that `read` asks by default: yours, or the only question of the training."""
        if self._question is not None:
            return self._question
        return question_of(self.name, self.questions, self._box_questions)

    @property
    def chooses_question(self) -> bool:
        """True if the question follows from the instrument that is found in each picture."""
        return self.finder is not None and self._question is None and len(self.questions) > 1

    def _question_about(self, image: Image) -> str:
        """Return the question for the kind of instrument that the picture shows."""
        assert self.finder is not None
        kind = self.finder.kind(image)
        fitting = [
            question for question, form in self.questions.items()
            if kind is None or kind in kinds_asked(question, form)
        ]  # fmt: skip
        first = {kinds_asked(question, form)[:1] for question, form in self.questions.items()}
        is_known = kind is None or kind in self.additions or (kind,) in first
        if not is_known and kind not in self._warned_kinds:
            self._warned_kinds.add(kind)
            other = EMBEDDED_READERS.get(str(kind), self.name)
            way_out = f" ({other} was)" if other != self.name else ""
            warn(
                f"{self.name} was not trained on {kind}s{way_out}: do not trust what it reads off"
                " them"
            )
        return fitting[0] if fitting else next(iter(self.questions))

    @cached_property
    def _box_questions(self) -> list[str]:
        return box_questions(self.recipe, self.run)

    def read(
        self, picture: Picture, question: str | None = None, *, kind: str | None = None
    ) -> Answer:
        """Ask the question about one picture: a file, bytes, a PIL image or an array.

        `kind` is the type of the answer, such as "time" or "number", for questions on which the
        model was not trained.
        """
        name, image = open_picture(picture)
        question, form = self.question_and_form(question, kind, image)
        sample = Sample(name or "0", image, question, Unlabelled(form))
        (prediction,) = (answer for batch in self.predictions([sample]) for answer in batch)
        return self._answer(prediction, form, image, question, name)

    def read_all(
        self, pictures: str | Path | Iterable[Picture], question: str | None = None, *,
        kind: str | None = None, batch_size: int | None = None,
    ) -> Iterator[Answer]:  # fmt: skip
        """Yield the answer about each picture, in the given order. A path is a folder of pictures.

        Pictures are opened a batch at a time. A picture that cannot be opened gets an answer with
        an `error`, so there is an answer for each picture.
        """
        if isinstance(pictures, str | Path):
            pictures = list(find_pictures(Path(pictures)))
        else:
            check_is_list(pictures)
        # A mistake in the call is raised here, and not at the first answer.
        if question is not None or not self.chooses_question:
            question, _ = self.question_and_form(question, kind)
        size = self.recipe.eval.batch_size if batch_size is None else batch_size
        return self._read_all(pictures, question, kind, whole_number(size, "batch_size"))

    def _read_all(
        self, pictures: Iterable[Picture], question: str | None, kind: str | None, batch_size: int
    ) -> Iterator[Answer]:
        total = len(pictures) if isinstance(pictures, Sized) else None
        numbered = enumerate(pictures)
        # A camera or another stream is waited for, so a batch of it is answered at a time.
        n = batch_size if total is None else WINDOW * batch_size
        uncut: set[str] = set()
        with track(total=total, desc="answers") as bar:
            while window := list(_window(numbered, n)):
                samples = {}
                for index, _, image in window:
                    if not isinstance(image, ValueError):
                        text, form = self.question_and_form(question, kind, image)
                        samples[index] = Sample(str(index), image, text, Unlabelled(form))
                answers = self._answers_by_id(list(samples.values()), batch_size, uncut)
                for index, name, image in window:
                    answer = image if isinstance(image, ValueError) else answers[str(index)]
                    if isinstance(image, ValueError) or isinstance(answer, ValueError):
                        warn(f"{name or index} is left out: {answer}")
                        yield Answer("", question=question or "", name=name, error=str(answer))
                    else:
                        sample = samples[index]
                        form, text = sample.target.answer_form, sample.question
                        yield self._answer(answer, form, image, text, name or str(index))
                bar.update(len(window))
        _warn_of_uncut(uncut)

    def _answers_by_id(
        self, samples: list[Sample], batch_size: int, uncut: set[str]
    ) -> dict[str, Prediction | ValueError]:
        """Return the answers; a picture that the processor refuses costs no others their answer."""
        try:
            batches = list(self._predictions(samples, batch_size, uncut))
        except ValueError as error:
            if len(samples) <= 1:
                return {sample.id: error for sample in samples}
            answers: dict[str, Prediction | ValueError] = {}
            for sample in samples:
                answers |= self._answers_by_id([sample], 1, uncut)
            return answers
        return {answer.sample_id: answer for batch in batches for answer in batch}

    def predictions(self, samples: Iterable[Sample]) -> Iterator[list[Prediction]]:
        """Yield the model's answers to samples, batch by batch, in no particular order."""
        uncut: set[str] = set()
        yield from self._predictions(samples, self.recipe.eval.batch_size, uncut)
        _warn_of_uncut(uncut)

    def _predictions(
        self, samples: Iterable[Sample], size: int, uncut: set[str]
    ) -> Iterator[list[Prediction]]:
        """Yield the answers. `uncut` collects the ids of pictures without a box."""
        if self.recipe.eval.wording == "trained":
            samples = (in_trained_words(sample, self.questions) for sample in samples)
        if self.finder is not None and self.find is None:
            rest = iter(samples)
            while window := list(islice(rest, WINDOW * size)):
                views = [self.finder.view(sample) for sample in window]
                empty = [view for view in views if _is_refused(view)]
                if empty:
                    yield [Prediction.of(v, "", None, "plain", self.settings) for v in empty]
                views = [view for view in views if not _is_refused(view)]
                list(self._warn_of_shrunk(view for view in views if CUT not in view.facts))
                for kind in dict.fromkeys(map(self._addition, views)):
                    group = [view for view in views if self._addition(view) == kind]
                    yield from self._ask(group, size, self.rule, kind)
            return
        if self.find is None:
            yield from self._ask(self._warn_of_shrunk(samples), size, self.rule)
            return
        rest = iter(samples)
        while window := list(islice(rest, WINDOW * size)):
            to_find = cuts.box_samples(window, self.find)
            boxes = {
                answer.sample_id: answer for b in self._ask(to_find, size, GREEDY) for answer in b
            }
            cut = [cuts.cut_out(sample, boxes.get(sample.id)) for sample in window]
            pairs = zip(window, cut, strict=True)
            uncut |= {sample.id for sample, new in pairs if sample is new and sample.id in boxes}
            yield from self._ask(cut, size, self.rule)

    @cached_property
    def trained_rows(self) -> TrainedRows:
        """The pictures on which the run was trained, and which chose its checkpoint, by hashes."""
        return read_rows(self.run)

    @cached_property
    def rule(self) -> AnswerRule:
        """The way from what the model gives to an answer."""
        return AnswerRule.of(self.recipe, self.certifier)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Settings, stored with each answer, that it depends on besides picture and question."""
        model, section = self.recipe.model, self.recipe.eval
        if model.server is not None:
            settings: dict[str, Any] = {
                "name": model.name, "server": model.server, "family": model.family,
            }  # fmt: skip
            if self.rule.candidates:
                settings["repeats"] = section.repeats
        else:
            settings = {**model.settings, "weights": self.weights}
        if self.find is not None:
            settings |= {"find": self.find, "margin": cuts.MARGIN}
        elif self.finder is not None:
            settings |= self.finder.settings
            if self.additions:
                hashes = {kind: content_hash(file)[:16] for kind, file in self.additions.items()}
                settings["additions"] = hashes
        if section.wording != "given":
            settings["wording"] = section.wording
        return full_settings(settings, self.recipe.max_new_tokens, self.rule)

    @property
    def weights(self) -> str | None:
        """Hash of the weights' content. It is None for a model of the hub and for a blank model."""
        from gnomon.pipeline.load import fingerprint

        return fingerprint(self.recipe.model, self.run)

    @cached_property
    def model(self) -> Loaded:
        """The model with its processor, loaded on first use."""
        import torch

        from gnomon.pipeline.load import load, load_trained

        model, seed = self.recipe.model, self.recipe.seed
        with torch.random.fork_rng():  # the caller's random numbers go on as they were
            if self.run is None:
                return replace(load(model, seed=seed), weights=self.weights)
            return load_trained(model, self.run, seed=seed)

    @cached_property
    def additions(self) -> dict[str, Path]:
        """Files that a model without a run adds to its weights to read cuts, by their kind."""
        if self.run is not None or self.finder is None:
            return {}
        return additions_of(self.recipe.model)

    def _addition(self, sample: Sample) -> str:
        """Return the kind whose addition reads a picture, or an empty text for none."""
        kind = cut_kind(sample)
        return kind if kind in self.additions else ""

    def _model_for(self, kind: str) -> Loaded:
        """Return the model with the addition for a kind, loaded on first use."""
        if not kind:
            return self.model
        if kind not in self._with_additions:
            import torch

            from gnomon.pipeline.additions import add
            from gnomon.pipeline.load import load

            # Additions are small beside a model, but cannot be added to 4-bit weights.
            plain = replace(self.recipe.model, load_in_4bit=False, load_in_8bit=False)
            with torch.random.fork_rng():
                loaded = load(plain, seed=self.recipe.seed)
            add(loaded.model, self.additions[kind])
            self._with_additions[kind] = replace(loaded, weights=self.weights)
        return self._with_additions[kind]

    def open(self) -> Reader:
        """Load the model, unless a server holds it, and return the reader itself."""
        self.check()
        if self.recipe.model.server is None:
            self._check_calibration(self.model.weights)
        return self

    def check(self) -> None:
        """Refuse a calibration of other weights, and a rule that a server cannot follow."""
        if self.recipe.model.server is None:
            self._check_calibration(self.settings["weights"])
        else:
            self._check_calibration(served_name(self.recipe))
            _ = self._server

    @cached_property
    def _server(self) -> Server:
        from gnomon.pipeline.answering import server

        model = self.recipe.model
        assert model.server is not None
        server.check_rule(self.rule)
        return server.Server(model.server, model.name, seconds=self.recipe.eval.answer_seconds)

    def _check_calibration(self, weights: str | None) -> None:
        """Refuse a calibration of other weights."""
        if self.certifier is None or self.certifier.calibration.weights == weights:
            return
        if self.recipe.model.server is not None:
            what = f"{served_folder(self.recipe.model.name)}: {calibrations.NAME} is of"
            what += f" {self.certifier.calibration.weights}"
        else:
            what = f"{self.run}: {calibrations.NAME} is of other weights, from before the last"
            what += " training"
        raise RecipeError(f"{what}: `gnomon calibrate` again, or delete that file")

    def _ask(
        self, samples: Iterable[Sample], batch_size: int, rule: AnswerRule, kind: str = ""
    ) -> Iterator[list[Prediction]]:
        """Yield answers by a rule, from the loaded model or from the server.

        The model has the addition for cuts of this kind of instrument, if a kind is given.
        """
        section = self.recipe.eval
        if self.recipe.model.server is None:
            # Imported here, since torch takes seconds that a served model does not need.
            from gnomon.pipeline.answering import local

            self.open()
            yield from local.predict_batches(
                self._model_for(kind), samples, settings=self.settings, batch_size=batch_size,
                max_new_tokens=self.recipe.max_new_tokens, rule=rule,
            )  # fmt: skip
            return
        from gnomon.pipeline.answering import server

        self.open()
        family = self.recipe.model.family
        yield from server.predict_batches(
            self._server, samples, settings=self.settings, n_parallel=batch_size,
            max_new_tokens=self.recipe.max_new_tokens, rule=rule, repeats=section.repeats,
            dialect=families.create(family).dialect if family else "plain",
        )  # fmt: skip

    def _answer(
        self, prediction: Prediction, form: AnswerForm, image: Image, question: str, name: str
    ) -> Answer:
        if not self.recipe.eval.belief:  # a calibrated run computes beliefs in any case
            prediction = replace(prediction, logprobs=None)
        answer = Answer.of(prediction, form, image.size, question=question, name=name)
        if not self.trained_rows.train:
            return answer
        row = Question.of(Sample(name, image, question, Unlabelled(form)))
        return replace(answer, trained=self.trained_rows.trained(row))

    def question_and_form(
        self, question: str | None = None, kind: str | None = None, image: Image | None = None
    ) -> tuple[str, AnswerForm]:
        """Return the question that is asked about a picture, and the form of its answers."""
        if question is None and image is not None and self.chooses_question:
            question = self._question_about(image)
        question = self.question if question is None else question
        if not isinstance(question, str) or not question.strip():
            raise RecipeError(f"question {question!r}: say what to ask about the picture")
        certifier = self.certifier
        if certifier and certifier.terms != Terms() and not certifier.calibration.knows(question):
            raise RecipeError(
                f'"{question}" was not calibrated: `gnomon calibrate` with labelled pictures for'
                " it, or leave coverage, wrong and answered out"
            )
        return question, self.form_of(question, kind)

    def form_of(self, question: str, kind: str | None = None) -> AnswerForm:
        """Return the form of the answers to a question. Refuse a form that cannot be listed.

        Answers to a question that the model was not trained on have the form of `kind`. Without it
        they have the form of all trained answers, or are texts if these have several forms.
        """
        if kind is not None:
            check_known(COLUMN_TARGETS, kind, what="kind")
            form = TARGETS[kind].form_of_labels(Columns(kind=kind))
        else:
            if question not in self.questions:
                self.warn_of_unknown_question(question)
            form = self.trained_form(question)
        return self._listed(form)

    def trained_form(self, question: str) -> AnswerForm:
        """Return the form of the answers to a question, by the questions of the training.

        If all answers of the training have one form, other questions have it as well.
        """
        if question in self.questions:
            return self.questions[question]
        forms = set(self.questions.values())
        return forms.pop() if len(forms) == 1 else ANY_TEXT

    def warn_of_unknown_question(self, question: str) -> None:
        """Warn once of a question on which the model was not trained."""
        texts = dict.fromkeys([*self.questions, *self._box_questions])
        # Longer lists are samples of endlessly many questions.
        if question in texts or question in self._unknown_questions or len(texts) > LISTED:
            return
        self._unknown_questions.add(question)
        if texts:
            known = ", ".join(f'"{text}"' for text in texts)
            warn(
                f'{self.name} was not trained on "{question}" and may not know it: it knows {known}'
            )

    def _warn_of_shrunk(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yield the samples; warn once if the model shrinks pictures so far that marks are lost."""
        rest = iter(samples)
        first = list(islice(rest, _LOOKED_AT))
        if not self._has_looked and self.recipe.model.server is None:
            self._has_looked = True
            from gnomon.pipeline.planning.budget import shrunk_pictures_warning

            if text := shrunk_pictures_warning(self.model.family, self.model.processor, first):
                warn(text)
        return chain(first, rest)

    def _listed(self, form: AnswerForm) -> AnswerForm:
        """Return the form of the answer; raise if a belief is needed and no answers can be listed.

        If `eval.grid` does not fit the form, the answer is a number.
        """
        section = self.recipe.eval
        if not section.computes_belief:
            return form
        if section.grid is not None and numbers_of(form, section.grid_values) is None:
            form = NumberForm()
        is_listed = (
            not isinstance(section.belief, bool)
            or section.grid is not None
            or form.possible_answers()
            or form.has_place  # a box is not listed: its numbers have beliefs, one by one
            or number_range_of(form) is not None
            or bool(self.certifier and self.certifier.calibration.listing)
        )
        if is_listed:
            return form
        key = f"eval.answer={section.answer}" if section.chooses_from_belief else "eval.belief=true"
        raise RecipeError(
            f"{key}: it is not known which answers a picture without a label may have. List them,"
            " as in 'eval.grid=[0, 9.9, 0.1]' or 'eval.belief=[low, high]'"
        )


def _is_refused(sample: Sample) -> bool:
    """Return True if the picture shows nothing to ask about."""
    return FINDING in sample.facts and bool(sample.facts[FINDING].refusal)


def _warn_of_uncut(uncut: Collection[str]) -> None:
    if uncut:
        warn(f"no box could be read for {len(uncut):,} pictures: they were asked about whole")


def _window(
    numbered: Iterator[tuple[int, Picture]], n: int
) -> Iterator[tuple[int, str, Image | ValueError]]:
    """Yield the next n pictures, opened, or fewer if the pictures are large."""
    n_pixels = 0
    for index, picture in islice(numbered, n):
        name = Path(picture).name if isinstance(picture, str | Path) else ""
        try:
            name, image = open_picture(picture)
            n_pixels += image.width * image.height
            yield index, name, image
        except ValueError as error:
            yield index, name, error
        if n_pixels > _MOST_PIXELS:
            return


def as_calibrated(recipe: Recipe, certifier: Certifier | None) -> Recipe:
    """Let a recipe list the answers that a calibration knows, and choose among them as it does."""
    if certifier is None:
        return recipe
    calibration = certifier.calibration
    section = replace(
        recipe.eval, answer=calibration.rule, grid=calibration.grid, views=calibration.views
    )
    return replace(recipe, eval=section)


def served_folder(model: str) -> Path:
    """Return the folder of a served model's calibration, below the working directory."""
    return Path("predictions") / f"{Path(model).name}-served"


def served_name(recipe: Recipe) -> str:
    """Return what a calibration of a served model is of: its weights are not known here."""
    return f"{recipe.model.name} at {recipe.model.server}"
