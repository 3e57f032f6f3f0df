"""Pictures without labels: the question about them, which the training asked, and their answers."""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

from gnomon import generators, store
from gnomon.answers.registry import TARGETS
from gnomon.atomic import put_text
from gnomon.eval.formatting import certainty_text
from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.questions import QuestionFile, question_path
from gnomon.files import open_bytes, write_rows
from gnomon.generators.base import Generator
from gnomon.pipeline import families
from gnomon.progress import warn
from gnomon.recipe import Columns, Recipe, RecipeError, Source
from gnomon.runs.answer_files import provenance_path, read_provenance
from gnomon.runs.directory import AFTER, BEFORE
from gnomon.sample import Prediction, Sample, Target, Text
from gnomon.store import Samples
from gnomon.store.formats import manifest as manifests
from gnomon.store.pictures import load_picture
from gnomon.store.reading.dataset import open_copy
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import GeneratedSamples, evenly_spaced
from gnomon.store.user_data.pictures import PICTURE_SUFFIXES
from gnomon.store.user_data.row_files import is_user_data

_MOST_LABELS = 100
"""Labels of a split of which one is looked for that can be read."""
CARD_KEY = "questions"
"""Key of a model card's metadata with the questions about pictures of the training."""
FIND_KEY = "find_questions"
"""Key of those among them that ask for a box."""
LISTED = 10
"""Questions that a message or a card lists."""
# Of 24 samples one shows a question that every eighth has, with 96 % probability.
_PROBED = 24
"""Samples of a source that are looked at; a rarer question is not taken for the source's."""
_MISSING = (ValueError, OSError, ImportError)
"""Errors of data that was moved, or of a hub without its library or a network."""
_UNREAD_SUFFIXES = (".heic", ".heif", ".avif", ".dng", ".cr2", ".nef", ".arw")
"""Photographs of phones and cameras that have to be saved as JPEG first."""
_COLUMNS = ("file", "answer")
_CUT_COLUMNS = ("x1", "y1", "x2", "y2")
_CERTAINTY_COLUMNS = ("low", "high", "confidence", "refused")
_BELIEF_COLUMNS = ("likeliest", "belief", "belief_listed")


def question_of(recipe: Recipe, run: Path | None) -> str:
    """Return the question about pictures that a run, or a model with gnomon's card, was trained on.

    Several or none are a RecipeError, which lists them.
    """
    name = recipe.model.name if run is None else str(run)
    texts, boxes = _known_questions(recipe, run), box_questions(recipe, run)
    texts = [text for text in texts if text not in boxes] or texts
    if len(texts) == 1:
        return texts[0]
    way_out = 'say what to ask about the pictures, --question "…"'
    if not texts:
        raise RecipeError(f"{name} records no question about pictures: {way_out}")
    lines = [f"  {text}" for text in texts[:LISTED]]
    lines += [f"  and {len(texts) - LISTED:,} more"] if len(texts) > LISTED else []
    head = f"{name} was trained on several questions about pictures: {way_out}, such as"
    raise RecipeError("\n".join([head, *lines]))


def warn_of_unknown_question(question: str, recipe: Recipe, run: Path | None) -> None:
    """Warn of a question on which a run, or a model with gnomon's card, was not trained."""
    texts = dict.fromkeys([*_known_questions(recipe, run), *box_questions(recipe, run)])
    # Longer lists are samples of endlessly many questions.
    if texts and question not in texts and len(texts) <= LISTED:
        name = recipe.model.name if run is None else run
        listed = ", ".join(f'"{text}"' for text in texts)
        warn(f'{name} was not trained on "{question}" and may not know it: it knows {listed}')


def _known_questions(recipe: Recipe, run: Path | None) -> list[str]:
    """Return the questions of a run, or of a local model's card; none behind a server."""
    if run is not None:
        return run_questions(recipe, run)
    return [] if recipe.model.server else _card_questions(recipe.model.name, CARD_KEY)


