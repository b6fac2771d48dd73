"""Options of ``vhbench export``: what is taken, what it must not share with a test, how it is written."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.options import LARGEST_SEED, option

_TAKEN, _APART, _REWARD, _WRITTEN = "Selection", "Decontamination", "Reward", "Output"


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

    @property
    def tests(self) -> tuple[Path, ...]:
        """The test splits."""
        return tuple(map(Path, self.test))


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
class DpoOptions(ApartOptions, FileOptions):
    """What is selected from a training split; options of ``vhbench export dpo``."""

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
    leak_model: str = option(
        "CLIP model (repository or folder) that compares images with the test's as well; reports the similar ones.",
        "",
        metavar="NAME",
        panel=_APART,
    )
    unchecked: bool = option(
        "Export without a test split; the card notes it.", False, names=("--unchecked",), panel=_APART
    )


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


@dataclass(frozen=True, kw_only=True)
class SftOptions(AnswerOptions, DpoOptions):
    """Options of ``vhbench export sft``."""


@dataclass(frozen=True, kw_only=True)
class RecipeOptions(AnswerOptions, FileOptions):
    """Options of ``vhbench export vhexpansion``."""

    source: tuple[str, ...] = option(
        "Source of the initial cases, as in `vhbench build vhexpansion`; may be repeated.",
        metavar="FORMAT:PATH",
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


@dataclass(frozen=True, kw_only=True)
class RlOptions(ApartOptions):
    """Questions and rewards for reinforcement learning; options of ``vhbench export rl``."""

    to: str = option("Trainer: `trl`, `verl`, `swift` (ms-swift) or `verifiers` (v1).", "trl", panel=_WRITTEN)
    part: str = option(
        "Generate questions about the I-th of N parts of the concepts; test on a split built with another part.",
        metavar="I/N",
        panel=_TAKEN,
    )
    benchmark: tuple[str, ...] = option(
        "Benchmarks whose questions alternate.",
        ("ode", "mioh", "vhexpansion"),
        names=("--benchmark", "-b"),
        panel=_TAKEN,
    )
    number: int = option("Number of questions.", 1000, least=2, panel=_TAKEN)
    curriculum: int = option(
        "Add the next level (MIOH's pressures, ODE's criteria, VHExpansion's perturbations) after this many questions "
        "of a benchmark; 0 for all levels at once.",
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
        "Reward only the answer alone, or one `<answer>` at the end; otherwise any wording that scoring parses.",
        True,
        names=("--strict/--no-strict",),
        panel=_REWARD,
    )
    wrong: float | None = option(
        "Reward of an incorrect answer; by default -1/(n-1) among n answers, so that guessing has mean reward 0.",
        None,
        panel=_REWARD,
    )
    abstain: float | None = option(
        'Reward of "I don\'t know"; by default that of an incorrect answer.', None, panel=_REWARD
    )
    check: bool = option(
        "Print the mean reward of policies that ignore the images; write nothing.",
        False,
        names=("--check",),
        panel=_REWARD,
    )
    out: Path | None = option("Output folder; must be new.", None, names=("--out", "-o"), panel=_WRITTEN)
