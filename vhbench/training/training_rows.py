"""Export of training rows: selection, decontamination, answers and files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from vhbench import splits
from vhbench.analysis.ode_hallucinations import asked_vocabulary, hallucinated_concepts
from vhbench.generators.ode import environments
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.near_duplicates import Fingerprint
from vhbench.runs import Run, check_same_split, read_run
from vhbench.schema import Manifest, Question, Record, Scene, VhbenchError
from vhbench.splits import manifests
from vhbench.tasks.metrics import ode_captions
from vhbench.training import leakage, mixing, sample_selection, training_files
from vhbench.training.error_weights import error_weights
from vhbench.training.examples import FORMS, TrainingExample, lessons
from vhbench.training.options import AnswerOptions, DpoOptions, FileOptions, SftOptions
from vhbench.training.rationales import reason


@dataclass(slots=True)
class TrainingEdition:
    """An open training split."""

    path: Path
    manifest: Manifest
    scenes: Mapping[str, Scene]  # ground truth of its images
    errors: sample_selection.Errors | None = None  # errors of a run on it; None without a run
    notes: list[str] = field(default_factory=list)  # caveats for the card


def open_edition(split: Path, run: Path | None) -> TrainingEdition:
    """Open a training split, and sort a run's responses to it; raise if it is hidden, or the run of another one."""
    manifest = splits.read_manifest(split)
    if manifests.is_hidden(manifest):
        raise VhbenchError(f"{split}: expected reference answers, got the public part of a hidden test set")
    edition = TrainingEdition(split, manifest, splits.packed_scenes(split))
    if run is not None:
        responses = read_run(run)
        for origin in responses.provenance.values():
            check_same_split(origin, split, manifest)
        edition.errors = _errors(responses, run, edition)
        counts = sorted(edition.errors.counts.items())
        tally = ", ".join(f"{wrong:,} of {number:,} {kind}" for kind, (number, wrong) in counts) or "none"
        unread = f"{edition.errors.unread:,} unparsed responses left out"
        edition.notes += [*responses.notes, f"errors in the run: {tally}; {unread}"]
    return edition


def _errors(responses: Run, path: Path, edition: TrainingEdition, *, captions: bool = True) -> sample_selection.Errors:
    """Return the errors in a run's answers to questions of the edition's benchmark, of which it has some."""
    benchmark = edition.manifest.benchmark
    own = [record for record in responses.merged() if record.benchmark == benchmark]
    if not own:
        raise VhbenchError(f"{path}: expected responses to {benchmark}, as in {edition.path}; got none")
    captioned = [record for record in own if record.kind == "caption"] if captions else []
    matcher = ode_captions.matcher(asked_vocabulary(captioned, edition.path)) if captioned else None
    return sample_selection.errors((r for r in own if captions or r.kind != "caption"), matcher)


def choose(edition: TrainingEdition, options: DpoOptions) -> list[Question]:
    """Return the training questions, in split order; raise if too few are left, or they overlap with test sets."""
    if options.weakness and not (options.number or options.each):
        raise VhbenchError("--weakness: expected --number or --each as well")
    keep = {n: values for n, values in (("criterion", options.criterion), ("question_type", options.types)) if values}
    pool = [
        question
        for question in splits.read_questions(edition.path)
        if all(getattr(question, name) in values for name, values in keep.items())
    ]
    if not pool:
        facets = ", ".join(f"{name} {', '.join(values)}" for name, values in keep.items())
        raise VhbenchError(f"{edition.path}: no question has {facets}")
    ids = [question.id for question in pool] if edition.errors is None else list(edition.errors.wrong)
    questions = sample_selection.balanced(ids, pool, options.seed)
    weigh = _weights(options.weakness, edition) if options.weakness else None
    if options.each:
        questions = sample_selection.by_criterion(questions, options.each, options.seed, weigh)
    questions = sample_selection.drawn(questions, options.number, options.seed, weigh)
    if not questions:
        raise VhbenchError(f"{edition.path}: expected a run with errors; got none among its parsed responses")
    _hold_apart(questions, edition, options)
    return questions


def _weights(run: Path, edition: TrainingEdition) -> sample_selection.Weigh:
    """Return sampling weights by a run's errors; captions about another split lack the vocabulary they are read by."""
    responses = read_run(run)
    same = {one.content_hash for one in responses.provenance.values() if one} <= {edition.manifest.content_hash}
    errors = _errors(responses, run, edition, captions=same)
    edition.notes.append(
        f"questions are weighted by {sum(wrong for _, wrong in errors.counts.values()):,} errors of a run"
    )
    return error_weights(errors)


