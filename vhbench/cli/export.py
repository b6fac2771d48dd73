"""``vhbench export``: fine-tuning rows from a training split, and questions for other harnesses."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.cli.lazy import lazy_group
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.training.options import DpoOptions, RecipeOptions, RlOptions, SftOptions


def sft(options: SftOptions) -> None:
    """Write rows for supervised fine-tuning: reference captions, short answers and answers with reasons.

    Exports all questions of a training split or, with --run, those that a model answered incorrectly. Yes and no are
    equally frequent within each type. Captions and reasons are computed from the scenes; prompts are those of the
    evaluation.

    Example: `vhbench export sft --split train/ode --run results --test out/ode --out rows`
    """
    from vhbench.training import training_rows

    for line in training_rows.export(options):
        typer.echo(line)


def dpo(options: DpoOptions) -> None:
    """Write preference pairs for DPO: the reference answer is chosen, the model's hallucination is rejected.

    Correctly answered questions are added only to balance yes and no; their rejected answer is the opposite one.

    Example: `vhbench export dpo --split train/ode --run results --test out/ode --out pairs`
    """
    from vhbench.training import training_rows

    for line in training_rows.export_preferences(options):
        typer.echo(line)


def vhexpansion(options: RecipeOptions) -> None:
    """Write rows with VHExpansion's recipe: sample cases, negate and perturb them, reword each question four times.

    200 cases become 4,000 rows, in OUT/rows. The remaining cases, about other images, become the test splits in
    OUT/test. Add general rows with --mix (the paper: 4,000 of LLaVA's).

    Example: `vhbench export vhexpansion --source pope:coco_pope_random.json --images val2014 --out new`
    """
    from vhbench.training import expansion_recipe

    for line in expansion_recipe.export(options):
        typer.echo(line)


def rl(options: RlOptions) -> None:
    """Write questions for reinforcement learning, whose rewards `vhbench.rewards` computes from exact ground truth.

    Questions are about new scenes with one part of the concepts; the two questions of a pair are consecutive. --check
    exits with 1 if a policy that ignores the images has a higher mean reward than guessing.

    Example: `vhbench export rl --to trl --part 1/2 --test test/ode --out rl`
    """
    from vhbench.training import rl_export

    lines, held = rl_export.export(options)
    for line in lines:
        typer.echo(line)
    if not held:
        raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True)
class _QuestionOptions:
    split: Path = option("The split, of any benchmark.", metavar="SPLIT", argument=True)
    to: str = option("Harness: `vlmevalkit`, `inspect` or `openai-batch` (also vLLM's `run-batch`).")
    out: Path = option("Output folder; must be new.", names=("--out", "-o"))
    model: str = option("Model name in batch requests.", "", metavar="NAME")
    rotations: int = option("Multiple-choice questions only: number of rotations of the options of each.", 0, most=5)
    wordings: bool = option("All questions except captions, each with every wording of its answer instruction.", False)


def questions(options: _QuestionOptions) -> None:
    """Write a split's questions for another harness, with lmms-eval's prompts, images and token limits.

    The harness runs without vhbench. `vhbench score LOG --questions SPLIT` scores its log like lmms-eval's samples.

    Example: `vhbench export questions out/mioh --to inspect --out mioh_inspect`
    """
    from vhbench import splits
    from vhbench.benchmarks import tasks
    from vhbench.tasks import question_export

    if options.rotations and options.wordings:
        raise VhbenchError("expected --rotations or --wordings, got both")
    variants: tuple[str, ...] = ()
    if options.rotations or options.wordings:
        benchmark = splits.read_manifest(options.split).benchmark
        known = {name: task.variants for name, task in tasks(benchmark).items() if task.variants}
        variant = f"{benchmark}_wordings" if options.wordings else f"{benchmark}_rotations_{options.rotations}"
        if variant not in known:
            option = "--wordings" if options.wordings else f"--rotations {options.rotations}"
            raise VhbenchError(
                f"{option}: not available for {benchmark}; its variants are {', '.join(known) or 'none'}"
            )
        variants = known[variant]
    for file in question_export.export(options.split, options.to, options.out, options.model, variants):
        typer.echo(f"wrote {file}")


_COMMANDS: dict[str, Callable[..., None]] = {run.__name__: run for run in (sft, dpo, vhexpansion, rl, questions)}

app = typer.Typer(
    help="Write fine-tuning rows decontaminated against the test split, or prompts for other harnesses.",
    cls=lazy_group(_COMMANDS, lambda name: build_command.command(_COMMANDS[name])),
    no_args_is_help=True,
)
