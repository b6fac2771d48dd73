"""``vhbench export``: fine-tuning rows from a training split, and questions for other harnesses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vhbench.cli import build_command
from vhbench.cli.lazy import lazy_group
from vhbench.options import LARGEST_SEED, option, options_of
from vhbench.schema import VhbenchError

if TYPE_CHECKING:
    from vhbench.training.examples import TrainingExample
    from vhbench.training.training_rows import SelectionOptions

_TAKEN, _APART, _REWARD, _WRITTEN = "Selection", "Decontamination", "Reward", "Output"
LAYOUTS = ("parquet", "folder", "llava", "sharegpt")


@dataclass(frozen=True, kw_only=True)
class EditionOptions:
    """The training edition, and the run whose errors are taken of it."""

    split: Path = option(
        "Training split: one that is never scored, such as `vhbench build ode --part 1/2`.",
        metavar="SPLIT",
        panel=_TAKEN,
    )
    run: Path | None = option(
        "lmms-eval output (--log_samples) of a model on this split: only questions it answered incorrectly are "
        "exported, with as many questions of the other answer. Unparsed responses do not count as errors.",
        None,
        metavar="RESULTS",
        panel=_TAKEN,
    )
    criterion: tuple[str, ...] = option("ODE criteria to include.", (), panel=_TAKEN)
    types: tuple[str, ...] = option("Question types to include, e.g. `existence` or `E5,C4`.", (), panel=_TAKEN)
    number: int = option("Number of questions, in yes/no pairs; 0 for all.", 0, least=0, panel=_TAKEN)
    each: int = option("Number of questions per criterion (ODE's paper: 800); 0 for all.", 0, least=0, panel=_TAKEN)
    weakness: Path | None = option(
        "lmms-eval output (--log_samples) on this or another split of the benchmark: with --number or --each, sample "
        "questions by the error rate in their subsets (criterion, type, pressure, perturbation, form of negation, "
        "answer) and for their pair of concepts.",
        None,
        metavar="RESULTS",
        panel=_TAKEN,
    )


@dataclass(frozen=True, kw_only=True)
class ApartOptions:
    """What rows must not share anything with."""

    test: tuple[str, ...] = option(
        "Split that will be scored; may be repeated. Rows that share an image, a scene or a concept with it are "
        "refused and named.",
        (),
        metavar="SPLIT",
        repeat=True,
        panel=_APART,
    )
    share_concepts: bool = option(
        "Allow shared concepts (not images or scenes): scores on new images of trained concepts are higher than "
        "on new concepts.",
        False,
        names=("--share-concepts",),
        panel=_APART,
    )
    unchecked: bool = option(
        "Export without a test split; the card notes it.", False, names=("--unchecked",), panel=_APART
    )


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How rows are written."""

    out: Path = option("Output folder; must be new.", names=("--out", "-o"), panel=_WRITTEN)
    layout: str = option(
        "`parquet`, `folder` (metadata.jsonl and images: both for TRL and `vhbench finetune`), `llava` (LLaVA's JSON "
        "and images) or `sharegpt` (LLaMA-Factory's, with `dataset_info.json`).",
        "parquet",
        panel=_WRITTEN,
    )
    seed: int = option("Random seed.", 0, least=0, most=LARGEST_SEED, panel=_WRITTEN)


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """What is answered, and what is mixed in."""

    answers: tuple[str, ...] = option(
        "Answers to closed questions: `short`, and `reasoned` (with reasons computed from the scenes).",
        ("short", "reasoned"),
        panel=_WRITTEN,
    )
    mix: Path | None = option(
        "General rows to mix in against forgetting, in LLaVA's JSON format.", None, metavar="FILE", panel=_WRITTEN
    )
    mix_images: Path | None = option(
        "Folder of their images; by default the folder of the file.", None, metavar="DIR", panel=_WRITTEN
    )
    mix_number: int = option("Number of mixed-in rows; 0 for all.", 0, least=0, panel=_WRITTEN)


def sft(edition: EditionOptions, answers: AnswerOptions, apart: ApartOptions, files: FileOptions) -> None:
    """Write rows for supervised fine-tuning: reference captions, short answers and answers with reasons.

    All questions of a training edition, or with --run those that a model got wrong. Yes and no are equally frequent
    within each type. Captions and reasons are computed from the scenes' truth; prompts are lmms-eval's own.

    Example: `vhbench export sft --split train/ode --run results --test out/ode --out rows`
    """
    from vhbench.training import training_rows

    how = _wanted(edition, apart, files, answers)
    rows = training_rows.export("vhbench export sft", edition.split, files.out, _layout(files), how)
    _tell(rows, files.out)


def dpo(edition: EditionOptions, apart: ApartOptions, files: FileOptions) -> None:
    """Write preference pairs for DPO: the truth is chosen, what the model hallucinated is rejected.

    Correctly answered questions only balance yes and no, with the other answer as the rejected one.

    Example: `vhbench export dpo --split train/ode --run results --test out/ode --out pairs`
    """
    from vhbench.training import training_rows

    how = _wanted(edition, apart, files)
    rows = training_rows.export_preferences("vhbench export dpo", edition.split, files.out, _layout(files), how)
    _tell(rows, files.out)


