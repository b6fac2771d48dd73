"""Writes annotation files for MIOH whose statistics are those of the real ones: COCO, PACO, Synthetic Visual Genome.

What matters for questions is kept: few categories are frequent and most are rare, things come in groups and in
contexts, boxes are mostly small, a category has few colours and fewer materials (PACO), only half of the objects have
attributes, only some absences are known (PACO), and relations are listed for chosen anchors only (SVG).
"""

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

COCO = (
    "person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire hydrant, stop sign, "
    "parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe, backpack, umbrella, "
    "handbag, tie, suitcase, frisbee, skis, snowboard, sports ball, kite, baseball bat, baseball glove, skateboard, "
    "surfboard, tennis racket, bottle, wine glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange, "
    "broccoli, carrot, hot dog, pizza, donut, cake, chair, couch, potted plant, bed, dining table, toilet, tv, laptop, "
    "mouse, remote, keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, book, clock, vase, scissors, "
    "teddy bear, hair drier, toothbrush"
).split(", ")
PACO = (
    "trash_can, handbag, ball, basket, bicycle, book, bottle, bowl, can, car_(automobile), carton, "
    "cellular_telephone, chair, cup, dog, drill, drum_(musical_instrument), glass_(drink_container), guitar, hat, "
    "helmet, jar, knife, laptop_computer, mug, pan_(for_cooking), plate, remote_control, scissors, shoe, "
    "slipper_(footwear), stool, table, towel, wallet, watch, wrench, belt, bench, blender, box, broom, bucket, "
    "calculator, clock, crate, earphone, fan, hammer, kettle, ladder, lamp, microwave_oven, mirror, "
    "mouse_(computer_equipment), napkin, newspaper, pen, pencil, pillow, pipe, pliers, plastic_bag, scarf, "
    "screwdriver, soap, sponge, spoon, sweater, tape_(sticky_cloth_or_paper), telephone, television_set, tissue_paper, "
    "tray, vase"
).split(", ")
SHADED = ("blue", "brown", "green", "grey", "orange", "pink", "purple", "red", "yellow")
COLOURS = ["black", *(f"{shade}{c}" for c in SHADED[:8] for shade in ("light_", "", "dark_")), "white",
           "light_yellow", "yellow", "dark_yellow", "other(color)"]  # fmt: skip
PATTERNS = "plain striped dotted checkered woven studded perforated floral other(pattern_marking) logo text".split()
MATERIALS = (
    "stone wood rattan fabric crochet wool leather velvet metal paper plastic glass ceramic other(material)".split()
)
ATTRIBUTES = [*COLOURS, *PATTERNS, *MATERIALS, "opaque", "translucent", "transparent", "other(transparency)"]
EXTRAS = tuple(
    words.split()
    for words in (
        "wall floor window lamp cabinet door shelf picture curtain pillow table box basket plate rug",
        "building sign road sidewalk wheel pole window street door shirt jacket hat shoe tree sky",
        "grass tree sky rock fence flower water hill cloud bush leaf trunk shirt hat road",
    )
)
"""What SVG names besides COCO's categories: indoors, in streets, in the open; the first ones are in most images."""
WIDTH, HEIGHT = 640, 480

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Layout:
    """What is where: one entry per instance, in the order of the images."""

    def __init__(self, images: int, instances: int, categories: int, random: np.random.Generator) -> None:
        share = random.gamma(1.1, size=images)
        self.image: Ints = np.repeat(np.arange(images), random.multinomial(instances, share / share.sum()))
        self.context: Ints = random.integers(24, size=images)
        self.category = _categories(self.image, self.context, categories, random)
        side = np.exp(random.normal(4.3, 0.9, (instances, 2))).clip(8, [WIDTH - 1, HEIGHT - 1])
        corner = random.random((instances, 2)) * (np.array([WIDTH, HEIGHT]) - side)
        self.box: Floats = np.round(np.hstack([corner, side]), 2)
        self.fill = 0.7 * np.exp(random.normal(0, 0.2, instances)).clip(0.3, 1.4)
        self.starts = np.searchsorted(self.image, np.arange(images + 1))


def _categories(image: Ints, context: Ints, categories: int, random: np.random.Generator) -> Ints:
    """Draw categories by context, the first one (COCO: people) in nearly all, the others as Zipf has it."""
    base = 1 / (np.arange(categories) + 4.0)
    base = np.concatenate([base[:1] * (3 if categories == len(COCO) else 1), random.permutation(base[1:])])
    contexts = random.dirichlet(base / base.sum() * 4, 24) * 0.7 + base / base.sum() * 0.3
    cumulative = np.cumsum(contexts, 1)[context]
    draws = random.random(len(image))
    category = np.minimum((cumulative[image] < draws[:, None]).sum(1), categories - 1)
    group = np.concatenate([[False], image[1:] == image[:-1]]) & (random.random(len(image)) < 0.45)
    first = np.where(group, 0, np.arange(len(image)))  # a group is of the kind of its first
    return np.asarray(category[np.maximum.accumulate(first)], np.int64)


