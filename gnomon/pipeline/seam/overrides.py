"""Check of the methods that the trainer overrides against those of the installed releases."""

from importlib.metadata import version
from inspect import isfunction, signature


class VersionError(ImportError, ValueError):
    """Installed releases of TRL and transformers with which the trainer does not work."""


def check_overrides(ours: type, theirs: type) -> None:
    """Refuse installed releases whose methods differ from those marked with @override.

    One that moved a method would otherwise fail in the middle of a training, or train something
    else. A method of ours that takes *args only passes them on: there the name is enough.
    """
    for name, method in vars(ours).items():
        if not isfunction(method) or not hasattr(method, "__override__"):
            continue
        expected, base = signature(method).parameters, getattr(theirs, name, None)
        passes_on = any(p.kind is p.VAR_POSITIONAL for p in expected.values())
        actual = [] if base is None else list(signature(base).parameters)
        # By name and order, since transformers passes some arguments by position.
        if base is None or not (passes_on or actual == list(expected)):
            fault = "is not there" if base is None else f"takes ({', '.join(actual)})"
            raise VersionError(
                f"{theirs.__name__}.{name} {fault}, and gnomon overrides"
                f" {name}({', '.join(expected)}): transformers {version('transformers')} and trl"
                f" {version('trl')} are not supported: pip install '.[train]' in gnomon's clone"
                " installs releases that are"
            )
