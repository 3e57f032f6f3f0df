"""Answers of a loaded model, or of a server, appended to a file as `gnomon predict` does."""

from types import SimpleNamespace

from gnomon.pipeline.answering import local, server
from gnomon.pipeline.answering.rule import GREEDY, full_settings
from gnomon.runs.answer_file import AnswerFile


def predict_to_file(loaded, samples, out, *, total, settings, rule=GREEDY, **options):
    """Append a loaded model's answers to the samples that the file lacks."""
    settings = full_settings(settings, options["max_new_tokens"], rule)

    def predictions(some):
        return local.predict_batches(loaded, some, settings=settings, rule=rule, **options)

    _append(out, predictions, settings, rule, samples, total)


def ask_server(served, samples, out, *, total, settings, rule=GREEDY, repeats=0, **options):
    """Append a server's answers to the samples that the file lacks."""
    server.check_rule(rule)
    settings = {**settings, "repeats": repeats} if rule.candidates else settings
    settings = full_settings(settings, options["max_new_tokens"], rule)

    def predictions(some):
        return server.predict_batches(
            served, some, settings=settings, rule=rule, repeats=repeats, **options
        )

    _append(out, predictions, settings, rule, samples, total)


def _append(out, predictions, settings, rule, samples, total):
    reader = SimpleNamespace(settings=settings, predictions=predictions, rule=rule, find=None)
    AnswerFile(out)._append(reader, samples, total)