@dataclass(frozen=True, kw_only=True)
class RecipeOptions:
    """VHExpansion's recipe."""

    source: tuple[str, ...] = option(
        "Source of the initial cases, as in `vhbench build vhexpansion`; may be repeated.",
        metavar="FORM:PATH",
        repeat=True,
        names=("--source", "-s"),
        panel=_TAKEN,
    )
    images: tuple[str, ...] = option("Image folder, one per source.", (), metavar="DIR", repeat=True, panel=_TAKEN)
    cases: int = option("Training cases per source; the others remain for the test.", 200, least=1, panel=_TAKEN)
    perturb: tuple[str, ...] = option("Perturbations of the images.", ("gaussian_noise",), panel=_TAKEN)
    attack: tuple[str, ...] = option("Attacks instead of perturbations: `ifgsm`, `pgd`.", (), panel=_TAKEN)
    model: str = option("The attacked model.", "", metavar="NAME", panel=_TAKEN)
    paraphrases: int = option("Number of paraphrases per question.", 4, least=0, most=5, panel=_TAKEN)
    rewriter: str = option(
        "Paraphraser: `rule`, or a language model, `openai:MODEL@URL` or `transformers:NAME`; its output is validated.",
        "rule",
        panel=_TAKEN,
    )


def vhexpansion(recipe: RecipeOptions, answers: AnswerOptions, files: FileOptions) -> None:
    """Write rows by VHExpansion's recipe: sample cases, negate and perturb them, reword each question four times.

    200 cases become 4,000 rows, in OUT/rows. The remaining cases, about other images, become the test splits in
    OUT/test. Mix general rows in with --mix (the paper: 4,000 of LLaVA's).

    Example: `vhbench export vhexpansion --source pope:coco_pope_random.json --images val2014 --out new`
    """
    from vhbench.training import expansion_recipe

    if recipe.images and len(recipe.images) != len(recipe.source):
        raise VhbenchError(f"--images is given {len(recipe.images)} times for {len(recipe.source)} sources")
    how = _wanted(None, None, files, answers)
    wanted = expansion_recipe.Expansion(**{name: getattr(recipe, name) for name in options_of(RecipeOptions)})
    rows, tests = expansion_recipe.export(wanted, how, files.out, _layout(files), "vhbench export vhexpansion")
    _tell(rows, files.out / "rows")
    for test in tests:
        typer.echo(f"test: VHBENCH_DATA={test.parent} lmms-eval --tasks {expansion_recipe.task_of(test)} …")


@dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """Questions for another harness."""

    split: Path = option("The split, of any benchmark.", metavar="SPLIT", argument=True)
    to: str = option("Harness: `vlmevalkit`, `inspect` or `openai-batch` (also vLLM's `run-batch`).")
    out: Path = option("Output folder; must be new.", names=("--out", "-o"))
    model: str = option("Model that the requests of a batch name.", "", metavar="NAME")


def questions(how: QuestionOptions) -> None:
    """Write a split's questions for another harness, with lmms-eval's prompts, images and token limits.

    The harness needs no vhbench. `vhbench score LOG --questions SPLIT` scores what it logs, as lmms-eval's samples.

    Example: `vhbench export questions out/mioh --to inspect --out mioh_inspect`
    """
    from vhbench.tasks import question_export

    for file in question_export.export(how.split, how.to, how.out, how.model):
        typer.echo(f"wrote {file}")


@dataclass(frozen=True, kw_only=True)
class RlOptions:
    """Questions and rewards for reinforcement learning."""

    to: str = option("Trainer: `trl`, `verl`, `swift` (ms-swift) or `verifiers` (v1).", "trl", panel=_WRITTEN)
    part: str = option(
        "Draw questions about the I-th of N parts of the concepts; test on a split built with another part.",
        metavar="I/N",
        panel=_TAKEN,
    )
    benchmark: tuple[str, ...] = option(
        "Benchmarks that ask in turn.", ("ode", "mioh", "vhexpansion"), names=("--benchmark", "-b"), panel=_TAKEN
    )
    number: int = option("Number of questions.", 1000, least=2, panel=_TAKEN)
    curriculum: int = option(
        "Add the next level (MIOH's pressures, ODE's criteria, VHExpansion's perturbations) after so many questions of "
        "a benchmark; 0 for all levels at once.",
        0,
        least=0,
        panel=_TAKEN,
    )
    size: int = option("Image side in pixels.", 512, least=64, most=4096, panel=_TAKEN)
    seed: int = option("Random seed.", 0, least=0, most=LARGEST_SEED, panel=_TAKEN)
    form: str = option(
        "Prompts: `short` as in the evaluation, or `tagged`: reason first, then answer in `<answer></answer>`.",
        "short",
        panel=_REWARD,
    )
    strict: bool = option(
        "Reward only the answer alone, or one `<answer>` at the end; otherwise any wording that scoring reads.",
        True,
        names=("--strict/--no-strict",),
        panel=_REWARD,
    )
    wrong: float | None = option(
        "Reward of a wrong answer; by default -1/(n-1) among n answers, so that a guess is worth 0.",
        None,
        panel=_REWARD,
    )
    abstain: float | None = option('Reward of "I don\'t know"; by default that of a wrong answer.', None, panel=_REWARD)
    check: bool = option(
        "Print what policies earn that do not look at the images, and write nothing.",
        False,
        names=("--check",),
        panel=_REWARD,
    )
    test: tuple[str, ...] = option(
        "Split that will be scored, whose images, scenes and concepts are refused; may be repeated.",
        (),
        metavar="SPLIT",
        repeat=True,
        panel=_APART,
    )
    share_concepts: bool = option(
        "Allow concepts of --test; images and scenes are left out in any case.",
        False,
        names=("--share-concepts",),
        panel=_APART,
    )
    out: Path | None = option("Output folder; must be new.", None, names=("--out", "-o"), panel=_WRITTEN)


