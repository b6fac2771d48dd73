"""``vhbench review``: people check questions in a page that needs no server; their judgments are read back."""

from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import LARGEST_SEED, option
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line

_ANNOTATORS = 3  # number of annotators in the protocol of MIOH's paper


@dataclass(frozen=True, kw_only=True)
class ReviewOptions:
    """What ``vhbench review`` takes."""

    split: Path = option("A split directory, such as out/mioh.", metavar="DIR", argument=True)
    out: Path | None = option(
        "Page to write, by default review.html; with --judgments, the report, by default verdict.json; with --apply, "
        "the new split directory.",
        None,
        names=("--out", "-o"),
    )
    config: str = option("Review one config of the split only.", "")
    number: int = option(
        "Number of questions, spread evenly over the rows; on photos, relations, people and confusable objects first.",
        100,
        least=1,
    )
    seed: int = option("Random seed of the selection.", 0, least=0, most=LARGEST_SEED)
    twins: bool = option(
        "VHExpansion: judge whether a question and its negated twin always have opposite answers.", False
    )
    judgments: tuple[str, ...] = option(
        "File saved from the page by one annotator; repeat for each.",
        (),
        repeat=True,
        names=("--judgments", "-j"),
        metavar="PATH",
    )
    apply: Path | None = option(
        "Report written with --judgments: write the split without the questions that it rejects.", None
    )
    version: str = option(
        "With --apply: version of the new split; by default, that of the old one.", "", metavar="X.Y.Z"
    )


@build_command.command
def review(options: ReviewOptions) -> None:
    """Review a split with annotators: write pages, tally judgments, drop rejected questions.

    Pages do not show reference answers. Keys: A–E or Y/N answer, U marks a question as unclear, arrows move, S saves.
    Pages above 25 MB are split into parts (review-1.html …), saved separately. With --judgments, a question is kept
    if most annotators gave the reference answer. With --apply, the rejected questions are dropped and listed.

    With --twins, each question is shown with its negated twin, and annotators judge whether the two correct answers
    are opposite for every image; other pairs are dropped.

    Example: `vhbench review out/mioh -o review.html`, then
    `vhbench review out/mioh -j ann.json -j bob.json -j eve.json -o verdict.json`, then
    `vhbench review out/mioh --apply verdict.json --out checked/mioh`
    """
    apply, out = options.apply, options.out
    if (options.version and apply is None) or (apply is not None and (out is None or options.judgments)):
        raise VhbenchError("--apply: expected --out NEW, without --judgments; --version requires --apply")
    if apply is not None and out is not None:
        _apply(options.split, apply, out, options.version)
    elif options.judgments:
        _tally(options)
    else:
        typer.echo("\n".join([*write_pages(options), "Tally the saved files with --judgments."]))


def write_pages(options: ReviewOptions) -> list[str]:
    """Write the pages for annotators, and return a line about each; raise if the split has no questions."""
    from vhbench.analysis.human_review import selection
    from vhbench.analysis.review_pages import pages
    from vhbench.files import write_atomic

    split, output, config = options.split, options.out or Path("review.html"), options.config or None
    if output.suffix != ".html":
        raise VhbenchError(f"{output}: expected a page ending in .html")
    rows, identity = selection(split, config, options.number, options.seed, of_pairs=options.twins)
    lines: list[str] = []
    for text, part in pages(rows, identity):
        page = output if part.alone else output.with_name(f"{output.stem}-{part.number}.html")
        write_atomic(page, text.encode())
        lines += map(in_a_line, part.notes)
        lines.append(f"{page}: {len(part.items)} questions; open it in a browser; press S to save")
    if not lines:
        raise VhbenchError(f"{split}: no {'negated ' * options.twins}questions{f' in {config}' if config else ''}")
    return lines


def _tally(options: ReviewOptions) -> None:
    from vhbench.analysis import human_review
    from vhbench.files import json_bytes, write_atomic

    output = options.out or Path("verdict.json")
    verdict = human_review.verdict(options.split, [Path(file) for file in options.judgments], of_pairs=options.twins)
    write_atomic(output, json_bytes(verdict))
    number = verdict["annotators"]
    typer.echo(f"{len(verdict['kept'])} kept, {len(verdict['dropped'])} dropped by {number} annotators; {output}")
    if number < _ANNOTATORS:
        typer.echo(f"judged by {number}: the protocol requires {_ANNOTATORS} annotators")
    kappa = verdict["kappa"]
    typer.echo(f"agreement: Fleiss' κ {'undefined' if kappa is None else f'{kappa:.2f}'}")
    for name, share in verdict["by_annotator"].items():
        typer.echo(in_a_line(f"  {name}: {share['as_the_split']} of {share['judged']} agree with the reference answer"))
    for item in verdict["dropped"]:
        votes = ", ".join(item["votes"])
        typer.echo(in_a_line(f"  {item['id']}: {item['why']} (reference answer {item['answer']}, annotators {votes})"))


def _apply(split: Path, verdict: Path, out: Path, version: str) -> None:
    from vhbench import card, splits
    from vhbench.analysis.reviewed_split import apply

    before = sum(splits.read_manifest(split).rows.values())
    manifest = apply(split, verdict, out, version)
    with splits.locked(out):
        card.write_card(out, picture=card.sheet(out))
    review, total = manifest.extra["review"], sum(manifest.rows.values())
    typer.echo(
        f"{out}: {total:,} of {before:,} questions; {review['rejected']:,} rejected, "
        f"{review['hanging_on_these']:,} dependent on these"
    )
    if others := review["sharing_images"]:
        typer.echo(
            f"{len(others):,} other questions show the same images; review them next (manifest.json, sharing_images)"
        )
    typer.echo(f"content hash {manifest.content_hash}")
