"""VHExpansion's recipe (§5.4): 200 cases of a source, negated and perturbed to 800, reworded four times to 4,000.

The remaining cases are about other images; they become the split that is scored.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.vhexpansion import VHExpansionBuild, rewriter_of
from vhbench.builds.vhexpansion_sources import read_cases
from vhbench.files import read_image, write_atomic
from vhbench.protocols import Rewriter
from vhbench.schema import Question, VhbenchError
from vhbench.seeding import rng
from vhbench.training import overlap, training_files, training_rows
from vhbench.training.lessons import Form, Lesson, lessons, prompt
from vhbench.training.paraphrases import paraphrases, rephrased
from vhbench.training.training_rows import TrainingEdition, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What is sampled and how it is expanded; the fields are options of ``vhbench export vhexpansion``."""

    source: tuple[str, ...]
    images: tuple[str, ...] = ()
    cases: int = 200
    perturb: tuple[str, ...] = ("gaussian_noise",)
    attack: tuple[str, ...] = ()
    model: str = ""
    paraphrases: int = 4
    rewriter: str = "rule"


def export(
    how: Expansion, wanted: Wanted, out: Path, layout: training_files.Layout, command: str
) -> tuple[list[Lesson], list[Path]]:
    """Write rows of all sources, and a test split for each; return the rows and the splits.

    Raises:
        VhbenchError: if a source has too few cases, or cannot be read.
    """
    if out.exists() and any(out.iterdir()):
        raise VhbenchError(f"--out {out}: is not empty; rows of two exports would mix")
    rewriter, rows = rewriter_of(how.rewriter), list[Lesson]()
    editions, tests = list[TrainingEdition](), list[Path]()
    for place, source in enumerate(how.source):
        train, test = _parted(how, source, how.images[place] if how.images else "", wanted.seed, out)
        edition = training_rows.open_edition(train, None)
        questions = list(splits.read_questions(train))
        taught = overlap.contents_of(questions, edition.scenes)
        overlap.refuse(taught, overlap.read_contents(test), (str(train), str(test)), concepts=False)
        for question in questions:
            rows += _reworded(question, edition, how, wanted, rewriter)
        editions.append(edition)
        tests.append(test)
    rows = training_rows.mixed(rows, wanted, editions[0].notes)
    kept = replace(wanted, tests=tuple(tests), share_concepts=True)
    told = training_rows.provenance(command, editions, kept)
    rows_at = out / "rows"
    training_files.write(rows_at, rows, layout, told)
    return rows, tests


def task_of(test: Path) -> str:
    """Return the task of a test split: the config of its clean pairs."""
    return min(splits.read_manifest(test).rows, key=len)


def _parted(how: Expansion, source: str, images: str, seed: int, out: Path) -> tuple[Path, Path]:
    """Build the cases that are trained on, and those that are scored; return both splits."""
    base = VHExpansionBuild(source=source, images=images, seed=seed, perturb=("none",))
    name = base.source_name
    taken, left = sample(read_cases(source, images, name, 0, base.version).groups, how.cases, seed, source)
    train, test = out / "train" / name, out / "test" / name
    for folder, ids in ((train, taken), (test, left)):
        write_atomic(folder / "cases.txt", "".join(f"{case}\n" for case in ids).encode())
    perturb = ("none",) if how.attack else how.perturb
    builds = (
        (train, replace(base, cases=str(train / "cases.txt"), perturb=perturb, attack=how.attack, model=how.model)),
        (test, replace(base, cases=str(test / "cases.txt"), perturb=VHExpansionBuild.perturb)),
    )
    for folder, build in builds:
        build.check()
        sharding.run(build, folder, progress=False)
    return train / base.benchmark, test / base.benchmark


def sample(
    groups: Sequence[Sequence[Question]], number: int, seed: int, source: str = "the source"
) -> tuple[list[str], list[str]]:
    """Return the ids of so many cases, and of all cases about other images.

    Args:
        groups: the cases that share an image, together.
        number: how many are taken.
        seed: decides which.
        source: for errors.

    Raises:
        VhbenchError: if there are fewer, or none would be left to score.
    """
    pictures: dict[bytes, list[str]] = {}
    for group in groups:
        digest = hashlib.sha256(read_image(group[0].images[0])).digest()
        pictures.setdefault(digest, []).extend(q.id for q in group if not q.negated)
    order = [list(pictures.values())[i] for i in rng(seed, "recipe", source).permutation(len(pictures))]
    taken = list[str]()
    while order and len(taken) < number:
        taken += order.pop()[: number - len(taken)]
    if len(taken) < number or not order:
        total = sum(map(len, pictures.values()))
        raise VhbenchError(
            f"--cases {number}: {source} has {total:,} cases about {len(pictures):,} images, and some must be left for "
            "the test"
        )
    return sorted(taken), sorted(case for picture in order for case in picture)


def _reworded(
    question: Question, edition: TrainingEdition, how: Expansion, wanted: Wanted, rewriter: Rewriter | None
) -> Iterator[Lesson]:
    """Yield the rows of a question in its own words and in others."""
    others = paraphrases(question.question, how.paraphrases, seed=wanted.seed)
    if rewriter is not None and how.paraphrases:
        others, refused = rephrased(question.question, how.paraphrases, rewriter, seed=wanted.seed)
        edition.notes += [f"refused as a rewording of {question.question!r}: {said!r}" for said in refused[:1]]
    scenes = [edition.scenes[name] for name in question.scene_ids if name in edition.scenes]
    own = lessons(question, scenes, wanted.answers, seed=wanted.seed)
    for number, text in enumerate((question.question, *others)):
        told = replace(question, question=text)
        # The answer is that of the original: a reason is read from its words, which the audit knows.
        for lesson in own:
            form: Form = "short" if lesson.form == "short" else "reasoned"
            yield replace(lesson, id=f"{lesson.id}-{number}", prompt=prompt(told, form))
