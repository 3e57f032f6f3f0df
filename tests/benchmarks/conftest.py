import sys
from pathlib import Path

# For small_models, which stand for the true ones on a CPU.
sys.path.insert(0, str(Path(__file__).parents[1] / "pipeline"))