def _hold_apart(questions: Sequence[Question], edition: TrainingEdition, options: DpoOptions) -> None:
    """Raise if a test set shares an image, a scene or a concept with the training data, or none is named."""
    if not options.tests and not options.unchecked:
        raise VhbenchError("expected --test SPLIT, the split to decontaminate against; --unchecked omits the check")
    taught = leakage.contents_of(questions, edition.scenes)
    shown = {word for scene in edition.scenes.values() for word in leakage.concepts_of(scene)}
    taught = replace(taught, concepts=taught.concepts | leakage.asked(questions, shown))
    for test in options.tests:
        if not options.share_concepts and not leakage.has_concepts(test):
            raise VhbenchError(
                f"{test}: is the public part of a hidden test set, which does not reveal its concepts: pass the "
                "whole split, or --share-concepts to compare images alone"
            )
        if splits.read_manifest(test).content_hash == edition.manifest.content_hash:
            raise VhbenchError(f"{edition.path} equals {test}; expected different splits for training and test")
        scored = leakage.read_contents(test)
        leakage.refuse(taught, scored, (str(edition.path), str(test)), concepts=not options.share_concepts)
        if options.leak_model:
            edition.notes.append(leakage.most_similar(questions, test, options.leak_model))


def build_examples(
    questions: Sequence[Question], edition: TrainingEdition, options: SftOptions
) -> list[TrainingExample]:
    """Return the rows of questions: reference captions, short and reasoned answers."""
    examples: dict[str, list[TrainingExample]] = {}
    unsaid = _scored_places(options)
    for question in questions:
        scenes = [edition.scenes[name] for name in question.scene_ids if name in edition.scenes]
        examples[question.id] = lessons(question, scenes, options.answers, seed=options.seed, unsaid=unsaid)
    lacking = sum(len(examples[q.id]) < (1 if q.kind == "caption" else len(options.answers)) for q in questions)
    if lacking:
        edition.notes.append(
            f"{lacking:,} questions have no caption or reasoned answer: their scenes do not determine one, or their "
            "wording has no pattern"
        )
    # A format that only one of a yes and a no has would correlate with its answer.
    for unit in sample_selection.units(questions):
        shared = set.intersection(*({lesson.form for lesson in examples[q.id]} for q in unit))
        for question in unit:
            examples[question.id] = [lesson for lesson in examples[question.id] if lesson.form in shared]
    return [lesson for question in questions for lesson in examples[question.id]]


_EVERYWHERE = frozenset({"sky", "grass"})  # backgrounds of so many environments that captions cannot do without them


def _scored_places(options: DpoOptions) -> frozenset[str]:
    """Return test environments, which captions omit as backgrounds: an island has a beach that a test may ask for."""
    if options.share_concepts:
        return frozenset()
    scored = frozenset[str]().union(*(leakage.read_contents(test).concepts for test in options.tests))
    return (scored & environments.SETTINGS.keys()) - _EVERYWHERE


def preferences(questions: Sequence[Question], edition: TrainingEdition, options: DpoOptions) -> list[TrainingExample]:
    """Return pairs for DPO: reference against the response, or its opposite if correct.

    Correctly answered questions balance the incorrect ones, so that neither "yes" nor "no" is always rejected. In
    multiple choice the reference is paired with each other option: if a model always answers A, A is chosen once for
    several rejections. Of captions only those with a hallucination are used. A response of whole sentences is rejected
    for its repaired version (:func:`_repaired`), so that they differ in nothing else.
    """
    assert edition.errors is not None
    pairs: list[TrainingExample] = []
    unsaid = _scored_places(options)
    for question in questions:
        scenes = [edition.scenes[name] for name in question.scene_ids if name in edition.scenes]
        for lesson in lessons(question, scenes, ("short",), seed=options.seed, unsaid=unsaid):
            wrong = edition.errors.wrong.get(question.id)
            if wrong is not None:
                answer = _repaired(wrong, question, scenes, lesson.answer, edition.errors.matcher)
                pairs.append(replace(lesson, answer=answer, rejected=wrong.response, rejected_by="model"))
            elif question.kind == "yes_no":
                pairs.append(
                    replace(lesson, rejected="No" if question.answer == "yes" else "Yes", rejected_by="flipped")
                )
            elif question.kind == "multiple_choice":
                others = (letter for letter in ascii_uppercase[: len(question.choices)] if letter != question.answer)
                pairs += [
                    replace(lesson, id=f"{lesson.id}-{letter}", rejected=letter, rejected_by="flipped")
                    for letter in others
                ]
    return [lesson for lesson in pairs if lesson.rejected.strip()]


