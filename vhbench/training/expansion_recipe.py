"""VHExpansion's recipe (§5.4): 200 cases, expanded to 800, paraphrased to 4,000.

The remaining cases, about other images, become the test split.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vhbench import splits
from vhbench.adapters.rewriters import load_rewriter
from vhbench.builds import sharding
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.builds.vhexpansion_sources import read_cases
from vhbench.files import json_bytes, open_file, read_image, write_atomic
from vhbench.protocols import Rewriter
from vhbench.schema import Question, VhbenchError
from vhbench.seeding import rng
from vhbench.training import leakage, training_files, training_rows
from vhbench.training.examples import TrainingExample, lessons, prompt
from vhbench.training.leakage import look_of
from vhbench.training.options import RecipeOptions
from vhbench.training.paraphrases import paraphrases, rephrased
from vhbench.training.training_rows import TrainingEdition


def export(how: RecipeOptions) -> list[str]:
    """Write rows of all sources, and a test split for each; return lines about them. Raises if cases are too few.

    The same command resumes an interrupted export.
    """
    if how.images and len(how.images) != len(how.source):
        raise VhbenchError(f"--images is given {len(how.images)} times for {len(how.source)} sources")
    training_rows.check_forms(how)
    mark = how.out / _RECIPE
    if (how.out / "rows").exists() or not mark.is_file() or mark.read_bytes() != _recipe(how):
        training_files.check_free(how.out, how.layout)
    if how.mix is not None:
        with open_file(how.mix):  # before the sources, which take longer to read
            pass
    rewriter, rows, notes = load_rewriter(how.rewriter), list[TrainingExample](), list[str]()
    parts = _parted(how)
    general = training_rows.mixed(how, how.seed, [part.scored for part in parts], notes, leave_out=True)
    pairs = _built(how, parts)
    editions = [training_rows.open_edition(train, None) for train, _ in pairs]
    for edition in editions:
        questions = list(splits.read_questions(edition.path))
        taught = leakage.contents_of(questions, edition.scenes)
        for _, test in pairs:
            leakage.refuse(taught, leakage.read_contents(test), (str(edition.path), str(test)), concepts=False)
        for question in questions:
            rows += _reworded(question, edition, how, rewriter)
    editions[0].notes += notes
    tests = [test for _, test in pairs]
    provenance = training_rows.provenance("vhexpansion", editions, how, tests, apart=False)
    rows += general
    line = training_files.write(how.out / "rows", rows, how.layout, provenance)
    # A split's task is the config of its clean pairs, which has the shortest name.
    names = [min(splits.read_manifest(test).rows, key=len) for test in tests]
    commands = (f"test: VHBENCH_DATA={t.parent} lmms-eval --tasks {n} …" for t, n in zip(tests, names, strict=True))
    return [line, *commands]


_RECIPE = "recipe.json"  # recipe of an unfinished folder, so that only the same command resumes there


def _recipe(how: RecipeOptions) -> bytes:
    return json_bytes({name: str(value) for name, value in asdict(how).items() if name not in ("out", "layout")})


@dataclass(frozen=True, slots=True)
class _Part:
    """Training and test cases (ids) of a source; the test is about images that no source trains on."""

    folder: str
    base: VHExpansionBuild
    taken: list[str]
    left: list[str]
    scored: leakage.Contents


def _parted(how: RecipeOptions) -> list[_Part]:
    """Partition all cases; sources may share images (as POPE's three splits do)."""
    read: list[tuple[VHExpansionBuild, tuple[tuple[Question, ...], ...], frozenset[str]]] = []
    for place, source in enumerate(how.source):
        images = how.images[place] if how.images else ""
        base = VHExpansionBuild(source=source, images=images, seed=how.seed, perturb=("none",))
        groups = read_cases(source, images, base.source_name, 0, base.version).groups
        read.append((base, groups, frozenset(sample(groups, how.cases, how.seed, source)[0])))
    taught = [leakage.contents_of([q for group in groups for q in group if q.id in ids], {}) for _, groups, ids in read]
    is_taught, parts = leakage.finder(taught), list[_Part]()
    for base, groups, chosen in read:
        shown = (read_image(group[0].images[0]) for group in groups)
        new = (group for group, image in zip(groups, shown, strict=True) if not is_taught(image, look_of(image)))
        left = [question for group in new for question in group if not question.negated]
        if not left:
            raise VhbenchError(f"--cases {how.cases}: the sources train on all images of {base.source}; take fewer")
        before = sum(part.base.source_name == base.source_name for part in parts)
        folder = f"{base.source_name}-{before + 1}" if before else base.source_name
        scored = leakage.contents_of(left, {})
        parts.append(_Part(folder, base, sorted(chosen), sorted(question.id for question in left), scored))
    return parts


def _built(how: RecipeOptions, parts: Sequence[_Part]) -> list[tuple[Path, Path]]:
    """Build the training and the test cases of each source; return its two splits."""
    builds: list[tuple[Path, list[str], VHExpansionBuild]] = []
    perturb = ("none",) if how.attack else how.perturb
    for part in parts:
        taught = replace(part.base, perturb=perturb, attack=how.attack, model=(how.model,) if how.model else ())
        tested = replace(part.base, perturb=VHExpansionBuild.perturb)
        builds.append((how.out / "train" / part.folder, part.taken, taught))
        builds.append((how.out / "test" / part.folder, part.left, tested))
    for _, _, build in builds:
        build.check()
    write_atomic(how.out / _RECIPE, _recipe(how))  # all inputs are valid: the folder now belongs to this recipe
    for folder, ids, build in builds:
        cases = folder / "cases.txt"
        write_atomic(cases, "".join(f"{case}\n" for case in ids).encode())
        sharding.run(replace(build, cases=str(cases)), folder, progress=False)
    built = [folder / build.benchmark for folder, _, build in builds]
    return list(zip(built[::2], built[1::2], strict=True))


def sample(
    groups: Sequence[Sequence[Question]], number: int, seed: int, source: str = "the source"
) -> tuple[list[str], list[str]]:
    """Return the ids of sampled cases, and of all cases about other images; raise if none would be left to test on."""
    pictures: dict[bytes, list[str]] = {}
    for group in groups:
        digest = hashlib.sha256(read_image(group[0].images[0])).digest()
        pictures.setdefault(digest, []).extend(q.id for q in group if not q.negated)
    order = [list(pictures.values())[i] for i in rng(seed, "recipe", source).permutation(len(pictures))]
    sampled = list[str]()
    while order and len(sampled) < number:
        sampled += order.pop()[: number - len(sampled)]
    if len(sampled) < number or not order:
        total = sum(map(len, pictures.values()))
        raise VhbenchError(
            f"--cases {number}: {source} has {total:,} cases about {len(pictures):,} images, and some must be left for "
            "the test"
        )
    return sorted(sampled), sorted(case for picture in order for case in picture)


def _reworded(
    question: Question, edition: TrainingEdition, how: RecipeOptions, rewriter: Rewriter | None
) -> Iterator[TrainingExample]:
    """Yield the rows of a question in its own wording and in paraphrases."""
    others = paraphrases(question.question, how.paraphrases, source=question.source, seed=how.seed)
    if rewriter is not None and how.paraphrases:
        others, refused = rephrased(question.question, how.paraphrases, rewriter, source=question.source, seed=how.seed)
        edition.notes += [f"refused as a rewording of {question.question!r}: {output!r}" for output in refused[:1]]
    scenes = [edition.scenes[name] for name in question.scene_ids if name in edition.scenes]
    own = lessons(question, scenes, how.answers, seed=how.seed)
    for number, text in enumerate((question.question, *others)):
        reworded = replace(question, question=text)
        # The answer is the original's: its reason is parsed from a wording that the audit knows.
        for lesson in own:
            form = "short" if lesson.form == "short" else "reasoned"
            yield replace(lesson, id=f"{lesson.id}-{number}", prompt=prompt(reworded, form))
