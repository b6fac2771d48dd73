"""``vhbench review``: people check questions in a page that needs no server; their judgments are read back."""

from pathlib import Path
from typing import Annotated

import typer

from vhbench.schema import VhbenchError
from vhbench.seeding import LARGEST_SEED


def review(
    split: Annotated[Path, typer.Argument(help="A split directory, such as out/mioh.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write, or report to write.")] = Path(
        "review.html"
    ),
    config: Annotated[str, typer.Option(help="Review one config of the split only.")] = "",
    count: Annotated[int, typer.Option(min=1, help="How many questions, spread evenly over the rows.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Take other questions.")] = 0,
    twins: Annotated[
        bool, typer.Option("--twins", help="Of VHExpansion: are a question and its negated twin always opposite?")
    ] = False,
    judgments: Annotated[
        list[Path] | None,
        typer.Option("--judgments", "-j", help="Files saved from the page, one per annotator: tally them instead."),
    ] = None,
) -> None:
    """Write a page on which annotators answer questions; or, with --judgments, tally what they said.

    The page does not show the answers. Keys: A–E or Y/N answer, U marks a question as unclear, arrows move, S saves.
    A question is kept if most annotators gave the split's answer; the others are dropped and listed.

    With --twins a question stands beside its negated twin, and the one thing that is asked is whether their right
    answers are opposite, whatever the picture shows; pairs that are not are dropped.

    Example: `vhbench review out/mioh -o review.html`, then
    `vhbench review out/mioh -j ann.json -j bob.json -j eve.json -o verdict.json`
    """
    from vhbench.analysis import human_review as reviews
    from vhbench.files import json_bytes, write_atomic
    from vhbench.splits import choose, read_manifest, read_questions

    manifest = read_manifest(split)
    identity = reviews.of_twins(manifest.content_hash) if twins else manifest.content_hash
    if judgments:
        answers = {q.id: "yes" if twins else q.answer for q in read_questions(split)}
        votes = reviews.read_judgments(judgments, identity)
        verdict = reviews.tally(votes, answers)
        output = output if output.suffix == ".json" else Path("verdict.json")
        write_atomic(output, json_bytes(verdict))
        typer.echo(
            f"{len(verdict['kept'])} kept, {len(verdict['dropped'])} dropped by {len(votes)} annotators; {output}"
        )
        if len(votes) < reviews.ANNOTATORS:
            typer.echo(f"judged by {len(votes)}: the protocol wants {reviews.ANNOTATORS} annotators")
        for item in verdict["dropped"]:
            votes_said = ", ".join(item["votes"])
            typer.echo(f"  {item['id']}: {item['why']} (split says {item['answer']}, annotators {votes_said})")
        return
    if output.suffix != ".html":
        raise VhbenchError(f"{output}: the page's name must end in .html")
    if twins:
        rows = reviews.twins(read_questions(split, config or None), count, seed)
    else:
        rows = [row.question for row in choose(split, config or None, count, seed)]
    if not rows:
        raise VhbenchError(f"{split}: no {'negated ' * twins}questions{f' in {config}' if config else ''}")
    write_atomic(output, reviews.page(rows, identity).encode())
    typer.echo(f"{output}: {len(rows)} questions; open it in a browser, save with S, read back with --judgments")