def run_questions(recipe: Recipe, run: Path) -> list[str]:
    """Return the questions about pictures that a run was trained or measured on.

    If some pictures were the user's own, only theirs count: the next ones are the user's, too.
    """
    sources = [*recipe.data, *(recipe.eval.data or ())]
    stored = _stored_questions(run)
    # First the user's own pictures; generated ones decide only where there are none.
    for users in (True, False):
        texts: list[str] = []
        for source in sources:
            if _is_users(source) == users:
                texts += _source_questions(source, recipe.seed, stored)
        if texts:
            return list(dict.fromkeys(texts))
    # Sources may be gone by now; the run's own copy of its samples still has their questions.
    return list(_sample_questions(lambda: store.open(RunFolder(run).data, "train")))


def box_questions(recipe: Recipe, run: Path | None) -> list[str]:
    """Return the questions for a box of what is read, which a run or a card's model learned."""
    if run is None:
        server = recipe.model.server
        return _card_questions(recipe.model.name, FIND_KEY) if server is None else []
    texts: list[str] = []
    for source in (*recipe.data, *(recipe.eval.data or ())):
        if source.columns and source.columns.kind == "box":
            texts += _source_questions(source, recipe.seed, _stored_questions(run))
        for generator in _generators(source):
            texts += generator.box_questions
    return list(dict.fromkeys(texts))


def _is_users(source: Source) -> bool:
    """True for the user's own pictures, false for those that gnomon drew or wrote."""
    # A hub's dataset and a benchmark are somebody's photographs or tables, not gnomon's drawings.
    if source.path is None or source.columns or source.benchmark:
        return source.kind is None
    return is_user_data(source.path)


def _source_questions(
    source: Source, seed: int, stored: list[tuple[Source, list[str]]]
) -> Iterable[str]:
    """Return a source's questions: as the recipe words them, as stored, or as its samples do."""
    if source.columns and source.columns.ask:  # one question for all rows: no row is read
        return [source.columns.ask] if source.columns.image else []
    drawing = _generators(source)
    if drawing:
        return [text for generator in drawing for text in _generator_questions(generator)]
    texts = [text for other, some in stored if other == source for text in some]
    return texts or _sample_questions(lambda: store.mixture((source,), split="train", seed=seed))


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


def _generator_questions(generator: Generator) -> Iterable[str]:
    if generator.general_question is not None:
        return [generator.general_question]
    return _sample_questions(lambda: GeneratedSamples(generator))


def _sample_questions(open_samples: Callable[[], Samples]) -> Iterable[str]:
    """Return the different questions about pictures in some samples; none if these are gone."""
    try:
        samples = open_samples()
        n = samples.length if samples.length is not None else _PROBED
        some = [samples[index] for index in evenly_spaced(n, _PROBED)]
    except _MISSING:
        return []
    # A dict keeps the order in which they come, and each once.
    return dict.fromkeys(sample.question for sample in some if sample.image is not None)


def _stored_questions(run: Path) -> list[tuple[Source, list[str]]]:
    """Pair each source that a run was measured on with the questions about its pictures."""
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
                texts = [q.question for q in rows if q.question and q.size is not None]
                pairs.append((source, list(dict.fromkeys(texts))))
    return pairs


def _card_questions(model: str, key: str) -> list[str]:
    """Return the questions under a key of a local model's card; none without such a card."""
    card = Path(families.locate(model)) / "README.md"
    if not card.is_file():
        return []
    from huggingface_hub import metadata_load

    try:
        texts = (metadata_load(card) or {}).get(key)
    except ValueError:
        return []
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def pictures_in(data: str | None) -> Path | None:
    """Return DATA if it is a picture, or a folder that is no dataset and has no labels."""
    if data is None:
        return None
    path = Path(data)
    if path.suffix.lower() in _UNREAD_SUFFIXES:
        raise ValueError(f"{path}: {path.suffix} is not read: save it as JPEG")
    # A run's own folder has data/ as well, so it is not taken for a folder of pictures.
    is_dataset = any((path / name).exists() for name in ("manifest.json", "data"))
    is_dataset = is_dataset or (path.is_dir() and is_user_data(path))
    return path if (path.is_dir() and not is_dataset) or is_picture(path) else None


