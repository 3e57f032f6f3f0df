"""Questions about pictures that a run, or a model with gnomon's card, was trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from gnomon import generators, store
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.number.answer import form_with_decimals
from gnomon.answers.registry import TARGETS, form_from_json
from gnomon.answers.text.answer import ANY_TEXT
from gnomon.eval.scoring.question_file import QuestionFile, question_path
from gnomon.generators.base import Generator
from gnomon.options import option
from gnomon.pipeline import families
from gnomon.recipe import Columns, Recipe, RecipeError, Source
from gnomon.runs.directory import AFTER, BEFORE
from gnomon.runs.provenance import provenance_path, read_provenance
from gnomon.sample import Target
from gnomon.store import Samples
from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.dataset import open_copy
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import GeneratedSamples, evenly_spaced
from gnomon.store.user_data.row_files import is_user_data

CARD_KEY, FIND_KEY, FORMS_KEY = "questions", "find_questions", "answers"
"""Keys of a model card's metadata: questions, those for a box, and the forms of all answers."""
LISTED = 10
"""Questions that a message or a card lists."""
# Of 24 samples one shows a question that every eighth has, with 96 % probability.
_PROBED = 24
"""Samples of a source that are looked at. A rarer question is not taken for the source's."""
_MOST_LABELS = 100
"""Labels of a split among which a readable one is looked for."""
_MISSING = (ValueError, OSError, ImportError)
"""Errors of data that was moved, or of a hub without its library or a network."""


def known_questions(recipe: Recipe, run: Path | None) -> dict[str, AnswerForm]:
    """Return the questions of a training, each with the form of its answers.

    If some pictures were the user's own, only their questions count, because the next pictures will
    also be the user's.
    """
    if run is None:
        return _card_forms(recipe, CARD_KEY)
    sources = [*recipe.data, *(recipe.eval.data or ())]
    stored = _stored_forms(run)
    for users in (True, False):
        forms: dict[str, AnswerForm] = {}
        for source in sources:
            if _is_users(source) == users:
                forms |= _source_forms(source, recipe.seed, stored, run)
        if forms:
            return forms
    # The sources may be gone. The run's own copy of its samples still has their questions.
    return _sample_forms(lambda: store.open(RunFolder(run).data, "train"))


def box_questions(recipe: Recipe, run: Path | None) -> list[str]:
    """Return the questions for an object's box that a run or a model was trained on."""
    if run is None:
        return list(_card_forms(recipe, FIND_KEY))
    texts: list[str] = []
    for source in (*recipe.data, *(recipe.eval.data or ())):
        if source.columns and source.columns.kind == "box":
            texts += _source_forms(source, recipe.seed, _stored_forms(run), run)
        for generator in _generators(source):
            texts += generator.box_questions
    return list(dict.fromkeys(texts))


def question_of(name: str, questions: Mapping[str, AnswerForm], boxes: list[str]) -> str:
    """Return the only question of a training. If there are several or no questions, a RecipeError
    lists them."""
    texts = [text for text in questions if text not in boxes] or list(questions)
    if len(texts) == 1:
        return texts[0]
    way_out = f"say what to ask about the pictures, {option('question', '…')}"
    if not texts:
        raise RecipeError(f"{name} records no question about pictures: {way_out}")
    lines = [f"  {text}" for text in texts[:LISTED]]
    lines += [f"  and {len(texts) - LISTED:,} more"] if len(texts) > LISTED else []
    head = f"{name} was trained on several questions about pictures: {way_out}, such as"
    raise RecipeError("\n".join([head, *lines]))


def _is_users(source: Source) -> bool:
    """Return True for the user's own pictures, False for pictures that gnomon drew or wrote."""
    # A hub's dataset and a benchmark are somebody's photographs or tables, not gnomon's drawings.
    if source.path is None or source.columns or source.benchmark:
        return source.kind is None
    return is_user_data(source.path)


def _source_forms(
    source: Source, seed: int, stored: list[tuple[Source, dict[str, AnswerForm]]], run: Path
) -> dict[str, AnswerForm]:
    """Return a source's questions with their forms: by the recipe, as stored, or by samples."""
    columns = source.columns
    if columns and columns.ask:  # one question for all rows: no row is read
        return {columns.ask: _form_of_labels(columns, run)} if columns.image else {}
    drawing = _generators(source)
    if drawing:
        forms: dict[str, AnswerForm] = {}
        for generator in drawing:
            forms |= _generator_forms(generator)
        return forms
    forms = {}
    for other, some in stored:
        forms |= some if other == source else {}
    if not forms:
        forms = _sample_forms(lambda: store.mixture((source,), split="train", seed=seed))
    if columns:
        return dict.fromkeys(forms, _form_of_labels(columns, run))
    return forms


