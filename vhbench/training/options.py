"""Options of ``vhbench export``: what is taken, what it must not share with a test, how it is written."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from vhbench.options import LARGEST_SEED, option

_of_selection, _of_decontamination, _of_reward, _of_output = (
    partial(option, panel=panel) for panel in ("Selection", "Decontamination", "Reward", "Output")
)


@dataclass(frozen=True, kw_only=True)
class ApartOptions:
    """What rows must not share anything with."""

    test: tuple[str, ...] = _of_decontamination(
        "Split that will be scored; may be repeated. The export fails and lists rows that share an image, a "
        "scene or a concept with it.",
        (),
        metavar="SPLIT",
        repeat=True,
    )
    share_concepts: bool = _of_decontamination(
        "Allow shared concepts (not images or scenes): scores on new images of trained concepts are higher than "
        "on new concepts.",
        False,
    )

    @property
    def tests(self) -> tuple[Path, ...]:
        """The test splits."""
        return tuple(map(Path, self.test))


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How rows are written."""

    out: Path = _of_output("Output folder; must be new.", names=("--out", "-o"))
    layout: str = _of_output(
        "`parquet`, `folder` (metadata.jsonl and images: both for TRL and `vhbench finetune`), `llava` (LLaVA's JSON "
        "and images) or `sharegpt` (LLaMA-Factory's, with `dataset_info.json`).",
        "parquet",
    )
    seed: int = _of_output("Random seed.", 0, least=0, most=LARGEST_SEED)


@dataclass(frozen=True, kw_only=True)
class DpoOptions(ApartOptions, FileOptions):
    """What is selected from a training split; options of ``vhbench export dpo``."""

    split: Path = _of_selection(
        "Training split: one that is never scored, such as `vhbench build ode --part 1/2`.", metavar="SPLIT"
    )
    run: Path | None = _of_selection(
        "lmms-eval output (--log_samples) of a model on this split: only questions it answered incorrectly are "
        "exported, with an equal number that have the opposite answer. Unparsed responses do not count as errors.",
        None,
        metavar="RESULTS",
    )
    criterion: tuple[str, ...] = _of_selection("ODE criteria to include.", ())
    types: tuple[str, ...] = _of_selection("Question types to include, e.g. `existence` or `E5,C4`.", ())
    number: int = _of_selection("Number of questions, in yes/no pairs; 0 for all.", 0, least=0)
    each: int = _of_selection("Number of questions per criterion (ODE's paper: 800); 0 for all.", 0, least=0)
    weakness: Path | None = _of_selection(
        "lmms-eval output (--log_samples) on this or another split of the benchmark: with --number or --each, sample "
        "questions by the error rate in their subsets (criterion, type, pressure, perturbation, form of negation, "
        "answer) and on their pair of concepts.",
        None,
        metavar="RESULTS",
    )
    leak_model: str = _of_decontamination(
        "CLIP model (repository or folder) with which to report images similar to those of the test split.",
        "",
        metavar="NAME",
    )
    unchecked: bool = _of_decontamination("Export without a test split; the card records this.", False)


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """What is answered, and what is mixed in."""

    answers: tuple[str, ...] = _of_output(
        "Answers to closed questions: `short`, and `reasoned` (with reasons computed from the scenes).",
        ("short", "reasoned"),
    )
    mix: Path | None = _of_output(
        "General rows to mix in to limit forgetting, in LLaVA's JSON format.", None, metavar="FILE"
    )
    mix_images: Path | None = _of_output(
        "Folder of their images; by default, the folder of the file.", None, metavar="DIR"
    )
    mix_number: int = _of_output("Number of mixed-in rows; 0 for all.", 0, least=0)


@dataclass(frozen=True, kw_only=True)
class SftOptions(AnswerOptions, DpoOptions):
    """Options of ``vhbench export sft``."""


@dataclass(frozen=True, kw_only=True)
class RecipeOptions(AnswerOptions, FileOptions):
    """Options of ``vhbench export vhexpansion``."""

    source: tuple[str, ...] = _of_selection(
        "Source of the initial cases, as in `vhbench build vhexpansion`; may be repeated.",
        metavar="FORMAT:PATH",
        repeat=True,
        names=("--source", "-s"),
    )
    images: tuple[str, ...] = _of_selection("Image folder, one per source.", (), metavar="DIR", repeat=True)
    cases: int = _of_selection("Training cases per source; the others form the test splits.", 200, least=1)
    perturb: tuple[str, ...] = _of_selection("Perturbations of the images.", ("gaussian_noise",))
    attack: tuple[str, ...] = _of_selection("Attacks instead of perturbations: `ifgsm`, `pgd`.", ())
    model: str = _of_selection("Model to attack.", "", metavar="NAME")
    paraphrases: int = _of_selection("Number of paraphrases per question.", 4, least=0, most=5)
    rewriter: str = _of_selection(
        "Paraphraser: `rule`, or a language model, `openai:MODEL@URL` or `transformers:NAME`; its output is validated.",
        "rule",
    )


@dataclass(frozen=True, kw_only=True)
class RlOptions(ApartOptions):
    """Questions and rewards for reinforcement learning; options of ``vhbench export rl``."""

    to: str = _of_output("Trainer: `trl`, `verl`, `swift` (ms-swift) or `verifiers` (v1).", "trl")
    part: str = _of_selection(
        "Generate questions about the I-th of N parts of the concepts; test on a split built with another part.",
        metavar="I/N",
    )
    benchmark: tuple[str, ...] = _of_selection(
        "Benchmarks whose questions alternate.", ("ode", "mioh", "vhexpansion"), names=("--benchmark", "-b")
    )
    number: int = _of_selection("Number of questions.", 1000, least=2)
    curriculum: int = _of_selection(
        "Add the next level (MIOH's pressures, ODE's criteria, VHExpansion's perturbations) after this many questions "
        "of a benchmark; 0 for all levels at once.",
        0,
        least=0,
    )
    size: int = _of_selection("Image side in pixels.", 512, least=64, most=4096)
    seed: int = _of_selection("Random seed.", 0, least=0, most=LARGEST_SEED)
    form: str = _of_reward(
        "Prompts: `short` as in the evaluation, or `tagged`: reason first, then answer in `<answer></answer>`.", "short"
    )
    strict: bool = _of_reward(
        "Reward only a bare answer or one `<answer>` at the end; --no-strict: any wording that scoring parses.",
        True,
        names=("--strict/--no-strict",),
    )
    wrong: float | None = _of_reward(
        "Reward of an incorrect answer; by default -1/(n-1) among n answers, so that guessing has mean reward 0.", None
    )
    abstain: float | None = _of_reward('Reward of "I don\'t know"; by default that of an incorrect answer.', None)
    check: bool = _of_reward("Print the mean reward of policies that ignore the images; write nothing.", False)
    out: Path | None = _of_output("Output folder; must be new.", None, names=("--out", "-o"))
