import sys
from pathlib import Path

import pytest

# With importlib's import mode a test finds the toys beside it only by the path.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def browser():
    from chromium import Browser

    opened = Browser()
    yield opened
    opened.close()