def _form_of_labels(columns: Columns, run: Path) -> AnswerForm:
    """Return the form of the answers in a user's column, by the labels if these decide it."""
    form = TARGETS[columns.kind].form_of_labels(columns)
    if columns.digits:  # the labels set the figures and decimals of a counter
        return next((form_with_decimals(label) for label in _stored_labels(run)), form)
    if not any(columns.units) and not isinstance(columns.within, str):
        return form
    # Unit and tolerance may be names of columns, in which each label has its own.
    forms = {label.answer_form for label in _stored_labels(run) if label.name == form.name}
    if not forms or form in forms:
        return form
    return forms.pop() if len(forms) == 1 else ANY_TEXT


def _stored_labels(run: Path) -> Iterator[Target]:
    """Yield labels of readable pictures that the run wrote down, if it has any."""
    try:
        data = RunFolder(run).data
        copies = [open_copy(data, split) for split in manifests.read(data)["splits"]]
    except (ValueError, OSError):  # a form without them is still a form
        return
    for samples in copies:
        targets = map(samples.target, range(min(samples.length or 0, _MOST_LABELS)))
        yield from (target for target in targets if target.is_readable)


def _generators(source: Source) -> list[Generator]:
    """Return the generators of a kind, or of a dataset that has only drawn samples."""
    try:
        if source.kind is not None:
            return list(generators.create(source.kind, **(source.options or {})).members)
        if source.path is None or _is_users(source):
            return []
        splits = manifests.read(Path(source.path))["splits"].values()
        parts = []
        for split in splits:
            samples = split["samples"]
            parts += samples.get("sources", [samples])
        # The samples of a converted table have questions of their own.
        if any(part["source"] != "drawn" for part in parts):
            return []
        members: list[Generator] = []
        for part in parts:
            members += generators.create(part["kind"], **part["options"]).members
        return members
    except _MISSING:
        return []


def _generator_forms(generator: Generator) -> dict[str, AnswerForm]:
    if generator.general_question is not None:
        return {generator.general_question: generator[0].target.answer_form}
    return _sample_forms(lambda: GeneratedSamples(generator))


def _sample_forms(open_samples: Callable[[], Samples]) -> dict[str, AnswerForm]:
    """Return the questions about pictures in some samples. Missing samples have no questions."""
    try:
        samples = open_samples()
        n = samples.length if samples.length is not None else _PROBED
        some = [samples[index] for index in evenly_spaced(n, _PROBED)]
    except _MISSING:
        return {}
    forms: dict[str, AnswerForm] = {}
    for sample in some:
        if sample.image is not None:
            forms.setdefault(sample.question, sample.target.answer_form)
    return forms


def _stored_forms(run: Path) -> list[tuple[Source, dict[str, AnswerForm]]]:
    """Pair each source that a run was measured on with its questions about pictures."""
    pairs = []
    for name in (AFTER, BEFORE):
        answers = RunFolder(run).answers(name)
        if question_path(answers).is_file() and provenance_path(answers).is_file():
            questions = list(QuestionFile(question_path(answers)))
            provenance = read_provenance(answers)
            exam = provenance.exam
            ids = exam.by_source(questions, provenance.data)
            for source, title in zip(exam.sources, exam.names, strict=True):
                # `ids` is empty for an exam with a single source: all rows are its.
                rows = [q for q in questions if not ids or q.id in ids.get(title, ())]
                forms: dict[str, AnswerForm] = {}
                for row in rows:
                    if row.question and row.size is not None:
                        forms.setdefault(row.question, row.target.answer_form)
                pairs.append((source, forms))
    return pairs


def _card_forms(recipe: Recipe, key: str) -> dict[str, AnswerForm]:
    """Return the questions under a key of a local model's card, each with its form."""
    if recipe.model.server is not None:  # its training is not known here
        return {}
    card = Path(families.locate(recipe.model.name)) / "README.md"
    if not card.is_file():
        return {}
    from huggingface_hub import metadata_load

    try:
        metadata = metadata_load(card) or {}
    except ValueError:
        return {}
    texts, forms = metadata.get(key), metadata.get(FORMS_KEY)
    if not isinstance(texts, list):
        return {}
    return {text: _card_form(text, forms) for text in texts if isinstance(text, str)}


def _card_form(question: str, forms: object) -> AnswerForm:
    """Return the form that a card gives for a question. The default is any text."""
    row = forms.get(question) if isinstance(forms, dict) else None
    try:
        return form_from_json(row) if isinstance(row, dict) else ANY_TEXT
    except ValueError:
        return ANY_TEXT
