"""The same job for many numbers on a Ray cluster; what a dying worker was at is done again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")

_RETRIES = 3
"""How often a job is begun again whose worker died; one that kills every worker must end."""
_WAITING = 2
"""Jobs for each core: one that is done, one that waits, so that no core waits for us."""


def run(
    job: Callable[[int], T],
    numbers: Sequence[int],
    *,
    workers: int | None,
    done: Callable[[int, T], None],
) -> None:
    """Call `job` with every number, and `done` here with each result as it comes.

    At most `workers` jobs at a time; as many as the cluster has cores, where it is None.
    """
    ray = installed()
    with _connected(ray):
        task = ray.remote(max_retries=_RETRIES)(_do)
        shared, here = ray.put(job), os.getcwd()
        left = list(reversed(numbers))
        begun: dict[Any, int] = {}
        try:
            while left or begun:
                while left and len(begun) < (workers or _room(ray)):
                    number = left.pop()
                    begun[task.remote(shared, here, number)] = number
                for one in ray.wait(list(begun))[0]:
                    result = _result(ray, one)
                    done(begun.pop(one), result)
        finally:
            for one in begun:
                ray.cancel(one, force=True)


def installed() -> Any:
    """The ray package, told to report to nobody; its absence is the user's to mend."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ValueError(
            f"engine='ray': {error.name} is not here: pip install '.[ray]' in gnomon's clone"
        ) from None
    return ray


@contextmanager
def _connected(ray: Any) -> Iterator[None]:
    """The cluster that RAY_ADDRESS names, or else a Ray of our own on this machine.

    A script that is connected already stays so.
    """
    if ray.is_initialized():
        yield
        return
    # Left to itself, Ray would look for a cluster, and wait minutes for one that is gone.
    address = os.environ.get("RAY_ADDRESS") or "local"
    if "://" in address:
        raise ValueError(
            f"RAY_ADDRESS={address}: start it on a machine of the cluster, with RAY_ADDRESS=auto,"
            " or by `ray job submit`"
        )
    try:
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError) as error:  # nobody there, or of another version
        reason = str(error).strip().partition("\n")[0]
        raise ConnectionError(f"RAY_ADDRESS={address}: {reason}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _room(ray: Any) -> int:
    """A cluster may grow while it draws, and one that grows on demand begins with no core."""
    return max(1, _WAITING * int(ray.cluster_resources().get("CPU", 0)))


def _do(job: Callable[[int], T], here: str, number: int) -> T:
    import cv2

    cv2.setNumThreads(1)  # as in the local engine's workers
    with suppress(OSError):  # relative paths of sources mean what they mean to the user
        os.chdir(here)
    return job(number)


def _result(ray: Any, one: Any) -> Any:
    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ray.exceptions.RaySystemError):  # the job could not be read
            reason = str(error.cause).partition("\n")[0]
            raise ValueError(f"a worker: {reason}: install the same on all machines") from None
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise ChildProcessError(
            f"a worker of the cluster died {_RETRIES + 1} times at the same shard (killed for its"
            " memory?); what is whole is kept: run it again to go on"
        ) from error
