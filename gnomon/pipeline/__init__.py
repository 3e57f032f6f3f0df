"""Fine-tuning and answering with real models: the only package that knows transformers and TRL."""

from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from gnomon.pipeline.answering.text_likelihood import text_likelihood as text_likelihood
    from gnomon.pipeline.checkpoint import processor_of as processor_of
    from gnomon.pipeline.training.stream import Stream as Stream
    from gnomon.pipeline.training.stream import drawn as drawn
    from gnomon.pipeline.training.trainer import NumericSFTTrainer as NumericSFTTrainer

_EXPORTS = {
    "NumericSFTTrainer": "gnomon.pipeline.training.trainer:NumericSFTTrainer",
    "Stream": "gnomon.pipeline.training.stream:Stream",
    "drawn": "gnomon.pipeline.training.stream:drawn",
    "processor_of": "gnomon.pipeline.checkpoint:processor_of",
    "text_likelihood": "gnomon.pipeline.answering.text_likelihood:text_likelihood",
}


def __getattr__(name: str) -> Any:
    return names.load_export(__name__, _EXPORTS, name)
