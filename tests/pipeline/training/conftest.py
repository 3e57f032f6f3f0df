import pytest
from toy_runs import recipe_of, run_of


@pytest.fixture(scope="session")
def recipe(checkpoint):
    return recipe_of(checkpoint)


@pytest.fixture(scope="session")
def whole(recipe, tmp_path_factory):
    """A run of four steps that nothing disturbed, with checkpoints at 2 and 4: only to look at."""
    return run_of(recipe, tmp_path_factory.mktemp("whole"))
