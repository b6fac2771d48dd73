"""Scenes a second, with truth, at 512×512: in a new process, which paints its backdrops, in processor time.

The baseline is the prototype: its own twenty scenes, in the same run, where its folder and the binding of resvg that
it imports are named; without, the 3.4 scenes a second that were measured once::

    uv pip install --target DIR --no-deps resvg-py
    VHBENCH_PROTOTYPE=../shared/prototype/scenes VHBENCH_RESVG_PY=DIR python benchmarks/bench_scenes.py
"""

import os
import subprocess
import sys

from measuring import Figure, apart, report

from vhbench.generators.scenes import SceneSource, random_spec

PROTOTYPE = """
import sys, time
sys.path += ["."]
from compose import render
from samples import SC
render({**SC[0][1], "seed": 99})  # what is made once for all
begin = time.process_time()
for number, (_, scene) in enumerate(SC):
    render({**scene, "seed": 100 + number})
print(len(SC) / (time.process_time() - begin))
"""


def prototype() -> tuple[str, float]:
    """Return the name of the baseline, and its scenes a second."""
    folder = os.environ.get("VHBENCH_PROTOTYPE")
    if not folder:
        return "prototype, measured once", 3.4
    environment = {**os.environ, "PYTHONPATH": os.environ.get("VHBENCH_RESVG_PY", ""), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROTOTYPE]
    printed = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return "prototype, its own twenty scenes", float(printed)


def draw(count: int) -> None:
    """Draw so many scenes."""
    assert list(SceneSource().make([random_spec(1, "bench", i) for i in range(count)], seed=1))


def figures(count: int = 400) -> list[Figure]:
    name, theirs = prototype()
    goals = {"unit": "scenes/s", "bound": 30.0, "baseline": name, "theirs": theirs, "times": 8.8}
    _, cost = apart(draw, count)
    return [
        Figure(work=f"{count} scenes, new process", ours=count / cost.processor, **goals),
        Figure(work="  memory", ours=cost.gigabytes, unit="GB", bound=0.5),
    ]


if __name__ == "__main__":
    report(figures(*map(int, sys.argv[1:2])))
