"""``vhbench plan``: the number of questions and images that a comparison of two models needs."""

from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError


@dataclass(frozen=True, kw_only=True)
class _PlanOptions:
    split: Path | None = option(
        "Split; by default, those that the tasks use (VHBENCH_DATA).", None, argument=True, metavar="SPLIT"
    )
    detect: float = option("Difference to detect, in points.", 5.0, least=0.1, most=100)
    task: tuple[str, ...] = option("Comma-separated tasks or groups of tasks; by default, all of the split.", ())
    pilot: tuple[str, ...] = option(
        "Pilot run, as for `vhbench compare`. Repeat for a second run: the variance is then that of their differences.",
        (),
        metavar="RUN",
        repeat=True,
    )
    accuracy: float = option("Without a pilot: assumed accuracy, in percent.", 80.0, least=50, most=99)
    seed: int = option("Random seed of simulated answers and sign flips.", 0)
    as_json: bool = option("Print everything as JSON.", False, names=("--json",))


@build_command.command
def plan(options: _PlanOptions) -> None:
    """Plan a comparison: questions and images needed to detect a difference with 80 % power.

    Prints, for each task, the smallest difference that its questions can detect, and how many questions and images of
    the same structure the requested difference requires. A difference is detected if `vhbench compare` finds it
    significant in the headline metric, with this task alone in both runs; comparing several tasks at once requires more
    questions.

    The variance comes from a pilot: from the differences between two runs, or from one run, assuming that the other
    model errs independently. Without a pilot, answers to the split's questions are simulated. If both models err on
    the same questions, fewer questions suffice.

    Example: `vhbench plan out/ode --detect 5 --task ode_fictional_existence`
    """
    from vhbench.compare import planning
    from vhbench.statistics.wording import aligned, number

    if len(options.pilot) > 2:
        raise VhbenchError(f"--pilot: expected one or two runs, got {len(options.pilot)}")
    plans, basis = planning.plan(
        options.detect,
        split=options.split,
        pilot=options.pilot,
        accuracy=options.accuracy / 100,
        tasks=options.task,
        seed=options.seed,
    )
    if options.as_json:
        from vhbench.cli.score_tables import print_json

        return print_json(
            {"detect": options.detect, "power": 0.8, "basis": basis, "tasks": [asdict(one) for one in plans]}
        )
    effect = f"for {options.detect:g} points"
    rows = [["task", "metric", "questions", "images", "detects", f"questions {effect}", f"images {effect}"]]
    lacking = "pilot too small" if options.pilot else "needs a pilot"
    for one in plans:
        least = "n/a" if one.detectable is None else number(one.detectable)
        sizes = (one.needed_questions, one.needed_images)
        needed = [lacking if size is None else f"{size:,}" for size in sizes]
        rows.append([one.task, one.metric, f"{one.questions:,}", f"{one.images:,}", least, *needed])
    for line in aligned(rows):
        typer.echo(line)
    typer.echo(f"detects: smallest difference detected with 80 % power, in points; {basis}")
