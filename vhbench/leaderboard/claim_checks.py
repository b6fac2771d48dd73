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


def claimed_scores(found: RescoredEntry) -> dict[str, dict[str, float | None]]:
    """Return the scores that an entry claims: family → metric → value, more precise than shown."""
    return {
        family: {name: None if score.value is None else round(score.value, 6) for name, score in scores.items()}
        for family, scores in found.scores.items()
    }


def unlike_claims(claimed: Mapping[str, Mapping[str, float | None]], found: RescoredEntry) -> Iterator[str]:
    """Yield claimed scores that differ from the recomputed ones, and missing claims."""
    for family, scores in claimed_scores(found).items():
        told = claimed.get(family, {})
        if lost := [name for name in scores if name not in told]:
            yield f"claims no {lost[0]} ({family})"
        for name, value in told.items():
            if name not in scores:
                yield f"claims an unknown metric {quote_value(name)} ({family})"
            elif not _close(value, scores[name]):
                yield f"claims {name} {_said(value)} ({family}); recomputed from its responses: {_said(scores[name])}"
    if odd := [family for family in claimed if family not in found.scores]:
        yield f"claims scores of {quote_value(odd[0])}, which the edition does not contain"


def _close(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= TOLERANCE


def _said(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def differing(
    asked: QuestionIndex, responses: Sequence[PackedAnswer], repeats: int, claims: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    """Yield scores of a run's own results that differ from the recomputed ones."""
    for task, claimed in sorted(claims.items()):
        family = task_named(task).family
        own = asked.of_task(task)
        # With repetitions, or of a larger task, results are not comparable: only the samples are checked.
        if family is None or repeats > 1 or len(own) < len(asked.whole.of_task(task)):
            continue
        records = [parsed(asked, place, responses[place]) for place in own]
        found = measure(records, Group(task, asked.edition.benchmark, family.name), asked.source, cells=False)
        yield from conflicting_claims(task, claimed, {name: score.value for name, score in found.scores.items()})


def prompt_faults(asked: QuestionIndex, told: Provenance) -> Iterator[str]:
    """Yield tasks with other prompts than the edition's questions give, or with missing questions."""
    edition = asked.edition
    if (told.benchmark, told.content_hash) != (edition.benchmark, edition.content_hash):
        named = f"{told.benchmark} with content hash {told.content_hash[:12]}…"
        yield f"{told.task}: was evaluated on another split ({named})"
        return
    asked = asked.whole
    own = asked.of_task(told.task)
    if not own or told.of != len(own) or told.asked != told.of:
        yield f"{told.task}: evaluated {told.asked:,} of {told.of:,} questions; the edition has {len(own):,}"
        return
    sent = {asked.rows[place]["id"]: digest(prompts.sent(asked.rows[place], told.prompt_form)) for place in own}
    if digest_of_prompts(sent) != told.prompts:
        yield f"{told.task}: prompts differ from the benchmark's ({told.prompt_form} form)"


def provenance_gaps(asked: QuestionIndex, rules: Rules, provenance: Sequence[Provenance]) -> Iterator[str]:
    """Yield what provenance lacks to be complete: tasks, the model, settings that the board rules."""
    if not provenance:
        yield "has no provenance: add lmms-eval's folder with samples"
        return
    known = {asked.whole.rows[place]["id"] for told in provenance for place in asked.whole.of_task(told.task)}
    if lost := [row["id"] for row in asked.rows if row["id"] not in known]:
        yield f"has no provenance for {len(lost):,} of {len(asked.rows):,} questions (the first: {lost[0]!r})"
    for told in provenance:
        missing = [name for name in rules.generation if name not in told.generation]
        missing += [] if told.model else ["model"]
        if missing:
            yield f"{told.task}: its provenance does not record {', '.join(missing)}"


def setting_faults(asked: QuestionIndex, rules: Rules, provenance: Sequence[Provenance]) -> Iterator[str]:
    """Yield violations of a board's rules for provenance and generation."""
    if rules.provenance:
        yield from (
            f"{gap}; this board requires complete provenance" for gap in provenance_gaps(asked, rules, provenance)
        )
    for told in provenance:
        for name, value in rules.generation.items():
            if name in told.generation and told.generation[name] != value:
                used, rule = quote_value(told.generation[name]), quote_value(value)
                yield f"{told.task}: expected {name} {rule}, got {used}"
    yield from unlike(provenance)
    models = sorted({f"{told.model} {told.model_args}".strip() for told in provenance})
    if len(models) > 1:
        yield f"its tasks have responses of several models: {', '.join(map(quote_value, models))}"


def excess_failures(rules: Rules, found: RescoredEntry) -> Iterator[str]:
    """Yield a reason if more requests failed than the board allows."""
    if found.told["failed"] > rules.max_failed:
        yield f"expected at most {rules.max_failed:g} % failed requests, got {found.told['failed']:.1f} %"