def rl(how: RlOptions) -> None:
    """Write questions for reinforcement learning, whose rewards `vhbench.rewards` computes from exact truth.

    Questions are drawn afresh about one part of the concepts, both answers of a pair in succession. With --check, fail
    if a policy that does not look at the images earns more than a guess.

    Example: `vhbench export rl --to trl --part 1/2 --test test/ode --out rl`
    """
    from vhbench.training import rl_export

    settings = rl_export.RlSettings(**{n: getattr(how, n) for n in options_of(RlOptions) if n not in ("check", "out")})
    if not how.check:
        if how.out is None:
            raise VhbenchError("expected --out FOLDER, or --check")
        for line in rl_export.export(settings, how.out):
            typer.echo(line)
        return
    lines, above, number = rl_export.check(settings)
    for line in lines:
        typer.echo(f"{line[0]:26}" + "".join(f"{cell:>17}" for cell in line[1:]))
    typer.echo(f"{number:,} balanced questions; above the blind level: {', '.join(above) or 'none'}")
    if above:
        raise typer.Exit(1)


def _wanted(
    edition: EditionOptions | None, apart: ApartOptions | None, files: FileOptions, answers: AnswerOptions | None = None
) -> "SelectionOptions":
    from vhbench.training.examples import FORMS
    from vhbench.training.training_rows import SelectionOptions

    given: dict[str, Any] = {"seed": files.seed}
    if answers is not None:
        if unknown := [form for form in answers.answers if form not in FORMS]:
            raise VhbenchError(f"--answers {unknown[0]}: must be among {', '.join(FORMS)}")
        given |= {name: getattr(answers, name) for name in ("answers", "mix", "mix_images", "mix_number")}
    if edition is not None:
        if edition.weakness and not (edition.number or edition.each):
            raise VhbenchError("--weakness weighs what is drawn: it needs --number or --each")
        keep = {"criterion": edition.criterion, "question_type": edition.types}
        given |= {name: getattr(edition, name) for name in ("run", "number", "each", "weakness")}
        given["keep"] = {name: values for name, values in keep.items() if values}
    if apart is not None:
        given |= {"tests": tuple(map(Path, apart.test)), "unchecked": apart.unchecked}
        given["share_concepts"] = apart.share_concepts
    return SelectionOptions(**given)


def _layout(files: FileOptions) -> Any:
    if files.layout not in LAYOUTS:
        raise VhbenchError(f"--layout {files.layout}: must be one of {', '.join(LAYOUTS)}")
    return files.layout


def _tell(rows: "Sequence[TrainingExample]", out: Path) -> None:
    from vhbench.training.training_card import counts

    told = counts(rows)
    forms = ", ".join(f"{name} {count:,}" for name, count in told["form"].items())
    right = ", ".join(f"{name} {count:,}" for name, count in told["right"].items())
    typer.echo(
        f"{out}: {told['rows']:,} rows about {told['images']:,} images ({forms}; reference answers: {right or 'none'})"
    )


_COMMANDS: dict[str, tuple[Callable[..., None], tuple[type[Any], ...]]] = {
    "sft": (sft, (EditionOptions, AnswerOptions, ApartOptions, FileOptions)),
    "dpo": (dpo, (EditionOptions, ApartOptions, FileOptions)),
    "vhexpansion": (vhexpansion, (RecipeOptions, AnswerOptions, FileOptions)),
    "rl": (rl, (RlOptions,)),
    "questions": (questions, (QuestionOptions,)),
}


def _command(name: str) -> Callable[..., None]:
    run, kinds = _COMMANDS[name]
    return build_command.command(run, *kinds)


app = typer.Typer(
    name="export",
    help="Write fine-tuning rows, decontaminated against the test split; or questions for other harnesses.",
    cls=lazy_group(_COMMANDS, _command),
    no_args_is_help=True,
)
