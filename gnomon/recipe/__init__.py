"""A recipe: the whole of a run in one YAML file, checked before anything is spent."""

from gnomon.recipe.checking import RecipeError as RecipeError
from gnomon.recipe.checking import checked as checked
from gnomon.recipe.checking import choices as choices
from gnomon.recipe.checking import section as section
from gnomon.recipe.files import configs as configs
from gnomon.recipe.files import dumped as dumped
from gnomon.recipe.files import edited as edited
from gnomon.recipe.files import find as find
from gnomon.recipe.files import flat as flat
from gnomon.recipe.files import for_editors as for_editors
from gnomon.recipe.files import from_dict as from_dict
from gnomon.recipe.files import laid_over as laid_over
from gnomon.recipe.files import load as load
from gnomon.recipe.files import parsed as parsed
from gnomon.recipe.files import plain as plain
from gnomon.recipe.files import to_yaml as to_yaml
from gnomon.recipe.sections import STRICT as STRICT
from gnomon.recipe.sections import AutoFamily as AutoFamily
from gnomon.recipe.sections import Columns as Columns
from gnomon.recipe.sections import Eval as Eval
from gnomon.recipe.sections import Lora as Lora
from gnomon.recipe.sections import Loss as Loss
from gnomon.recipe.sections import Model as Model
from gnomon.recipe.sections import Recipe as Recipe
from gnomon.recipe.sections import Source as Source
from gnomon.recipe.sections import Train as Train
