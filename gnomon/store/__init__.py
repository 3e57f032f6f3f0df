"""Datasets on disk: shards, manifest and resuming; and the weighted sources that a recipe names.

Names are imported on first use, so a command that only lists names does not load pyarrow.
"""

from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from gnomon.store.formats.manifest import verify as verify
    from gnomon.store.reading.dataset import Dataset as Dataset
    from gnomon.store.reading.dataset import open_dataset
    from gnomon.store.reading.mixture import MixedSamples as MixedSamples
    from gnomon.store.reading.sources import mixture as mixture
    from gnomon.store.samples import GeneratedSamples as GeneratedSamples
    from gnomon.store.samples import Samples as Samples
    from gnomon.store.samples import SamplesById as SamplesById
    from gnomon.store.samples import SampleStream as SampleStream
    from gnomon.store.writing.census import Census as Census
    from gnomon.store.writing.write import write as write

    open = open_dataset  # noqa: A001 - read as store.open

# Module names differ from function names, because importing a gnomon.store.write would hide
# store.write.
_EXPORTS = {
    "SamplesById": "gnomon.store.samples:SamplesById",
    "Census": "gnomon.store.writing.census:Census",
    "Dataset": "gnomon.store.reading.dataset:Dataset",
    "GeneratedSamples": "gnomon.store.samples:GeneratedSamples",
    "MixedSamples": "gnomon.store.reading.mixture:MixedSamples",
    "Samples": "gnomon.store.samples:Samples",
    "SampleStream": "gnomon.store.samples:SampleStream",
    "mixture": "gnomon.store.reading.sources:mixture",
    "open": "gnomon.store.reading.dataset:open_dataset",
    "verify": "gnomon.store.formats.manifest:verify",
    "write": "gnomon.store.writing.write:write",
}


def __getattr__(name: str) -> Any:
    return names.load_export(__name__, _EXPORTS, name)
