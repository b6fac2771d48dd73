"""Scores that a run claims: lmms-eval's results and our reports, written next to its samples."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vhbench.runs.run_files import content_of, is_run, sample_files, task_of

TOLERANCE = 0.005  # tolerance between a claimed and a recomputed score, in points: below the shown precision
Claims = Mapping[str, float]  # metric → number; metrics of the report begin with "report "


def claims_of(run: Path) -> dict[str, Claims]:
    """Return the claims of each task with samples in a run of lmms-eval; empty for other files."""
    claims_by_task: dict[str, Claims] = {}
    for file in sample_files(run) if is_run(run) else ():
        task, date = task_of(file), file.name.split("_samples_", 1)[0]
        results = content_of(file.with_name(f"{date}_results.json")).get("results")
        own = results.get(task) if isinstance(results, dict) else None
        claims = {name.split(",")[0]: value for name, value in _numbers(own) if "stderr" not in name}
        report = content_of(file.with_name(f"{date}_{task}_report.json")).get("overall")
        claims |= {f"report {name}": value for name, value in _numbers(report)}
        if claims:
            claims_by_task[task] = claims
    return claims_by_task


def conflicting_claims(task: str, claims: Claims, scores: Mapping[str, float | None]) -> Iterator[str]:
    """Yield the scores of a run's own results that differ from those of its samples, None of which is compared.

    >>> list(conflicting_claims("ode", {"accuracy": 57.5}, {"accuracy": 48.75}))
    ['ode: its results claim accuracy 57.500; recomputed: 48.750']
    """
    for name, value in scores.items():
        for key, where in ((name, "its results claim"), (f"report {name}", "its report claims")):
            if value is not None and key in claims and abs(claims[key] - value) > TOLERANCE:
                yield f"{task}: {where} {name} {claims[key]:.3f}; recomputed: {value:.3f}"


def _numbers(content: Any) -> Iterator[tuple[str, float]]:
    if isinstance(content, dict):
        yield from (
            (k, float(v)) for k, v in content.items() if isinstance(v, (int, float)) and not isinstance(v, bool)
        )
