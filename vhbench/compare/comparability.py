"""Whether runs can be compared: the same questions, splits and settings."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vhbench.compare.scored_runs import MeasuredGroup, ScoredRun
from vhbench.compare.scoring import Group
from vhbench.provenance import SETTINGS
from vhbench.schema import VhbenchError


def check_same(group: Group, by_run: Sequence[MeasuredGroup], names: Sequence[str]) -> None:
    """Check that all runs have the same questions, or name the run and questions that differ."""
    ids = [{record.id for record in one.questions.about} for one in by_run]
    every = set().union(*ids)
    for own, run in zip(ids, names, strict=True):
        if missing := sorted(every - own):
            count = f"{len(missing):,} of {len(every):,}"
            raise VhbenchError(
                f"{group.title}: expected runs on the same questions; {run} lacks {count} questions of another run "
                f"(the first: {missing[0]!r})"
            )
    first = by_run[0].questions
    for one, run in zip(by_run[1:], names[1:], strict=True):
        odd = [
            record.id
            for record, (content, words), (other, other_words) in zip(
                first.about, first.digests, one.questions.digests, strict=True
            )
            if content != other or (words and other_words and words != other_words)
        ]
        if odd:
            raise VhbenchError(
                f"{group.title}: {len(odd):,} of {len(every):,} questions of {run} are not those of {names[0]}, though "
                f"their ids are (the first: {odd[0]!r}): the runs used different splits"
            )


def left_out(runs: Sequence[ScoredRun], common: Sequence[Group]) -> Iterator[str]:
    """Yield the groups of questions that not every run has."""
    for run in runs:
        if alone := [group.title for group in run.groups if group not in common]:
            yield f"not compared, as not every run has it: {'; '.join(alone)} ({run.name})"


def differing_settings(runs: Sequence[ScoredRun], tasks: Sequence[str], *, same_split: bool = True) -> Iterator[str]:
    """Yield differences in prompts and settings of the runs' common tasks, and that a split is too small."""
    differing: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task in dict.fromkeys(tasks):
        origins = [(run.name, run.provenance[task]) for run in runs if task in run.provenance]
        for name, other in origins[1:]:
            first = origins[0][1]
            if same_split and other.content_hash != first.content_hash:
                raise VhbenchError(
                    f"{task}: expected runs on the same split; {origins[0][0]} is on {first.benchmark} {first.version} "
                    f"({first.content_hash[:12]}…), {name} on {other.benchmark} {other.version} "
                    f"({other.content_hash[:12]}…)"
                )
        for setting, words in SETTINGS.items():
            values = [(name, getattr(one, setting)) for name, one in origins]
            if any(value != values[0][1] for _, value in values):
                suffix = "" if setting == "prompts" else f": {', '.join(f'{name} {value}' for name, value in values)}"
                differing[words, suffix].append(task)
    for (words, suffix), where in differing.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        yield f"{words} differ in {where[0]}{more}{suffix}"
    if any(one.data.kind == "starter" for run in runs for one in run.provenance.values()):
        yield "the starter splits are too small to rank models; vhbench plan prints the required number of questions"


def caveats(group: Group, by_run: Sequence[MeasuredGroup], names: Sequence[str]) -> Iterator[str]:
    """Yield why scores are withheld, and differing numbers of repetitions."""
    for one, run in zip(by_run, names, strict=True):
        if one.withheld:
            yield f"{group.title}, {run}: {one.withheld}"
    if len({one.repetitions for one in by_run}) > 1:
        counts = ", ".join(f"{run} {one.repetitions}" for one, run in zip(by_run, names, strict=True))
        yield f"{group.title}: the runs have different numbers of repetitions ({counts})"
