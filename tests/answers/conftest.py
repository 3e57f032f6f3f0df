import sys
from pathlib import Path

# With importlib's import mode a test finds the toys beside it only by the path.
sys.path.insert(0, str(Path(__file__).parent))
