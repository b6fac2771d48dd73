"""Check an entry's claims against recomputed values: scores, prompts, generation settings."""

from collections.abc import Iterator, Mapping, Sequence

from vhbench.benchmarks import task as task_named
from vhbench.compare.scored_runs import measure
from vhbench.compare.scoring import Group
from vhbench.files import quote_value
from vhbench.leaderboard.boards import Rules
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rescoring import RescoredEntry, parsed
from vhbench.provenance import Provenance, digest, digest_of_prompts, unlike
from vhbench.runs.run_claims import TOLERANCE, conflicting_claims
from vhbench.tasks import prompts

_SIGNS = ", = ' \" { } [ ]"
# signs in a setting by which it would be several in ``--gen_kwargs`` when its model is asked again
_SYNTAX = frozenset(_SIGNS.split())


def claimed_scores(rescoring: RescoredEntry) -> dict[str, dict[str, float | None]]:
    """Return the scores that an entry claims: family → metric → value, more precise than shown."""
    return {
        family: {name: None if score.value is None else round(score.value, 6) for name, score in scores.items()}
        for family, scores in rescoring.scores.items()
    }


def unlike_claims(claimed: Mapping[str, Mapping[str, float | None]], rescoring: RescoredEntry) -> Iterator[str]:
    """Yield claimed scores that differ from the recomputed ones, and missing claims."""
    for family, scores in claimed_scores(rescoring).items():
        claims = claimed.get(family, {})
        if lost := [name for name in scores if name not in claims]:
            yield f"claims no {lost[0]} ({family})"
        for name, value in claims.items():
            if name not in scores:
                yield f"claims an unknown metric {quote_value(name)} ({family})"
            elif not close(value, scores[name]):
                yield f"claims {name} {_text(value)} ({family}); recomputed from its responses: {_text(scores[name])}"
    if odd := [family for family in claimed if family not in rescoring.scores]:
        yield f"claims scores of {quote_value(odd[0])}, which the edition does not contain"


def close(one: float | None, other: float | None) -> bool:
    """Return whether two values agree within the tolerance of claims."""
    return one == other if one is None or other is None else abs(one - other) <= TOLERANCE


def _text(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def differing(
    questions: QuestionIndex, responses: Sequence[PackedAnswer], repeats: int, claims: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    """Yield scores of a run's own results that differ from the recomputed ones."""
    for task, claimed in sorted(claims.items()):
        family = task_named(task).family
        places = questions.of_task(task)
        # With repetitions, or of a larger task, results are not comparable: only the samples are checked.
        if family is None or repeats > 1 or len(places) < len(questions.whole.of_task(task)):
            continue
        records = [parsed(questions, place, responses[place]) for place in places]
        group = Group(task, questions.edition.benchmark, family.name)
        measured = measure(records, group, questions.source, cells=False)
        yield from conflicting_claims(task, claimed, {name: score.value for name, score in measured.scores.items()})


def prompt_faults(questions: QuestionIndex, run: Provenance) -> Iterator[str]:
    """Yield tasks with other prompts than the edition's questions give, or with missing questions."""
    edition = questions.edition
    if (run.benchmark, run.content_hash) != (edition.benchmark, edition.content_hash):
        split = f"{run.benchmark} with content hash {run.content_hash[:12]}…"
        yield f"{run.task}: was evaluated on another split ({split})"
        return
    questions = questions.whole
    places = questions.of_task(run.task)
    if not places or run.of != len(places) or run.asked != run.of:
        yield f"{run.task}: evaluated {run.asked:,} of {run.of:,} questions; the edition has {len(places):,}"
        return
    rows = (questions.rows[place] for place in places)
    digests = {row["id"]: digest(prompts.sent(row, run.prompt_form)) for row in rows}
    if digest_of_prompts(digests) != run.prompts:
        yield f"{run.task}: prompts differ from the benchmark's ({run.prompt_form} form)"


def provenance_gaps(questions: QuestionIndex, rules: Rules, provenance: Sequence[Provenance]) -> Iterator[str]:
    """Yield what provenance lacks to be complete: tasks, the model, settings that the board rules."""
    if not provenance:
        yield "has no provenance: add lmms-eval's folder with samples"
        return
    ids = {questions.whole.rows[place]["id"] for run in provenance for place in questions.whole.of_task(run.task)}
    if lost := [row["id"] for row in questions.rows if row["id"] not in ids]:
        yield f"has no provenance for {len(lost):,} of {len(questions.rows):,} questions (the first: {lost[0]!r})"
    for run in provenance:
        missing = [name for name in rules.generation if name not in run.generation]
        missing += [] if any(map(str.isalnum, run.model)) else ["model"]
        if missing:
            yield f"{run.task}: its provenance does not record {', '.join(missing)}"


def setting_faults(questions: QuestionIndex, rules: Rules, provenance: Sequence[Provenance]) -> Iterator[str]:
    """Yield violations of a board's rules for provenance and generation."""
    if rules.provenance:
        yield from (
            f"{gap}; this board requires complete provenance" for gap in provenance_gaps(questions, rules, provenance)
        )
    for run in provenance:
        for name, value in rules.generation.items():
            used = run.generation.get(name, value)
            if used != value or (isinstance(used, bool) and not isinstance(value, bool)):
                used, rule = quote_value(used), quote_value(value)
                yield f"{run.task}: expected {name} {rule}, got {used}"
        for name, value in run.generation.items():
            if _SYNTAX.intersection(f"{name}{value}" if isinstance(value, str) else name):
                setting = quote_value(f"{name}={value}")
                yield f"{run.task}: expected a generation setting without any of {_SIGNS}; got {setting}"
    yield from unlike(provenance)
    models = sorted({f"{run.model} {run.model_args}".strip() for run in provenance})
    if len(models) > 1:
        yield f"its tasks have responses of several models: {', '.join(map(quote_value, models))}"


def excess_failures(rules: Rules, rescoring: RescoredEntry) -> Iterator[str]:
    """Yield a reason if more requests failed than the board allows."""
    if rescoring.failures["failed"] > rules.max_failed:
        yield f"expected at most {rules.max_failed:g} % failed requests, got {rescoring.failures['failed']:.1f} %"
