import gc
import sys
from pathlib import Path

from hypothesis import settings

HERE = Path(__file__).parent
# For real_tokenizers, which several rooms use; and for benchmarks, which is no installed package.
sys.path[:0] = [str(HERE), str(HERE.parent)]

# A busy machine is no defect: examples have no deadline. In CI, Hypothesis's own profile holds.
settings.register_profile(
    "gnomon", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("gnomon")


def pytest_collection_finish():
    """A trainer collects garbage when it ends: it need not look through all that was imported."""
    gc.collect()
    gc.freeze()
