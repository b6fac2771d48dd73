"""MIOH at the size of COCO train: read 118,000 images with 860,000 instances, then ask 3,484 questions.

Baseline: ``json.load`` of the same file, in a process of its own. Limits that the project set itself: 60 s and 1.5 GB
to read, 60 s to ask. Existence, counting and position come from the COCO file; attributes from a PACO file of 57,000
images. No image file is opened.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CATEGORIES = 80


def write(path: Path, images: int, instances: int, *, paco: bool = False, seed: int = 0) -> None:
    """Write an instances file whose statistics are COCO's: skewed categories that occur in contexts, small boxes."""
    random = np.random.default_rng(seed)
    contexts = random.dirichlet(np.full(CATEGORIES, 0.08), 24) * 0.8 + random.dirichlet(np.full(CATEGORIES, 0.5)) * 0.2
    context = random.integers(24, size=images)
    image = np.sort(random.integers(images, size=instances))
    draws = random.random(instances)
    category = np.minimum((np.cumsum(contexts, 1)[context[image]] < draws[:, None]).sum(1), CATEGORIES - 1)
    again = random.random(instances) < 0.45  # things come in groups
    same = np.concatenate([[False], image[1:] == image[:-1]]) & again
    for i in np.flatnonzero(same):
        category[i] = category[i - 1]
    side = np.exp(random.normal(4.3, 0.9, (instances, 2))).clip(8, 400)
    corner = random.random((instances, 2)) * (np.array([640, 480]) - np.minimum(side, [639, 479]))
    side = np.minimum(side, [639, 479])
    crowd = random.random(instances) < 0.012
    ring = np.round(np.stack([np.cos(np.linspace(0, 6.2, 24)), np.sin(np.linspace(0, 6.2, 24))], 1) * 0.45 + 0.5, 3)
    with path.open("w") as file:
        file.write('{"info": {}, "images": [')
        file.write(",".join(_image(i, random, paco) for i in range(images)))
        file.write('], "annotations": [')
        for i in range(instances):
            x, y, w, h = (round(float(v), 2) for v in (*corner[i], *side[i]))
            polygon = np.round(ring * (w, h) + (x, y), 2).ravel().tolist()
            file.write(("," if i else "") + f'{{"segmentation": [{polygon}], "area": {w * h * 0.7:.2f}, "iscrowd": '
                       f'{int(crowd[i])}, "image_id": {image[i]}, "bbox": [{x}, {y}, {w}, {h}], "category_id": '
                       f'{category[i] + 1}, "id": {i + 1}{_attributes(random) if paco else ""}}}')  # fmt: skip
        names = ",".join(f'{{"id": {c + 1}, "name": "thing {c + 1}"}}' for c in range(CATEGORIES))
        classes = ",".join(f'{{"id": {a}, "name": "{name}"}}' for a, name in enumerate(attribute_names()))
        file.write(f'], "categories": [{names}], "attributes": [{classes}]}}')


def attribute_names() -> list[str]:
    """Return 59 names; the colours are shades of ten, so that most pairs are far apart."""
    return [f"colour{a}" for a in range(30)] + [f"pattern{a}" for a in range(11)] + [f"stuff{a}" for a in range(18)]


def _image(i: int, random: np.random.Generator, paco: bool) -> str:
    extra = ""
    if paco:
        extra = f', "neg_category_ids": {random.integers(1, CATEGORIES + 1, 6).tolist()}'
    return f'{{"id": {i}, "file_name": "{i:012d}.jpg", "width": 640, "height": 480{extra}}}'


def _attributes(random: np.random.Generator) -> str:
    colour, stuff = int(30 * random.random() ** 2), 41 + int(14 * random.random() ** 2)
    return f', "attribute_ids": [{colour}, {stuff}], "dom_color_ids": [{colour}]'


def measure(code: str, *arguments: str) -> tuple[dict[str, float], float, float]:
    """Run Python code in a process of its own; return what it prints as JSON, its CPU seconds and its peak memory."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    done.check_returncode()
    found = json.loads(done.stdout.splitlines()[-1])
    return found, found["seconds"], found["peak"]


END = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps({**out, 'seconds': time.process_time() - t, 'peak': peak}))
"""

BASELINE = f"""
import json, resource, sys, time
t = time.process_time(); data = json.load(open(sys.argv[1])); out = {{'images': len(data['images'])}}
{END}
"""

READ = f"""
import json, resource, sys, time
from pathlib import Path
from vhbench.adapters.coco import CocoScenes
from vhbench.generators.mioh.pools import Pool
t = time.process_time()
scenes = CocoScenes(Path(sys.argv[1]), None)
pool = Pool(scenes)
out = {{'images': len(scenes), 'instances': scenes.instances}}
{END}
"""

ASK = f"""
import json, resource, sys, time
from pathlib import Path
from vhbench.adapters.coco import CocoScenes
from vhbench.adapters.paco import PacoScenes
from vhbench.generators.mioh.generate import Filler
from vhbench.generators.mioh.pools import Pool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import sizes
from vhbench.schema import Question
wanted = sizes('paper'); out = {{}}; times = []
for reader, path, attribute in ((CocoScenes, sys.argv[1], False), (PacoScenes, sys.argv[2], True)):
    pool = Pool(reader(Path(path), None)); t = time.process_time()
    for kind in QUESTION_TYPES.values():
        if (kind.task == 'attribute') == attribute:
            start = time.process_time()
            made = sum(isinstance(x, Question) for x in Filler(kind, pool, wanted, seed=1, source='x').fill())
            out[kind.id] = made
            took = round(time.process_time() - start, 2)
            print(kind.id, made, 'of', sum(wanted[kind.id].values()), took, file=sys.stderr, flush=True)
    times.append(time.process_time() - t); del pool
t = time.process_time() - sum(times)
{END}
"""


def main() -> None:
    """Print one line per measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=118_000)
    parser.add_argument("--instances", type=int, default=860_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        coco, paco = Path(folder) / "coco.json", Path(folder) / "paco.json"
        start = time.perf_counter()
        write(coco, options.images, options.instances)
        write(paco, options.images // 2, options.instances // 3, paco=True, seed=1)
        size = (coco.stat().st_size + paco.stat().st_size) / 1e6
        print(f"wrote {size:.0f} MB in {time.perf_counter() - start:.0f} s")
        _, base, base_peak = measure(BASELINE, str(coco))
        found, seconds, peak = measure(READ, str(coco))
        print(f"read {found['images']:,} images, {found['instances']:,} instances: {seconds:.1f} s, {peak:.2f} GB")
        print(f"  json.load: {base:.1f} s, {base_peak:.2f} GB; ratios {seconds / base:.2f}, {peak / base_peak:.2f}")
        assert seconds <= 60, "reading took more than 60 s"
        assert peak <= 1.5, "reading took more than 1.5 GB"
        made, seconds, peak = measure(ASK, str(coco), str(paco))
        total = sum(int(n) for key, n in made.items() if key not in ("seconds", "peak"))
        print(f"asked {total:,} questions: {seconds:.1f} s after reading, {peak:.2f} GB")
        assert seconds <= 60, "asking took more than 60 s"


if __name__ == "__main__":
    main()