def is_picture(file: Path) -> bool:
    """True for a file that is called as pictures are."""
    return file.suffix.lower() in PICTURE_SUFFIXES


def find_pictures(path: Path) -> list[Path]:
    """List a folder's pictures by name, or the one picture that is named.

    Photographs that are not read, and pictures of subfolders, are counted in a warning.
    """
    if not path.is_dir():
        return [path]
    inside = sorted(path.iterdir())
    files = list(filter(is_picture, inside))
    counts = Counter(file.suffix for file in inside if file.suffix.lower() in _UNREAD_SUFFIXES)
    notes = [f"{n:,} {suffix} (save as JPEG)" for suffix, n in counts.items()]
    notes += [f"the pictures in {each}" for each in inside if _holds_pictures(each)]
    if notes:
        warn(f"{path}: left out: {', '.join(notes)}")
    if not files:
        raise ValueError(f"{path}: no pictures ({', '.join(PICTURE_SUFFIXES)}) in it")
    return files


def _holds_pictures(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(map(is_picture, folder.iterdir()))
    except OSError:  # one that nobody may read, as a card's lost+found
        return False


def answer_form(recipe: Recipe, run: Path | None) -> Target:
    """Return the form of a run's answers about pictures: that of the user's own, or of drawn ones.

    A text stands for any answer where nothing is known.
    """
    sources = [*recipe.data, *(recipe.eval.data or ())] if run is not None else []
    for source in sorted(sources, key=lambda source: not _is_users(source)):
        if source.columns is not None:
            assert run is not None  # without one there are no sources
            return _form_of_columns(source.columns, run)
        for generator in _generators(source):
            return generator[0].target.form_of_question
    return Text("?")


def _form_of_columns(columns: Columns, run: Path) -> Target:
    """Return the form of answers in a user's columns, by the labels where these decide it."""
    form = TARGETS[columns.kind].form_of_labels(columns) or Text("?")
    if columns.digits:  # figures and decimals of a counter are those of its labels
        return next((label.form_with_decimals for label in _stored_labels(run)), form)
    if not any(columns.units) and not isinstance(columns.within, str):
        return form
    # Unit and tolerance may be names of columns, of which each label has its own.
    forms = {label.form_of_question for label in _stored_labels(run) if label.name == form.name}
    if not forms or form in forms:
        return form
    return forms.pop() if len(forms) == 1 else Text("?")


def _stored_labels(run: Path) -> Iterator[Target]:
    """Yield labels of readable pictures that the run wrote down, if it has any."""
    try:
        data = RunFolder(run).data
        copies = [open_copy(data, split) for split in manifests.read(data)["splits"]]
    except (ValueError, OSError):  # what is damaged, or was never written, is not needed
        return
    for samples in copies:
        targets = map(samples.target, range(min(samples.length or 0, _MOST_LABELS)))
        yield from (target for target in targets if target.is_readable)


def picture_samples(files: list[Path], question: str, form: Target) -> Iterator[Sample]:
    """Yield the question about each picture; a file that is no picture is skipped with a warning.

    The target is the form of the answers alone: these pictures have no labels.
    """
    for file in files:
        try:
            yield Sample(file.name, load_picture(file), question, form)
        except ValueError as error:
            warn(f"left out: {error}")


def check_table_is_ours(out: Path) -> None:
    """Refuse to write over a table of the user's, such as the labels of these pictures."""
    # Our tables begin with these columns; the rest of the line may be beliefs.
    header = ",".join(_COLUMNS).encode()
    if not out.exists():
        return
    with open_bytes(out) as file:
        start = file.read(len(header))
    if start != header:
        raise ValueError(f"{out} is there already and holds no answers: name another (--out)")


def to_csv(
    answers: Path, files: list[Path], out: Path, *, has_cuts: bool = False, has_belief: bool = True
) -> list[Prediction]:
    """Write a file of answers as a table, a row for each picture, and return them in that order.

    With `has_cuts` the corners of the part that was asked about follow, empty for a whole picture.

    From a calibrated run four columns follow: the ends of the interval (of words, all that it holds
    in the first), the confidence, and yes for a picture whose answer is refused and empty.

    If the answers hold a belief, three columns follow: the likeliest listed answer, its share of
    the probability of all listed ones, and that probability; then each listed answer's share, where
    all pictures have the same list. Without `has_belief` it is left out.
    """
    by_id = {prediction.sample_id: prediction for prediction in predictions.resume(answers)}
    rows = [by_id[file.name] for file in files if file.name in by_id]
    if not rows:
        raise ValueError(f"{files[0].parent}: none of its {len(files)} pictures can be read")
    if not has_belief:
        rows = [replace(row, logprobs=None) for row in rows]
    lists = {tuple(row.logprobs) for row in rows if row.logprobs}
    # Of long numbers each picture has the likeliest alone, which are others.
    listed = list(lists.pop()) if len(lists) == 1 else []
    has_beliefs = any(row.logprobs for row in rows)
    has_certainty = any(row.certainty for row in rows)
    header = [*_COLUMNS, *_CUT_COLUMNS * has_cuts, *_CERTAINTY_COLUMNS * has_certainty]
    header += [*_BELIEF_COLUMNS * has_beliefs, *(f"belief.{answer}" for answer in listed)]
    table = io.StringIO()
    cells: list[list[str | float]] = []
    for row in rows:
        cut = (row.cut or [""] * len(_CUT_COLUMNS)) if has_cuts else ()
        text = "" if row.certainty and row.certainty.refused else row.text
        certainty = _certainty_cells(row) if has_certainty else ()
        belief = _belief_cells(row, listed) if has_beliefs else ()
        cells.append([row.sample_id, text, *cut, *certainty, *belief])
    write_rows(table, [header, *cells])
    put_text(out, table.getvalue())
    # The answers go last: after a kill between the two, all questions would be asked again.
    for file in (question_path(answers), answers):
        file.unlink(missing_ok=True)
    return rows


def _certainty_cells(prediction: Prediction) -> list[str | float]:
    certainty = prediction.certainty
    if certainty is None:  # its question has other answers than those that were calibrated
        return [""] * len(_CERTAINTY_COLUMNS)
    low, high = certainty.interval
    return [low, high, certainty.confidence, "yes" if certainty.refused else ""]


def _belief_cells(prediction: Prediction, listed: Sequence[str]) -> list[str | float]:
    if not prediction.logprobs:
        return [""] * (len(_BELIEF_COLUMNS) + len(listed))
    shares = belief_shares(prediction.logprobs)
    likeliest = max(shares, key=lambda answer: shares[answer])
    total = min(1.0, sum(map(exp, prediction.logprobs.values())))
    numbers = (shares[likeliest], total, *(shares[answer] for answer in listed))
    return [likeliest, *(float(f"{number:.4g}") for number in numbers)]


def answer_line(answer: Prediction) -> str:
    """Return a picture's answer in a line, with the likeliest of the listed answers if any."""
    line = f"{answer.sample_id}: {' '.join(answer.text.split())}"
    if certainty := answer.certainty:
        line += f" ({certainty_text(certainty)})"
        line += ", too unsure to be answered" * certainty.refused
    if not answer.logprobs:
        return line
    shares = belief_shares(answer.logprobs)
    best = max(shares, key=shares.__getitem__)
    return f"{line} (likeliest of those listed: {best}, {100 * shares[best]:.1f} %)"


def belief_shares(logprobs: Mapping[str, float]) -> dict[str, float]:
    """Scale the listed answers' probabilities so that they sum to 1."""
    largest = max(logprobs.values())  # taken off first, since exp(-800) is 0
    weights = {answer: exp(value - largest) for answer, value in logprobs.items()}
    total = sum(weights.values())
    return {answer: weight / total for answer, weight in weights.items()}