def write_all(folder: Path, images: int, instances: int, *, paco: float = 0.5, svg: float = 0.28) -> None:
    """Write ``coco.json``, ``paco.json``, ``svg.json`` (``paco``, ``svg``: images per one of COCO's), and ``photos/``.

    All photos are one grey picture, apart by their last bytes, which belong to no picture: what they show is not asked.
    """
    photos = folder / "photos"
    photos.mkdir(parents=True)
    grey = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), "grey").save(grey, "JPEG")
    for i in range(int(images * max(1.0, paco))):
        (photos / file_name(i)).write_bytes(grey.getvalue() + i.to_bytes(4))
    write_coco(folder / "coco.json", images, instances)
    write_paco(folder / "paco.json", int(images * paco), int(instances * paco / 2))
    write_svg(folder / "svg.json", images, instances, kept=int(images * svg))


def file_name(image: int) -> str:
    return f"{image:012d}.jpg"


def write_coco(path: Path, images: int, instances: int, seed: int = 0) -> None:
    """Write an instances file: polygons, and now and then a crowd with a run-length encoded mask."""
    random = np.random.default_rng(seed)
    layout = Layout(images, instances, len(COCO), random)
    crowd = random.random(instances) < 0.012
    entries = (
        f'{{"id": {i}, "file_name": "{file_name(i)}", "width": {WIDTH}, "height": {HEIGHT}}}' for i in range(images)
    )
    with path.open("w") as file:
        file.write('{"info": {}, "images": [\n')
        file.write(",\n".join(entries))
        file.write('], "annotations": [\n')
        for start in range(0, instances, 10_000):
            part = slice(start, start + 10_000)
            file.write(",\n" if start else "")
            file.write(",\n".join(_annotations(layout, crowd, part)))
        file.write(f'], "categories": [{_named(COCO)}]}}')


def _annotations(layout: Layout, crowd: npt.NDArray[np.bool_], part: slice) -> Iterable[str]:
    turn = np.linspace(0, 6.2, 24)
    ring = np.stack([np.cos(turn), np.sin(turn)], 1) * 0.45 + 0.5
    box = layout.box[part]
    points = (ring[None] * box[:, None, 2:] + box[:, None, :2]).reshape(len(box), -1)
    polygon = "[[" + ", ".join(["%.2f"] * points.shape[1]) + "]]"
    for i, (corners, (x, y, w, h)) in enumerate(zip(points.tolist(), box.tolist(), strict=True), part.start):
        mask = polygon % tuple(corners)
        if crowd[i]:
            mask = f'{{"counts": [100, 5000, {WIDTH * HEIGHT - 5100}], "size": [{HEIGHT}, {WIDTH}]}}'
        yield (f'{{"segmentation": {mask}, "area": {w * h * layout.fill[i]:.2f}, "iscrowd": {int(crowd[i])}, '
               f'"image_id": {layout.image[i]}, "bbox": [{x:.2f}, {y:.2f}, {w:.2f}, {h:.2f}], '
               f'"category_id": {layout.category[i] + 1}, "id": {i + 1}}}')  # fmt: skip


def _named(names: Iterable[str], first: int = 1) -> str:
    return ", ".join(f'{{"id": {i}, "name": "{name}"}}' for i, name in enumerate(names, first))


def write_paco(path: Path, images: int, instances: int, seed: int = 1) -> None:
    """Write a PACO file: half of the objects have attributes, and an image has three verified absences."""
    random = np.random.default_rng(seed)
    layout = Layout(images, instances, len(PACO), random)
    looks = Looks(random)
    with path.open("w") as file:
        file.write('{"images": [\n')
        file.write(",\n".join(_paco_image(i, layout, random) for i in range(images)))
        file.write('], "annotations": [\n')
        for i, (x, y, w, h) in enumerate(layout.box.tolist()):
            file.write(",\n" if i else "")
            file.write(f'{{"id": {i + 1}, "obj_ann_id": {i + 1}, "image_id": {layout.image[i]}, '
                       f'"category_id": {layout.category[i] + 1}, "bbox": [{x:.2f}, {y:.2f}, {w:.2f}, {h:.2f}], '
                       f'"area": {w * h * layout.fill[i]:.2f}, {looks.of(int(layout.category[i]))}}}')  # fmt: skip
        file.write(f'], "categories": [{_named(PACO)}], "attributes": [{_named(ATTRIBUTES, 0)}]}}')


def _paco_image(i: int, layout: Layout, random: np.random.Generator) -> str:
    there = set(layout.category[layout.starts[i] : layout.starts[i + 1]].tolist())
    negative = [c + 1 for c in random.choice(len(PACO), 3, replace=False).tolist() if c not in there]
    partial = [c + 1 for c in sorted(there) if random.random() < 0.1]
    return (f'{{"id": {i}, "file_name": "{file_name(i)}", "width": {WIDTH}, "height": {HEIGHT}, '
            f'"neg_category_ids": {negative}, "not_exhaustive_category_ids": {partial}}}')  # fmt: skip