_FEW_WORDS = 4  # most words of an answer without a reason: "The answer is B."

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def _repaired(
    wrong: Record, question: Question, scenes: Sequence[Scene], reference: str, matcher: Vocabulary | None
) -> str:
    """Return a caption without its hallucinating sentences, or a closed answer with the reason from the scenes."""
    if question.kind != "caption":
        return (len(wrong.response.split()) > _FEW_WORDS and reason(question, scenes)) or reference
    assert matcher is not None
    parts = [
        reference if hallucinated_concepts(replace(wrong, response=sentence), matcher) else sentence
        for sentence in _SENTENCE_END.split(wrong.response.strip())
    ]
    text = " ".join(part for i, part in enumerate(parts) if part != reference or reference not in parts[:i])
    return reference if hallucinated_concepts(replace(wrong, response=text), matcher) else text


def mixed(
    options: AnswerOptions, seed: int, scored: Sequence[leakage.Contents], notes: list[str], *, leave_out: bool = False
) -> list[TrainingExample]:
    """Return the general rows to mix in; caveats are appended to ``notes``.

    Raises as :func:`~vhbench.training.mixing.read_mix`, and unless such rows are left out, for an image of the tests.
    """
    if options.mix is None:
        if options.mix_number or options.mix_images:
            raise VhbenchError("--mix-number and --mix-images: expected --mix FILE as well")
        return []
    is_scored = leakage.finder(scored)
    left = set[bytes]()

    def keep(image: bytes, seen: Fingerprint | None, place: str) -> bool:
        if not is_scored(image, seen):
            return True
        if not leave_out:
            raise VhbenchError(f"{place}: shows an image of a test split (--test); remove the row")
        left.add(image)
        return False

    general, blind = mixing.read_mix(options.mix, options.mix_images, options.mix_number, seed=seed, keep=keep)
    notes.append(f"{len(general):,} general rows of {options.mix.name} are mixed in")
    if left:
        notes.append(f"rows of {options.mix.name} about {len(left):,} images of the test are left out")
    if blind:
        notes.append(f"{blind:,} conversations of {options.mix.name} have no image and are left out")
    return general


def provenance(
    command: str, editions: Sequence[TrainingEdition], how: FileOptions, tests: Sequence[Path], *, apart: bool
) -> dict[str, Any]:
    """Return the provenance of rows, as JSON; ``apart``: no concept is shared with the tests."""
    kept = {name: value for name, value in asdict(how).items() if name not in ("out", "layout", "split", "test")}
    options = {name: _without_folder(value) for name, value in kept.items()}
    return {
        "command": f"vhbench export {command}",
        "options": {**options, "tests": [test.name for test in tests]},
        "sources": [_source(edition.path, edition.manifest) for edition in editions],
        "tests": [_source(test, splits.read_manifest(test)) for test in tests],
        "concepts_apart": apart,
        "notes": [note for edition in editions for note in edition.notes],
        "canary": "left out: these rows are training data",
    }


def _source(path: Path, manifest: Manifest) -> dict[str, Any]:
    return {
        "name": path.name, "benchmark": manifest.benchmark, "version": manifest.version, "seed": manifest.seed,
        "content_hash": manifest.content_hash,
    }  # fmt: skip


def _without_folder(value: Any) -> Any:
    if isinstance(value, tuple):
        return [Path(part).name for part in value]
    return value.name if isinstance(value, Path) else value


def export(how: SftOptions) -> list[str]:
    """Write rows for supervised fine-tuning on a training split; return lines about them. Raises as :func:`choose`."""
    check_forms(how)
    training_files.check_free(how.out, how.layout)
    edition = open_edition(how.split, how.run)
    rows = build_examples(choose(edition, how), edition, how)
    rows += mixed(how, how.seed, [leakage.read_contents(test) for test in how.tests], edition.notes)
    record = provenance("sft", [edition], how, how.tests, apart=not how.share_concepts)
    return [training_files.write(how.out, rows, how.layout, record), *edition.notes]


def check_forms(how: AnswerOptions) -> None:
    """Raise VhbenchError for an unknown form of answers."""
    if unknown := [form for form in how.answers if form not in FORMS]:
        raise VhbenchError(f"--answers: expected one of {', '.join(FORMS)}, got {unknown[0]}")


def export_preferences(how: DpoOptions) -> list[str]:
    """Write preference pairs of a run's errors; return lines about them. Raises as :func:`export`."""
    if how.run is None:
        raise VhbenchError(
            "expected --run RESULTS, whose incorrect responses are the rejected ones of the preference pairs"
        )
    training_files.check_free(how.out, how.layout, preferences=True)
    edition = open_edition(how.split, how.run)
    rows = preferences(choose(edition, how), edition, how)
    record = provenance("dpo", [edition], how, how.tests, apart=not how.share_concepts)
    return [training_files.write(how.out, rows, how.layout, record, preferences=True), *edition.notes]
