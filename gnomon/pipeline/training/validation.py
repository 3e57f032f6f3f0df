"""Validation during training: the model answers samples, and the answers are scored."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from accelerate.state import AcceleratorState, DistributedType
from accelerate.utils import gather_object
from transformers import PreTrainedModel

from gnomon.eval import score
from gnomon.eval.scoring.metrics import headlines, type_name_of
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.answering.rule import GREEDY, AnswerRule
from gnomon.pipeline.load import Loaded
from gnomon.progress import track
from gnomon.recipe import Recipe
from gnomon.sample import Prediction, Sample
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import open_validation, validation_indices

SHARDED = (DistributedType.FSDP, DistributedType.DEEPSPEED)
"""Backends that split the weights. With them all processes must generate together, token by
token."""


@dataclass(frozen=True)
class Validation:
    """Samples that the training does not use, and how a model answers them."""

    loaded: Loaded
    samples: tuple[Sample, ...]
    batch_size: int
    max_new_tokens: int
    rule: AnswerRule = GREEDY
    """Rule of answering, the same as for the run's questions after the training."""

    def __call__(self, model: PreTrainedModel) -> dict[str, float]:
        """Score the model's answers, and return the headline figures."""
        # The trainer's model may have been wrapped since, by PEFT or for several processes.
        return headlines(score(self._predict(replace(self.loaded, model=model)), self.samples))

    def check_metric_applies(self, metric: str) -> None:
        """Raise a ValueError if no sample has the type of answer that the metric measures."""
        type_name = type_name_of(metric)
        types = {sample.target.type_name for sample in self.samples}
        if type_name is not None and type_name not in types:
            raise ValueError(
                f"train.metric: {metric!r} measures answers of type {type_name}, and the"
                f" {len(self.samples)} validation samples have only {', '.join(sorted(types))}"
            )

    def _predict(self, loaded: Loaded) -> list[Prediction]:
        """Predict all samples. Processes with whole weights divide them and gather the answers."""
        state = AcceleratorState()
        if state.num_processes == 1 or state.distributed_type in SHARDED:
            return self._predict_share(loaded, self.samples)
        # Every n-th sample, because neighbours are often similar and processes should take
        # equally long.
        share = self.samples[state.process_index :: state.num_processes]
        gathered: list[Prediction] = gather_object(self._predict_share(loaded, share))
        return gathered

    def _predict_share(self, loaded: Loaded, samples: Iterable[Sample]) -> list[Prediction]:
        batches = predict_batches(
            loaded,
            samples,
            batch_size=self.batch_size,
            max_new_tokens=self.max_new_tokens,
            rule=self.rule,
        )
        quiet = not AcceleratorState().is_local_main_process
        bar = track(batches, desc="validation batches", leave=False, disable=quiet)
        return [prediction for batch in bar for prediction in batch]


def validation_of(recipe: Recipe, loaded: Loaded, run: Path) -> Validation | None:
    """Read the samples of a recipe's validation. None if it has no eval_steps.

    If a table is missing, the samples that the run wrote down are used.
    """
    if recipe.train.validation_steps is None:
        return None
    samples = open_validation(recipe, RunFolder(run).data)
    # By id, because a mixture repeats a small directory once it is exhausted.
    by_id = {}
    for index in validation_indices(recipe, samples):
        sample = samples[index]
        by_id[sample.id] = sample
    section = recipe.eval
    validation = Validation(
        loaded,
        tuple(by_id.values()),
        section.batch_size,
        recipe.max_new_tokens,
        AnswerRule.of(recipe) if section.chooses_from_belief else GREEDY,
    )
    validation.check_metric_applies(recipe.train.metric)
    return validation
