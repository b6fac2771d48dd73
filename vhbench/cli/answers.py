"""``vhbench answers RUN``: list unparsed, failed and refused responses."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line

_SUFFIXES = (".json", ".jsonl", ".csv")


@dataclass(frozen=True, kw_only=True)
class _ListAnswersOptions:
    run: Path = option(
        "lmms-eval output written with --log_samples: a folder or a samples file.", argument=True, metavar="RUN"
    )
    only: str = option(
        "Comma-separated: unparsed (no prediction), abstained (cannot tell), failed (no response), refused (the model "
        "declined or saw no image), cut_off (truncated: it reached the token limit or ends mid-sentence).",
        "unparsed,abstained,cut_off,failed,refused",
        metavar="KINDS",
    )
    task: str = option("Comma-separated tasks of the run.", "", metavar="TASKS")
    out: Path | None = option(
        f"File for the unabridged responses ({', '.join(_SUFFIXES)}); only counts are then printed.",
        None,
        names=("--out", "-o"),
        metavar="FILE",
    )


@build_command.command
def answers(how: _ListAnswersOptions) -> None:
    """List a run's unparsed, failed and refused responses.

    Prints id, question, reference answer and response. Check them before you rely on a score: unparsed responses
    count as incorrect, so a model with an unusual answer format scores too low. Printed responses are shortened and
    their control characters escaped; files keep them unchanged.

    Example: `vhbench answers results --only unparsed --task ode_fictional_existence`

    Example: `vhbench answers results --out unparsed.csv`
    """
    from vhbench.runs import read_run
    from vhbench.tasks import unparsed

    out, kinds = how.out, _listed(how.only, unparsed.KINDS, "--only")
    if out is not None and out.suffix.lower() not in _SUFFIXES:
        raise VhbenchError(f"--out {out}: its name must end in {', '.join(_SUFFIXES)}")
    responses = read_run(how.run)
    records = responses.tasks
    for note in responses.notes:
        typer.echo(in_a_line(note))
    names = _listed(how.task, tuple(records), "--task") if how.task else tuple(records)
    rows = [row for name in names for row in unparsed.rows(name, records[name], kinds)]
    if out is not None:
        _write(out, rows)
        typer.echo(f"wrote {out} ({len(rows):,} responses)")
    else:
        for row in rows:
            typer.echo(_line(row))
    for name in names:
        counts = Counter(row["why"] for row in rows if row["task"] == name)
        counted = ", ".join(f"{counts[kind]:,} {kind}" for kind in unparsed.KINDS if counts[kind]) or ", ".join(
            f"0 {kind}" for kind in kinds
        )
        typer.echo(in_a_line(f"{name}: {counted}; n = {len(records[name]):,}"))


def _listed(listed: str, allowed: Sequence[str], option: str) -> tuple[str, ...]:
    """Return what an option lists."""
    names = tuple(dict.fromkeys(name.strip() for name in listed.split(",") if name.strip()))
    for name in names or ("",):
        if name not in allowed:
            raise VhbenchError(f"{option}: expected one of {', '.join(allowed)}; got {name!r}")
    return names


def _line(row: dict[str, Any]) -> str:
    """Return a paragraph for a terminal."""
    from vhbench.tasks.unparsed import shortened

    options = "".join(f"; {letter}. {choice}" for letter, choice in zip("ABCDEFGHIJ", row["choices"], strict=False))
    right = f" (reference answer: {row['answer']})" if row["answer"] else ""
    lines = [
        f"{row['why']}  {row['task']}  {row['id']}",
        f"  question: {row['question']}{options}{right}",
        f"  response: {shortened(row['response']) or '(empty)'}",
    ]
    return "\n".join(map(in_a_line, lines))


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    import csv
    import io

    from vhbench.files import canonical, json_bytes, write_atomic
    from vhbench.tasks.unparsed import COLUMNS

    if path.suffix.lower() == ".json":
        content = json_bytes(rows)
    elif path.suffix.lower() == ".jsonl":
        content = b"".join(canonical(row) + b"\n" for row in rows)
    else:
        table = io.StringIO(newline="")
        writer = csv.writer(table)
        writer.writerow(COLUMNS)
        writer.writerows(["; ".join(row[n]) if n == "choices" else row[n] for n in COLUMNS] for row in rows)
        content = table.getvalue().encode()
    write_atomic(path, content)
