import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for real_tokenizers, which several rooms use

# A busy machine is no defect: examples have no deadline. In CI, Hypothesis's own profile holds.
settings.register_profile(
    "gnomon", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("gnomon")
