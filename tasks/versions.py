"""``metadata`` of the YAML task files: the dataset version, for lmms-eval's results.

``metadata: !function vhbench.tasks.versions.ode`` makes lmms-eval read the module attribute of this name when it loads
the task (:func:`__getattr__`). ``version`` becomes the task's in lmms-eval's ``versions``; all of it is in
``configs``. Keys must not clash with those that lmms-eval adds per request: task, doc_id, repeats, split.
"""

from dataclasses import asdict
from typing import Any

import vhbench
from vhbench.benchmarks import BENCHMARKS
from vhbench.tasks.datasets import or_exit, resolve


def __getattr__(name: str) -> dict[str, Any]:
    """Return version, content hash and source of a benchmark's data."""
    if name not in BENCHMARKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    data = or_exit(resolve, name)
    source = {key: value for key, value in asdict(data.source).items() if value}
    return {
        "version": data.manifest.version,
        "benchmark": name,
        "content_hash": data.manifest.content_hash,
        "data": source,
        "vhbench": vhbench.__version__,
    }
