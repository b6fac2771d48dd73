"""How far the images of a split are from others, such as photos: distance of their CLIP features (ODE, Figure 4).

The distance is CMMD (Jayasumana et al., CVPR 2024): the squared maximum mean discrepancy of unit-length CLIP features
with a Gaussian kernel (σ = 10), times 1000, by its unbiased estimator; 0 means the same distribution. Unlike the
Fréchet distance, it assumes no normal distribution and is unbiased for few images. Its interval is a bootstrap over
images, and its p-value a permutation test. All of them take the sets as independent samples: images that two sets share
would make them look closer than two samples of one source, so they are left out of the later set.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vhbench import charts, splits
from vhbench.adapters.photo_pairs import photo_files
from vhbench.files import json_bytes, write_atomic
from vhbench.schema import VhbenchError
from vhbench.seeding import rng
from vhbench.statistics import wording

_SIGMA: Final = 10.0  # bandwidth of the published CMMD (Jayasumana et al., CVPR 2024)
_SCALE: Final = 1000.0  # as published, so that values compare
REPEATS: Final = 500  # bootstrap samples, and permutations
LEAST: Final = 10  # minimum number of images of a set

Floats = npt.NDArray[np.float64]
Features = Callable[[Sequence[bytes]], npt.NDArray[Any]]


def analyse(places: Sequence[str], features: Features, out: Path, *, most: int, seed: int) -> Iterator[str]:
    """Write ``images_analysis.json`` and ``images_map.png``, and yield the printed lines.

    ``places`` are a split, then splits or folders of photos to compare it with, each sampled to ``most`` images;
    ``features`` returns the unit-length features of images, shape (images, dimension). Raises for fewer than two sets,
    or one with fewer than :data:`LEAST` images.
    """
    if len({Path(name).resolve() for name in places}) < max(2, len(places)):
        raise VhbenchError(f"expected a split and at least one other set of images, each once; got {', '.join(places)}")
    sets, known = dict[str, list[bytes]](), set[bytes]()
    for name in places:
        sets[name] = _images_of(Path(name), most, seed, known)
        known = known or set(sets[name])
    comparison = _compare({name: features(images).astype(float) for name, images in sets.items()}, seed=seed)
    yield from _report(comparison)
    data, picture = out / "images_analysis.json", out / "images_map.png"
    write_atomic(data, json_bytes(comparison))
    alt = charts.drawing()
    rows = [{"set": name, "x": x, "y": y} for name, points in comparison["points"].items() for x, y in points]
    chart = alt.Chart(alt.Data(values=rows)).mark_point(filled=True, size=22, opacity=0.5)
    figure = chart.encode(
        x=alt.X("x:Q", title="first principal component of CLIP features"),
        y=alt.Y("y:Q", title="second"),
        color=alt.Color("set:N", title=None),
    )
    charts.save(figure.properties(width=480, height=480, title="Images by their CLIP features"), picture)
    yield f"wrote {data} and {picture}"


def _images_of(place: Path, most: int, seed: int, known: Set[bytes] = frozenset()) -> list[bytes]:
    """Return up to ``most`` images of a split, or of a folder of image files, sampled at random, without known ones."""
    if (place / "manifest.json").is_file():
        unique = {image: None for question in splits.read_questions(place) for image in question.images}
        every: list[Any] = list(unique)
    else:
        every = photo_files(place)
    if len(every) < LEAST:
        raise VhbenchError(f"{place}: expected a split or folder with at least {LEAST} images, got {len(every)}")
    indices = sorted(rng(seed, "image sets", place.name).permutation(len(every))[:most].tolist())
    images = [image if isinstance(image := every[i], bytes) else Path(image).read_bytes() for i in indices]
    others = [image for image in images if image not in known]
    if len(others) < LEAST:
        raise VhbenchError(f"{place}: expected at least {LEAST} images that the first set lacks, got {len(others)}")
    return others


def distance(first: Floats, second: Floats, *, seed: int = 0) -> dict[str, Any]:
    """Return CMMD of two sets of unit-length features, shape (images, dimension), with 95 % CI and p-value.

    >>> random = np.random.default_rng(0)
    >>> one, two = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in random.normal(size=(2, 40, 8)))
    >>> result = distance(one, two)
    >>> result["p"] > 0.05, result["interval"][0] <= result["cmmd"] <= result["interval"][1]
    (True, True)
    """
    both, n = np.concatenate([first, second]), len(first)
    kernel = np.exp(np.minimum(0.0, both @ both.T - 1) / _SIGMA**2)  # |x - y|² = 2 - 2 x·y
    np.fill_diagonal(kernel, 0.0)
    random = rng(seed, "image sets", "resampled")

    def value(of_first: Floats, of_second: Floats) -> float:
        within = [w @ kernel @ w / (np.square(w.sum()) - np.square(w).sum()) for w in (of_first, of_second)]
        return _SCALE * float(sum(within) - 2 * (of_first @ kernel @ of_second) / (of_first.sum() * of_second.sum()))

    own = np.zeros(len(both))
    own[:n] = 1.0
    cmmd = value(own, 1 - own)
    sizes = n, len(both) - n
    resampled = []
    for _ in range(REPEATS):
        one, two = (random.multinomial(size, np.full(size, 1 / size)).astype(float) for size in sizes)
        resampled.append(value(np.pad(one, (0, sizes[1])), np.pad(two, (n, 0))))
    shuffled = [value(order, 1 - order) for order in (random.permutation(own) for _ in range(REPEATS))]
    low, high = (2 * cmmd - float(end) for end in np.quantile(resampled, (0.975, 0.025)))
    p = (1 + sum(other >= cmmd for other in shuffled)) / (1 + REPEATS)
    return {"cmmd": cmmd, "interval": [min(low, cmmd), max(high, cmmd)], "p": p}


def _compare(features: Mapping[str, Floats], *, seed: int = 0) -> dict[str, Any]:
    """Return the distances of each set from the first, and the two principal components of all features."""
    names = list(features)
    centred = np.concatenate(list(features.values()))
    centred = centred - centred.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    ends = np.cumsum([len(features[name]) for name in names])[:-1]
    points = dict(zip(names, np.split(centred @ axes.T, ends), strict=True))
    return {
        "distances": {name: distance(features[names[0]], features[name], seed=seed) for name in names[1:]},
        "images": {name: len(one) for name, one in features.items()},
        "points": {name: [[round(float(x), 4), round(float(y), 4)] for x, y in one] for name, one in points.items()},
    }


def _report(comparison: Mapping[str, Any]) -> Iterator[str]:
    first = next(iter(comparison["images"]))
    rows = [("images", "number", f"CMMD from {first}", "p")]
    rows.append((first, f"{comparison['images'][first]:,}", "", ""))
    for name, entry in comparison["distances"].items():
        value = f"{entry['cmmd']:.2f} [{entry['interval'][0]:.2f}, {entry['interval'][1]:.2f}]"
        rows.append((name, f"{comparison['images'][name]:,}", value, f"{entry['p']:.3f}"))
    yield from wording.aligned(rows)
