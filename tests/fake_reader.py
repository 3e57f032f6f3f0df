"""A reader whose model is a function, for tests of files and tables of answers."""

from gnomon.runs.reader import Reader
from gnomon.sample import Prediction


def fake_model(monkeypatch, reply, *, size=(100, 100)):
    """Let `reply(sample)` answer in place of all models; no weights are looked for."""

    def ask(self, samples, batch_size, rule, kind=""):
        for sample in samples:
            yield [Prediction.of(sample, reply(sample), size, "plain", self.settings)]

    monkeypatch.setattr(Reader, "_ask", ask)
    monkeypatch.setattr(Reader, "weights", None)
