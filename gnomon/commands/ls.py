"""Lists of everything that has a name."""

from gnomon.terminal import show, show_json


def ls(
    what: str | None = None,
    *words: str,
    pattern: bool = False,
    schema: bool = False,
    family: str | None = None,
) -> None:
    """List names: recipes, kinds, losses, families, metrics and so on.

    Examples:
        gnomon ls losses
        gnomon ls clock
        gnomon ls answers number columns.unit=kWh --pattern

    what LIST|NAME: generators, losses, families, configs, recipe, metrics, benchmarks or answers, a
        name in these lists, such as clock or train, or schema for the JSON Schema of recipes
        (default: the names in all lists)
    words TYPE: after answers: a type, such as time, and keys of its column, such as
        columns.hours=24
    pattern: print the regular expression of the type's answers, for guided decoding
    schema: print the JSON Schema of the type's answers, if they are JSON, for guided decoding
    family FAMILY: the model family whose boxes are meant, such as qwen2.5-vl (default: plain boxes)
    """
    from gnomon.recipe import RecipeError
    from gnomon.runs.name_lists import answer_form, table
    from gnomon.runs.recipe_schema import recipe_schema

    if words and what != "answers" and not (pattern or schema or family):
        raise RecipeError(
            f"{words[0]!r} is not understood: give one name, as in `gnomon ls {words[0]}`"
        )
    if words or pattern or schema or family:
        if what != "answers" or not words or pattern == schema:
            raise RecipeError(
                "a type, --pattern, --schema and --family: only as in `gnomon ls answers time"
                " --pattern`"
            )
        show(answer_form(*words, as_schema=schema, family=family))
    elif what == "schema":
        show_json(recipe_schema())
    else:
        show(table(what))
