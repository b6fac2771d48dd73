"""One-pass audit: answers and captions against scenes, twins, balance of answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase

from vhbench import splits
from vhbench.audit import question_solver, restricted_oracles
from vhbench.progress import following
from vhbench.schema import Question, Scene

_ENOUGH = 40  # minimum number of questions for a warning about a share
_TOLERANCE = 4.0  # deviation of a share, in standard errors, that triggers a warning
_NAMED = 5  # maximum number of words in a line


@dataclass
class Audit:
    """Result of an audit."""

    faults: list[str] = field(default_factory=list)  # errors, one line each
    right: int = 0  # questions with a confirmed answer
    # questions that scenes or wording leave open, by benchmark-specific type
    open: Counter[str] = field(default_factory=Counter)
    # config → (kind, number of options) → reference answer → number of questions
    letters: dict[str, dict[tuple[str, int], Counter[str]]] = field(default_factory=dict)
    views: restricted_oracles.Figures = field(default_factory=dict)  # accuracy of restricted oracles, for MIOH


def audit(directory: Path, *, progress: bool = True) -> Audit:
    """Recompute all answers of a split, and check the scored words of captions against scenes.

    ``progress`` reports it on stderr. Raises VhbenchError if the split cannot be read.
    """
    result = Audit()
    scenes = splits.packed_scenes(directory)
    manifest = splits.read_manifest(directory)
    vocabulary = manifest.config.get("vocabulary")
    words = frozenset(vocabulary) if isinstance(vocabulary, Mapping) else frozenset[str]()
    yes_no: dict[tuple[str, str], dict[bool, str]] = {}
    total = sum(manifest.rows.values())
    for row in following(splits.read_rows(directory), "recomputing answers", total, "questions", enabled=progress):
        question = row.question
        row_scenes = [scenes[name] for name in question.scene_ids if name in scenes]
        question_scenes = row_scenes if len(row_scenes) == len(question.images) else []
        if question.kind == "caption":
            for fault in _caption_faults(question, question_scenes[0], words) if len(question_scenes) == 1 else ():
                result.faults.append(f"row {question.id!r}, scene {question_scenes[0].id}: {fault}")
        else:
            _check_answer(question, question_scenes, result)
            if question_scenes and question.benchmark == "mioh":
                restricted_oracles.add(result.views, question, question_scenes)
            cells = result.letters.setdefault(row.config, {})
            cells.setdefault((question.kind, len(question.choices)), Counter())[question.answer] += 1
        if question.kind == "yes_no" and question.pair_id:
            pair = yes_no.setdefault((row.config, question.pair_id), {})
            pair.setdefault(question.negated, question.answer)
    result.faults += restricted_oracles.leaks(result.views)
    for (_, pair_id), pair in sorted(yes_no.items()):
        if True in pair and False in pair and pair[True] == pair[False]:
            result.faults.append(
                f"pair {pair_id!r}: expected opposite answers to a question and its negation; got the same"
            )
    return result


def _check_answer(question: Question, scenes: list[Scene], result: Audit) -> None:
    verdict = question_solver.verdict(question, scenes) if scenes else None
    if verdict is None:
        result.open[question.question_type or question.task or question.kind] += 1
    elif verdict:
        result.right += 1
    else:
        result.faults.append(
            f"row {question.id!r}: reference answer {question.answer!r} to {question.question!r} contradicts scene "
            + ", ".join(question.scene_ids)
        )


def _caption_faults(question: Question, scene: Scene, vocabulary: Iterable[str]) -> Iterator[str]:
    """Yield the errors in the words of a caption's row, given its scene.

    The caption vocabulary is empty if unknown.
    """
    present = {thing.category for thing in scene.objects}.union(scene.areas)
    settled = present | scene.known
    objects, neutral = set(question.objects), set(question.neutral)
    for words, fault in (
        (objects - present, "objects names what the scene does not show"),
        (present - objects, "objects lacks what the scene shows"),
        (present.intersection(question.candidates), "candidates names what the scene shows"),
        (set(question.candidates) - settled, "candidates names what the scene does not know to be absent"),
        (neutral & settled, "neutral names what the scene knows"),
        (set(vocabulary) - settled - neutral, "neutral lacks words of the vocabulary that the scene does not know"),
    ):
        if words:
            more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
            yield f"{fault}: {', '.join(sorted(words)[:_NAMED])}{more}"


def imbalances(result: Audit) -> Iterator[str]:
    """Yield one line per config with answers unbalanced enough to reward guessing."""
    for config, cells in sorted(result.letters.items()):
        for (kind, options), counts in sorted(cells.items()):
            total = sum(counts.values())
            names = ["no", "yes"] if kind == "yes_no" else list(ascii_uppercase[:options])
            fair = 1 / len(names)
            error = (fair * (1 - fair) / total) ** 0.5
            for name in names:
                share = counts[name] / total
                if total >= _ENOUGH and abs(share - fair) > _TOLERANCE * error:
                    label = "answer" if kind == "yes_no" else f"option of {options}"
                    yield f"{config}: {label} {name!r} is correct in {share:.0%} of {total}, expected {fair:.0%}"