class Looks:
    """Attributes: each category has a few colours and one or two materials; nearly everything is plain and opaque."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        usual = np.ones(len(COLOURS))
        usual[[COLOURS.index(c) for c in ("black", "white", "grey", "brown", "blue", "red")]] = 8
        self.colours = np.cumsum(random.dirichlet(usual / usual.sum() * 12, len(PACO)), 1)
        self.patterns = np.cumsum(random.dirichlet([6, *[0.15] * (len(PATTERNS) - 1)], len(PACO)), 1)
        self.materials = np.cumsum(random.dirichlet(np.full(len(MATERIALS), 0.12), len(PACO)), 1)
        self.clear = random.random(len(PACO)) ** 6  # bottles and glasses are see-through, hardly anything else

    def of(self, category: int) -> str:
        """Return the fields of one object."""
        if self.random.random() < 0.5:
            return '"attribute_ids": [], "dom_color_ids": []'
        draws = self.random.random(6).tolist()
        colours = [_index(self.colours[category], d) for d in draws[: 2 if draws[5] < 0.4 else 1]]
        pattern = 30 + _index(self.patterns[category], draws[2])
        material = 41 + _index(self.materials[category], draws[3])
        sheer = 57 if draws[4] < 0.5 * self.clear[category] else 56 if draws[4] < self.clear[category] else 55
        found = sorted({*colours, pattern, material, sheer})
        return f'"attribute_ids": {found}, "dom_color_ids": {colours[:1]}, "unknown_material": {int(draws[5] > 0.96)}'


def _index(cumulative: Floats, draw: float) -> int:
    return min(int(np.searchsorted(cumulative, draw)), len(cumulative) - 1)


def write_svg(path: Path, images: int, instances: int, kept: int, seed: int = 0) -> None:
    """Write relations between the things of every so many-th image of ``write_coco(images, instances, seed)``."""
    layout = Layout(images, instances, len(COCO), np.random.default_rng(seed))
    random = np.random.default_rng((seed, 2))
    with path.open("w") as file:
        for number, i in enumerate(np.linspace(0, images - 1, kept).astype(int).tolist()):
            file.write(",\n" if number else "{")
            file.write(f'"{i:012d}": {{"width": {WIDTH}, "height": {HEIGHT}, "objects": {{')
            rows = range(layout.starts[i], min(layout.starts[i + 1], layout.starts[i] + 12))
            things = [(COCO[layout.category[row]], layout.box[row].tolist()) for row in rows]
            extras = EXTRAS[layout.context[i] % len(EXTRAS)]
            usual = 1 / (np.arange(len(extras)) + 2.0)
            names = random.choice(extras, int(random.integers(7, 14)), replace=False, p=usual / usual.sum()).tolist()
            things += [(name, _any_box(random)) for name in names]
            file.write(", ".join(f'"{j}": {_thing(j, things, random)}' for j in range(len(things))))
            file.write("}}")
        file.write("}")


def _any_box(random: np.random.Generator) -> list[float]:
    w, h, x, y = random.random(4).tolist()
    w, h = 40 + w * 300, 40 + h * 250
    return [round(v, 2) for v in (x * (WIDTH - w), y * (HEIGHT - h), w, h)]


def _thing(j: int, things: list[tuple[str, list[float]]], random: np.random.Generator) -> str:
    name, (x, y, w, h) = things[j]
    relations: list[str] = []
    if random.random() < 0.7:  # an anchor: one to five relations to others
        others = [k for k in random.permutation(len(things))[: int(random.integers(2, 7))].tolist() if k != j]
        relations = [f'{{"object": {k}, "name": "{_relation(things[j], things[k], random)}"}}' for k in others]
    return (f'{{"name": "{name}", "bbox": [{x:.2f}, {y:.2f}, {x + w:.2f}, {y + h:.2f}], '
            f'"relations": [{", ".join(relations)}]}}')  # fmt: skip


def _relation(one: tuple[str, list[float]], other: tuple[str, list[float]], random: np.random.Generator) -> str:
    """Say how two boxes lie; of two that overlap, the one whose foot is lower in the picture is in front."""
    (_, (x, y, w, h)), (_, (x2, y2, w2, h2)) = one, other
    kind = random.random()
    if kind < 0.15:
        return str(random.choice(["holding", "wearing", "looking at", "part of", "near"]))
    if kind < 0.3 and (x + w <= x2 or x2 + w2 <= x):
        return "to the left of" if x + w <= x2 else "to the right of"
    if y + h <= y2 + 0.3 * h2 and abs(x + w / 2 - x2 - w2 / 2) < w2 / 2:
        return "on" if kind < 0.5 else "above"
    if y >= y2 + h2:
        return "below" if kind < 0.7 else "in front of"
    if kind > 0.92:
        return "next to"
    return "in front of" if y + h > y2 + h2 else "behind"
