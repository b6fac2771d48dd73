"""``vhbench release RECIPE``: from a recipe to a released dataset version, in steps that can be resumed."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.release_options import PushOptions
from vhbench.schema import Manifest, VhbenchError
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.builds.recipes import EditionRecipe
    from vhbench.builds.split_build import SplitBuild

AWAITS_VERDICT = 3  # exit code of a release that waits for the reviewers


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """What ``vhbench release`` takes."""

    recipe: Path = option("Recipe, such as editions/ode.yaml.", metavar="RECIPE", argument=True)
    repo_id: str = option("Dataset repository on the Hub.", metavar="ORG/NAME")
    out: Path = option("Folder for the split and the review pages.", Path("out"), names=("--out", "-o"))
    workers: int = option("Worker processes.", 1, least=1, names=("--workers", "-w"))
    gpu_hour_price: float = option("Price of one hour on this machine, for the cost estimate.", 0, least=0)
    number: int = option("Number of questions on the review pages.", 100, least=1)
    private: bool = option("Create the repository as private.", False, names=("--private",))
    notes: str = option("Changes, in Markdown, for the changelog.", "")
    dry_run: bool = option(
        "Print the plan and its estimated hours, gigabytes and cost, measured on two shards; change nothing.",
        False,
        names=("--dry-run",),
    )


@build_command.command
def release(how: ReleaseOptions) -> None:
    """Release a dataset version from its recipe: pilot, build, verify, review, verdict, card and push.

    Each step prints its state. Run the same command again to resume an interrupted release: completed steps are
    kept, and the Hub gets one commit and one tag. The command exits with 3 until the recipe contains the
    reviewers' verdict on the built split: `review: {accepted: true, by: NAMES, content_hash: HASH}`.

    A recipe with unpinned models or inputs is rejected: `vhbench build --recipe RECIPE --pin` pins them. The content
    hash that the reviewers accepted is written into the recipe.

    Example: `vhbench release editions/ode.yaml --repo-id ORG/vhbench-ode --out out --dry-run`
    """
    from vhbench.adapters.hub_names import check_access
    from vhbench.builds.recipes import EditionRecipe

    recipe = EditionRecipe.read(how.recipe)
    if recipe.unpinned:
        raise VhbenchError(
            f"{how.recipe}: not pinned: {', '.join(recipe.unpinned)}; run `vhbench build --recipe {how.recipe} --pin` "
            "on a machine with access to the inputs and the Hub"
        )
    check_access(how.repo_id, recipe.version, online=not how.dry_run)
    steps = _Steps(how, recipe)
    planned = steps.planned if how.dry_run else {}
    for number, name in enumerate(STEPS, 1):
        for line in [planned[name]] if name in planned else getattr(steps, name)():
            typer.echo(in_a_line(f"{number}/{len(STEPS)} {name}: {line}"))


@contextmanager
def _elsewhere() -> Iterator[Path]:
    """Yield a temporary folder with an empty cache, so that the measured time includes generating the images.

    It is removed at the end, as are those of pilots that were killed.
    """
    from filelock import FileLock, Timeout

    for left in Path(tempfile.gettempdir()).glob("vhbench-pilot-*"):
        with suppress(Timeout, OSError), FileLock(left / ".lock").acquire(timeout=0):
            shutil.rmtree(left, ignore_errors=True)
    former = os.environ.get("VHBENCH_CACHE")
    with tempfile.TemporaryDirectory(prefix="vhbench-pilot-") as folder, FileLock(Path(folder, ".lock")):
        os.environ["VHBENCH_CACHE"] = str(Path(folder, "cache"))
        try:
            yield Path(folder, "out")
        finally:
            os.environ.pop("VHBENCH_CACHE")
            os.environ.update({"VHBENCH_CACHE": former} if former is not None else {})


STEPS = ("pilot", "build", "verify", "review", "verdict", "push")
"""Steps of a release, methods that yield what they did."""


class _Steps:
    """Steps of a release; a step that was done before does nothing."""

    def __init__(self, how: ReleaseOptions, recipe: "EditionRecipe") -> None:
        self.how, self.recipe = how, recipe
        self.described = replace(recipe, review=type(recipe.review)())  # the verdict is a separate step
        self.split = how.out / recipe.benchmark
        self.extra = recipe.recorded(how.recipe.stem)

    @cached_property
    def plan(self) -> "SplitBuild":
        """The build of the recipe."""
        return replace(self.recipe.build(), scratch=str(self.how.out))

    @property
    def planned(self) -> Mapping[str, str]:
        """What a dry run prints instead of each step but the pilot."""
        return {
            "build": f"would be written to {self.split}",
            "verify": "files, rows, images and reference answers would be checked",
            "review": f"pages of {self.how.number} questions would be written",
            "verdict": "the reviewers' verdict on the content hash would be read from the recipe",
            "push": f"v{self.recipe.version} would go to {self.how.repo_id}, with its card",
        }

    @property
    def manifest(self) -> Manifest:
        """Manifest of the built split."""
        from vhbench import splits

        return splits.read_manifest(self.split)

    def pilot(self) -> Iterator[str]:
        """Build two shards elsewhere, without cached images, and estimate the whole from them.

        The first one's additional time is start-up, such as loading models, which does not grow with the shards.
        """
        from vhbench.builds import sharding

        is_begun = any(self.how.out.glob(f".{self.recipe.benchmark}.*.parts")) or (
            (self.split / "manifest.json").is_file() and not self.described.differences(self.manifest)
        )
        if is_begun:
            yield "skipped, since the build has begun"
            return
        shards, workers, times = self.plan.shards, self.how.workers, list[float]()
        with _elsewhere() as out:
            for index in range(min(shards, 2)):
                start = time.perf_counter()
                sharding.run(replace(self.plan, scratch=str(out)), out, shard=(index, shards), progress=False)
                times.append(time.perf_counter() - start)
            size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) * shards / len(times) / 1e9
        hours = (max(times[0] - times[-1], 0) + times[-1] * shards / workers) / 3600
        took = f"{hours:,.2f} hours" if hours >= 0.1 else f"{3600 * hours:,.1f} seconds"
        cost = f", cost {hours * self.how.gpu_hour_price:,.2f}" if self.how.gpu_hour_price else ""
        processes = f"{workers} worker{'s' * (workers != 1)}"
        yield f"{shards:,} shards take about {took} with {processes}, and {size:,.3f} GB{cost}"

    def build(self) -> Iterator[str]:
        """Build the split, resuming an interrupted build."""
        from vhbench.builds import sharding

        manifest = sharding.run(self.plan, self.how.out, workers=self.how.workers, extra=self.extra)
        if manifest is None:
            raise VhbenchError(f"{self.split}: other jobs still build some of its shards; run the command again")
        yield f"{sum(manifest.rows.values()):,} questions in {self.split}, content hash {manifest.content_hash}"

    def verify(self) -> Iterator[str]:
        """Verify the split as ``vhbench push`` does."""
        from vhbench.release import verify_release

        manifest = verify_release(self.split, self.recipe.version)
        if faults := self.described.differences(manifest):
            raise VhbenchError(f"{self.split}: {faults[0]}")
        yield "0 errors"

    @property
    def pages(self) -> Path:
        """Folder of the review pages of this content."""
        return self.how.out / f"{self.how.recipe.stem}-review-{self.manifest.content_hash[:12]}"

    def review(self) -> Iterator[str]:
        """Write the review pages, all or none."""
        from vhbench import splits
        from vhbench.cli.review import ReviewOptions, write_pages

        staging, lines = self.pages.with_name(f".{self.pages.name}.new"), list[str]()
        with splits.locked(self.split):  # of two releases, one writes them
            if not self.pages.is_dir():
                shutil.rmtree(staging, ignore_errors=True)
                options = ReviewOptions(split=self.split, out=staging / "review.html", number=self.how.number)
                lines = [*write_pages(options)]
                staging.replace(self.pages)
        yield from (line.replace(str(staging), str(self.pages)) for line in lines)
        yield f"pages for the annotators in {self.pages}"

    def verdict(self) -> Iterator[str]:
        """Stop unless the recipe has the reviewers' verdict on this content, to which it is then pinned."""
        content, review = self.manifest.content_hash, self.recipe.review
        if review.accepted is False:
            raise VhbenchError(f"{self.how.recipe}: the reviewers rejected this split ({review.by or 'unnamed'})")
        if not review.accepted or review.content_hash != content:
            yield f"missing. Review {self.pages} (`vhbench review`), then set in {self.how.recipe}:"
            typer.echo(f"review: {{accepted: true, by: NAMES, content_hash: {content}}}")
            raise typer.Exit(AWAITS_VERDICT)
        if self.recipe.content_hash != content:
            replace(self.recipe, content_hash=content).write(self.how.recipe)
        yield f"accepted by {review.by or 'unnamed reviewers'}"

    def push(self) -> Iterator[str]:
        """Write the card and push the split."""
        from vhbench.release import publish

        how = PushOptions(
            directory=self.split,
            repo_id=self.how.repo_id,
            version=self.recipe.version,
            private=self.how.private,
            notes=self.how.notes,
        )
        publish(how, ask=typer.confirm)
        yield f"done: {self.how.repo_id} v{self.recipe.version}"
