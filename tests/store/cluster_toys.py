"""What a cluster's workers are given to do; they find it by PYTHONPATH."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from store_toys import Toy

from gnomon import generators, store
from gnomon.store import Drawn
from gnomon.store.writing.cluster import installed

SMALL = {"object_store_memory": 100 * 2**20}
QUIET = {"log_to_driver": False, "logging_level": "ERROR"}


def square(number):
    return number * number


def told(number):
    return os.environ["RAY_USAGE_STATS_ENABLED"], os.getcwd()


@dataclass(frozen=True)
class Deadly(Drawn):
    """The worker that draws sample 47 is killed, as often as there are lives to take."""

    lives: Path

    def __getitem__(self, index):
        if index == 47 and (lives := sorted(self.lives.iterdir())):
            lives[0].unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


@dataclass(frozen=True)
class Slow(Drawn):
    """The same samples, drawn so slowly that something may happen meanwhile."""

    def __getitem__(self, index):
        time.sleep(0.05)
        return super().__getitem__(index)


def main(out):
    """Two machines' worth of Ray on this one; the second is lost in the middle."""
    generators.KINDS["toy"] = "store_toys:Toy"
    ray = installed()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**SMALL, "num_cpus": 1})
    other = cluster.add_node(**SMALL, num_cpus=1)
    ray.init(address=cluster.address, **QUIET)

    def leave():
        while len(list(out.glob("data/*.parquet"))) < 4:
            time.sleep(0.01)
        cluster.remove_node(other, allow_graceful=False)

    leaving = Thread(target=leave)
    leaving.start()
    options = {"n": 120, "shards": 12, "workers": None, "engine": "ray", "progress": False}
    store.write(Slow(Toy()), out, **options)
    leaving.join()
    while [node["Alive"] for node in ray.nodes()].count(True) > 1:
        time.sleep(0.1)  # the cluster has not missed it yet
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
