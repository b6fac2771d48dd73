"""VHExpansion build: initial cases, negated twins, perturbed and attacked images."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters.attack_config import METHODS, AttackConfig
from vhbench.adapters.published_benchmarks import files_of
from vhbench.adapters.rewriters import load_rewriter
from vhbench.benchmarks import Task, benchmark
from vhbench.builds import vhexpansion_attack as attacking
from vhbench.builds.split_build import SplitBuild, version_option
from vhbench.builds.vhexpansion_sources import FORMS, Cases, form_of, hidden_source, read_cases, scenes_of
from vhbench.files import file_sha256, read_image
from vhbench.generators.vhexpansion import expansion
from vhbench.generators.vhexpansion.expansion import InitialCase, UnusableImage
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS, at_severities, perturbation
from vhbench.generators.vhexpansion.question_parts import CannotNegate
from vhbench.generators.vhexpansion.rewriting import WORDINGS, Twin, Wording, twin_of, why_not_negation
from vhbench.options import check_numbers, option, options_of
from vhbench.protocols import Rewriter
from vhbench.schema import Question, Rejection, Row, Scene, VhbenchError

IMAGES_PER_SHARD = 32
_of_cases, _of_images, _of_attacks = (
    partial(option, panel=panel) for panel in ("Initial cases", "Perturbations", "White-box attacks")
)


@dataclass(frozen=True, kw_only=True)
class VHExpansionBuild(SplitBuild):
    """Build VHExpansion: negated questions and perturbed or attacked images.

    Each initial case becomes four: original, negated, perturbed, perturbed and negated.

    Example: `vhbench build vhexpansion --out out --source pope:coco_pope_random.json --images val2014`

    With attacks: `vhbench build vhexpansion --out out --source ode:out/ode --attack ifgsm,pgd --model
    llava-hf/llava-1.5-7b-hf`
    """

    benchmark = "vhexpansion"

    source: str = _of_cases(
        "`pope:coco_pope_random.json` (or the folder of all three), `mmvp:FOLDER`, `vhtest:YNQ_Benchmark`, "
        "`mme:MME_Benchmark`, `hallusionbench:HallusionBench.json`, `naturalbench:FOLDER`, "
        "`ode:OUT/ode` (a split built here), or `table:FILE`: CSV, JSON lines or Parquet with image, question, answer "
        "(yes or no, true or false, 1 or 0), and options for multiple choice. FORMAT may be omitted "
        "if it follows from the path.",
        names=("--source", "-s"),
        metavar="FORMAT:PATH",
    )
    images: str = _of_cases("Folder of the source's images.", "", metavar="DIR")
    name: str = _of_cases(
        f"Source name in rows and configs. Tasks exist for {', '.join(f for f in FORMS if f != 'split')}; for any "
        "other name, `vhbench tasks OUT/vhexpansion` writes them.",
        "",
    )
    limit: int = _of_cases(
        "Use only the first N cases (of an ODE split, counted over all configs); 0: all.", 0, least=0
    )
    cases: str = _of_cases(
        "File with the ids of the cases to use, one per line, e.g. to separate training and test cases.",
        "",
        metavar="FILE",
    )
    labels: str = _of_cases(
        "Corrected labels for `pope` in POPE's format, such as RePOPE's coco_repope_*.json (or a folder). Questions "
        "without a corrected label are left out; reports also give scores under the published labels.",
        "",
        metavar="FILE",
    )
    negation: Wording = _of_cases(
        f"Wording of the negated twins: {'; '.join(f'`{name}`: {text}' for name, text in WORDINGS.items())}. "
        "The column `mode` records the wording of each pair.",
        "auto",
    )
    rewriter: str = _of_cases(
        "Model for `--negation auto` and `llm`: `openai:MODEL@URL` (any compatible endpoint; key in VHBENCH_API_KEY) "
        "or `transformers:NAME`; `rule`: none. Its output is checked; rejected twins are replaced by wrapped ones.",
        "rule",
        model="transformers:",
    )
    perturb: tuple[str, ...] = _of_images(
        f"Comma-separated: {', '.join(PERTURBATIONS)}; or `none`. `gaussian_noise:1-5`: ImageNet-C's severities.",
        tuple(PERTURBATIONS),
    )
    severity: int = _of_images("1–5 as in ImageNet-C; 0: the paper's parameters.", 0, least=0, most=5)
    scale_severity: bool = _of_images(
        "Scale the blur radius with the image size; by default, it is the paper's, in pixels.", False
    )
    keep_unsure: bool = _of_images(
        "Keep questions whose answers the perturbation may change, as the paper does: colour and light on "
        "brightened images, text and small objects on blurred and noisy ones.",
        False,
    )
    attack: tuple[str, ...] = _of_attacks(
        "Comma-separated attacks: `ifgsm`, `pgd` (the paper's), `apgd`; `random_noise` as control.", ()
    )
    model: tuple[str, ...] = _of_attacks(
        "Model to attack, e.g. `llava-hf/llava-1.5-7b-hf`, or a local folder. Repeat to attack several jointly; "
        "responses come from the first.",
        (),
        metavar="NAME",
        repeat=True,
        model="",
    )
    loss: str = _of_attacks(
        "Attack objective: `embedding`, the paper's feature similarity; `answer`, the likelihood of the clean answer; "
        "`target`, the likelihood of the opposite answer.",
        "embedding",
    )
    restarts: int = _of_attacks("Random starts per image; the best result is kept.", 1, least=1)
    failed: str = _of_attacks(
        "lmms-eval samples (--log_samples) of the attacked model on these cases, from which failed cases are "
        "read; `ask`: run the model instead.",
        "ask",
        metavar="FILE",
    )
    answers: bool = _of_attacks(
        "Query the model before and after the attack, and report the success rate in manifest, card and table.", False
    )
    steps: int = _of_attacks(
        "Attack steps; 0: the paper's, 500 for dissimilar and 100 for similar features.", 0, least=0
    )
    steps_apart: int = _of_attacks("Attack steps for correctly answered cases; 0: same as --steps.", 0, least=0)
    steps_similar: int = _of_attacks("Attack steps for cases that already fail; 0: same as --steps.", 0, least=0)
    epsilon: int = _of_attacks("Maximum change of a pixel value, in grey levels.", 8, least=1, most=255)
    gamma: float = _of_attacks("Step size, in grey levels; 0: the paper's 0.5.", 0.0, least=0, most=255)
    start: int = _of_attacks(
        "Random initial change per pixel value, in grey levels; -1: 5 for failed cases (the paper's), 1 for others.",
        -1,
        least=-1,
        most=255,
    )
    schedule: str = _of_attacks("Step size: `constant` or, as in the released code, `cosine`.", "constant")
    axis: str = _of_attacks(
        "Axis of the feature similarity: `features` of each token or `tokens` of each channel; `auto`: `features`; "
        "with --compat, the axis that the released code uses for this model.",
        "auto",
    )
    instruction: str = _of_attacks(
        'Text given with the image during the attack; a Q-Former (InstructBLIP) conditions on it. "Describe the '
        'image." by default.',
        "",
    )
    batch: int = _of_attacks("Images attacked per batch.", 8, least=1)
    device: str = _of_attacks("Device of the model: `auto`, `cpu`, `cuda`, `cuda:1` …", "auto")
    dtype: str = _of_attacks(
        "Precision of the model: `auto` (bfloat16 on a GPU, float32 on a CPU), `float32`, `float16` or `bfloat16`. On "
        "a CPU with AMX, `bfloat16` reaches the same similarity in two thirds of the time.",
        "auto",
    )
    revision: str = _of_attacks("Commit, branch or tag of the model's repository.", "")
    compat: bool = _of_attacks("Attack as the released code does (add --schedule cosine).", False)

    version: str = version_option("2.0.0")
    compression: int = 4  # level of the perturbed images' PNG compression, on which their hashes depend

    def check(self) -> None:
        """Validate all options, and read the whole source. Raises as :meth:`SplitBuild.check`."""
        check_numbers(self)
        for name in self.perturbations:
            perturbation(name, self.severity or None)
        if unknown := [name for name in self.attack if name not in METHODS]:
            raise VhbenchError(f"--attack: expected one of {', '.join(METHODS)}, got {unknown[0]}")
        if self.name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}", self.name):
            raise VhbenchError(f"--name: expected at most 41 letters, digits, _ and -, got {self.name!r}")
        named = (*self.perturbations, *self.attack)
        if len(set(named)) < len(named):
            raise VhbenchError(f"perturbation named twice: {', '.join(named)}")
        if self.attack and not self.model:
            raise VhbenchError(f"--attack {self.attack[0]} needs --model NAME, the model that is attacked")
        for name, shown in {} if self.attack else options_of(type(self)).items():
            is_default = getattr(self, name) == getattr(type(self), name, "")
            if shown.panel == "White-box attacks" and not is_default:  # it would be ignored
                raise VhbenchError(f"--{name.replace('_', '-')}: expected --attack as well")
        for method in self.attack:
            self._attack(method)  # refuses what makes no sense
        if self.failed != "ask" and not Path(self.failed).exists():
            raise VhbenchError(
                f"--failed: expected lmms-eval samples or 'ask', got {self.failed} (no such file or folder)"
            )
        if self.negation not in WORDINGS:
            raise VhbenchError(f"--negation: expected one of {', '.join(WORDINGS)}, got {self.negation}")
        rewrites = load_rewriter(self.rewriter) is not None
        if self.negation != "auto" and rewrites != (self.negation == "llm"):
            needed = "openai:MODEL@URL or transformers:NAME" if self.negation == "llm" else "rule"
            raise VhbenchError(f"--negation {self.negation}: expected --rewriter {needed}, got {self.rewriter!r}")
        self.shards  # noqa: B018 - reads the source

    @property
    def perturbations(self) -> tuple[str, ...]:
        """The common perturbations, each severity by its own name."""
        return () if self.perturb == ("none",) else tuple(name for spec in self.perturb for name in at_severities(spec))

    @property
    def config(self) -> Mapping[str, Any]:
        """All options that change the output; files by name, as their content is in ``sources``."""
        form, path = form_of(self.source)
        kind, colon, model = self.rewriter.partition(":")  # not where it is served or stored
        same = ("severity", "scale_severity", "negation", "limit", "keep_unsure", "compat")
        shared: dict[str, Any] = {name: getattr(self, name) for name in same} | {
            "source": f"{form}:{path.name}",
            "name": self.source_name,
            "perturb": [*self.perturbations, *self.attack],
            "rewriter": kind + colon + (model.rpartition("@")[0] if kind == "openai" else _name(model)),
            "cases": Path(self.cases).name,
            "labels": Path(self.labels).name,
        }
        if not self.attack:
            return shared
        named = {"model": ", ".join(map(_name, self.model)), "failed": _name(self.failed)}
        return {**shared, **named, **self._attack(self.attack[0]).manifest()}

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """SHA-256 of the source's files and of all its images."""
        _, path = form_of(self.source)
        digests = {file.name: file_sha256(file) for file in files_of(path)}
        digests |= {Path(self.cases).name: file_sha256(Path(self.cases))} if self.cases else {}
        digests |= {file.name: file_sha256(file) for file in files_of(Path(self.labels))} if self.labels else {}
        images = hashlib.sha256()
        for group in self._read.groups:
            images.update(hashlib.sha256(read_image(group[0].images[0])).digest())
        attacked = attacking.attack_sources(self._attack(self.attack[0])) if self.attack else {}
        return {**digests, "images": images.hexdigest(), **attacked}

    @property
    def source_name(self) -> str:
        """Source name in rows and configs."""
        form, path = form_of(self.source)
        return self.name or (splits.read_manifest(path).benchmark if form == "split" else form)

    @property
    def shards(self) -> int:
        """Number of shards; a shard has all questions about its images."""
        return -(-len(self._read.groups) // IMAGES_PER_SHARD)

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        """Yield a shard's pairs, clean ones first, rejections, and known scenes."""
        rewriter, scenes, (form, _) = load_rewriter(self.rewriter), scenes_of(self.source), form_of(self.source)
        templates = self.source_name if form in ("table", "split") else form  # that the questions may match
        attacked: list[tuple[list[InitialCase], attacking.Array]] = []
        if not shard:
            yield from self._read.left_out
        for group in self._read.groups[shard * IMAGES_PER_SHARD : (shard + 1) * IMAGES_PER_SHARD]:
            names = sorted({name for question in group for name in question.scene_ids})
            # Stored scenes have no images; adding them lets the split map images to scenes.
            yield from (replace(scenes[name], image=group[0].images[0]) for name in names if name in scenes)
            cases: list[InitialCase] = []
            for item in _cases(group, self.negation, rewriter, templates):
                if isinstance(item, InitialCase):
                    cases.append(item)
                else:
                    yield item
            try:
                data = read_image(group[0].images[0])
                pixels = expansion.decode(data)
            except UnusableImage as error:
                yield from (Rejection(c.question.id, error.reason, {"error": str(error)}) for c in cases)
                continue
            yield from self._expanded(cases, data, pixels)
            if self.attack:
                attacked.append((cases, pixels))
        yield from attacking.attack_cases(attacked, [self._attack(method) for method in self.attack], seed=self.seed)

    def _expanded(self, cases: list[InitialCase], data: bytes, pixels: attacking.Array) -> Iterator[Row | Rejection]:
        """Yield the clean pairs of one image's cases and those of its common perturbations."""
        for case in cases:
            yield from expansion.pair(case)
        digest, settings = expansion.digest_of(data), {"seed": self.seed, "compression": self.compression}
        severity, relative = self.severity or None, self.scale_severity
        for name in self.perturbations if cases else ():
            image = expansion.perturbed(pixels, digest, name, severity=severity, relative=relative, **settings)
            for case in cases:
                word = "" if self.keep_unsure else expansion.may_change(case.question.question, name)
                if word:
                    yield Rejection(f"{case.question.id}/{name}", "perturbation_changes_answer", {"word": word})
                else:
                    yield from expansion.pair(case, perturbation=name, image=image)

    def facts(self, scenes: Iterable[Scene]) -> Mapping[str, Any]:
        """Return manifest entries: attack results, and the hidden test set of the answers, if any."""
        reports = (scene.provenance for scene in scenes if "attack" in scene.provenance)
        return {**(attacking.attack_facts(reports) if self.attack else {}), **hidden_source(self.source)}

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return a table of attack results by method."""
        attacks = splits.read_manifest(split).extra.get("attacks", {})
        return attacking.attack_table(attacks) if attacks else ()

    def _attack(self, method: str) -> attacking.Attack:
        """Return an attack; step counts only if they differ from the paper's."""
        steps = {"steps_apart": self.steps_apart or self.steps, "steps_similar": self.steps_similar or self.steps}
        same = ("loss", "restarts", "schedule", "axis", "compat")
        options: dict[str, Any] = {name: getattr(self, name) for name in same} | {
            "epsilon": self.epsilon / 255,
            "step_size": self.gamma / 255 or None,
            "start": None if self.start < 0 else self.start / 255,
            "batch_size": self.batch,
            **{name: number for name, number in steps.items() if number},
        }
        shared = {name: getattr(self, name) for name in ("device", "dtype", "revision", "instruction")}
        return attacking.Attack(
            settings=AttackConfig(method=method, **options),  # type: ignore[arg-type]
            models=tuple(attacking.ModelChoice(name=name, **shared) for name in self.model),
            failed=self.failed,
            answers=self.answers,
        )

    @property
    def _read(self) -> Cases:
        return read_cases(self.source, self.images, self.source_name, self.limit, self.version, self.cases, self.labels)


def _cases(
    group: tuple[Question, ...], wording: Wording, rewriter: Rewriter | None, source: str
) -> Iterator[InitialCase | Rejection]:
    """Pair each question with its negated twin, or return why it has none."""
    twins = {q.pair_id: q.question for q in group if q.negated}
    for question in group:
        if question.negated:
            continue
        try:
            twin = Twin(twins[question.pair_id], "source", by="source") if question.pair_id in twins else None
            if twin is not None and (reason := why_not_negation(question.question, twin.text, source)):
                yield Rejection(question.id, "twin_is_no_negation", {"twin": twin.text, "why": reason})
                continue
            twin = twin or twin_of(question.question, rewriter, wording, source)
        except CannotNegate as error:
            yield Rejection(question.id, "cannot_negate", {"question": question.question, "why": str(error)})
            continue
        if twin.refused or twin.reason:
            detail = {"question": question.question, "said": twin.refused, "why": twin.reason}
            yield Rejection(f"{question.id}/rewriting", "rewriting_refused", detail)
        yield InitialCase(question, twin)


def _name(spec: str) -> str:
    """Return a spec for the manifest; of local paths only the name."""
    return Path(spec).name if Path(spec).exists() else spec


def tasks() -> Iterator[Task]:
    """Yield VHExpansion's tasks: each source clean, perturbed and attacked, and groups."""
    family = benchmark("vhexpansion").families["yes_no"]
    for source in (form for form in FORMS if form != "split"):
        clean, command = f"vhexpansion_{source}", f"vhbench build vhexpansion --source {source}:PATH"
        yield Task(clean, family, holds={"perturbation": ""}, command=command)
        for name in PERTURBATIONS:
            yield Task(f"{clean}_{name}", family, holds={"perturbation": name}, command=command)
        for name in METHODS:
            attack = f"{command} --attack {name} --model NAME"
            yield Task(f"{clean}_{name}", family, holds={"perturbation": name}, command=attack)
        yield Task(f"{clean}_all", members=(clean, *(f"{clean}_{name}" for name in PERTURBATIONS)))
    yield Task("vhexpansion", members=("vhexpansion_ode_all",))
