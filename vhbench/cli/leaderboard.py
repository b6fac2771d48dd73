"""``vhbench leaderboard``: create, check, publish and export a board with recomputed scores."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.leaderboard.boards import Board
    from vhbench.leaderboard.rankings import Rankings

app = typer.Typer(
    help="Maintain a leaderboard that recomputes every score from the responses.\n\n"
    "A board is a folder of plain files, in git or on the Hub. `init` creates one from splits, `add` adds a run, "
    "`check` recomputes all entries (for pull requests), `reproduce` reruns a model, `refresh` updates scores after "
    "an update, `build` writes the site, `export` writes files for other tools, `push` uploads board or site.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_SPLITS = (
    "Source of the questions: a split, a folder of splits, or the key of a hidden test set; may be repeated. Splits "
    "are identified by content hash. Not needed for splits in DIR/splits or pinned on the Hub."
)


@dataclass(frozen=True, kw_only=True)
class _BoardOption:
    board: Path = option("Folder of the board.", metavar="DIR")
    splits: tuple[str, ...] = option(_SPLITS, (), metavar="PATH", repeat=True)

    def read(self, rules: bytes | None = None) -> "tuple[Board, dict[str, Path]]":
        """Return the board, with the given ``board.yaml`` if any, and the sources of its editions' questions."""
        from vhbench.leaderboard.boards import read_board
        from vhbench.leaderboard.question_index import find_sources

        board = read_board(self.board, rules)
        return board, find_sources(board, [Path(path) for path in self.splits])


@dataclass(frozen=True, kw_only=True)
class _InitOptions:
    folder: Path = option("Folder of the new board.", metavar="DIR", argument=True)
    splits: tuple[str, ...] = option(
        "Dataset versions: splits, folders of splits, or keys of hidden test sets; may be repeated.",
        metavar="PATH",
        repeat=True,
    )
    title: str = option("Title of the site.", "Visual hallucination board")
    fresh: tuple[str, ...] = option(
        "PUBLIC=FRESH: two versions of the same build, such as ode-2.0.0=ode-3.0.0, between which the public–fresh gap "
        "is shown; may be repeated.",
        (),
        metavar="EDITIONS",
        repeat=True,
    )
    submit: str = option("URL for pull requests.", "", metavar="URL")
    tasks: tuple[str, ...] = option(
        "Comma-separated tasks or groups with a page and a column each, such as ode_fictional,mioh_selective; by "
        "default, whole benchmarks.",
        (),
    )
    generation: str = option(
        "Required generation settings, as comma-separated name=value; empty to accept any.",
        "temperature=0,do_sample=false",
    )


def _init(options: _InitOptions) -> None:
    """Create a board for splits: writes `board.yaml`, which you can then edit.

    Example: `vhbench leaderboard init board --splits my_splits --title "My board"`
    """
    from vhbench.leaderboard.boards import make_board, write_board

    board = make_board(**{**vars(options), "splits": [Path(path) for path in options.splits]})
    if not board.editions:
        raise VhbenchError(
            f"--splits: expected a split or the key of a hidden test set; got {' '.join(options.splits)}"
        )
    typer.echo(f"wrote {write_board(board)}: {board.names}")


@dataclass(frozen=True, kw_only=True)
class _AddOptions(_BoardOption):
    run: Path = option(
        "lmms-eval output written with --log_samples, or a file of responses in any format; with --human, a report of "
        "`vhbench review`.",
        metavar="RUN",
        argument=True,
    )
    name: str = option("Model name shown on the board.")
    organisation: str = option("Organisation that trained the model.", "")
    url: str = option("Web page of the model.", "")
    parameters: str = option("Number of parameters, such as 7B.", "")
    open_weights: bool | None = option(
        "Whether the weights are public.", None, names=("--open-weights/--closed-weights",)
    )
    date: str = option("Date of the responses, YYYY-MM-DD.", "")
    note: str = option("Note for readers, one line.", "")
    reference: str = option(
        "Mark the entry as a baseline, such as 'always yes': listed separately, never ranked.", "", metavar="KIND"
    )
    submitter: str = option("Account of the submitter; pull requests from other accounts may not change the entry.", "")
    edition: str = option("Evaluated dataset version, such as ode-1.0.0, if the responses do not name it.", "")
    replace: bool = option("Replace an existing entry of this name.", False, names=("--replace",))
    human: bool = option(
        "RUN is a report of `vhbench review`; its annotators become a baseline.", False, names=("--human",)
    )


def _add(options: _AddOptions) -> None:
    """Add a run to a board, with scores recomputed from its responses.

    A run is rejected, with all reasons, for: scores that differ from the recomputed ones, missing responses, other
    prompts or settings, another split, edited samples, or too many failed requests.

    Example: `vhbench leaderboard add results --board board --name "My model" --parameters 7B --open-weights`
    """
    from vhbench.leaderboard import people
    from vhbench.leaderboard.entries import ModelInfo, parameters
    from vhbench.leaderboard.submitting import submit_run

    board, sources = options.read()
    if options.human:
        return typer.echo(in_a_line(f"added {people.add_people(board, options.run, options.name)}"))
    given = {field.name: getattr(options, field.name) for field in fields(ModelInfo)}
    about = ModelInfo(**{**given, "parameters": parameters(options.parameters)})
    about.check()
    submissions = submit_run(board, sources, options.run, about, only=options.edition, replacing=options.replace)
    refused = [f"{one.place.edition.name}: {reason}" for one in submissions for reason in one.reasons]
    if refused:
        raise _refused(refused, f"{options.run} not added to {options.board}")
    for one in submissions:
        assert one.entry is not None
        one.place.write(one.entry, one.answers)
        assert one.rescoring is not None
        parts = [
            f"{name} {score.value:.1f}"
            for scores in one.rescoring.scores.values()
            for name, score in list(scores.items())[:2]
            if score.value is not None
        ]
        parts += one.rescoring.withheld.values()
        typer.echo(in_a_line(f"added {one.place.folder}: {', '.join(parts)}; {len(one.answers):,} bytes"))


def _refused(reasons: Sequence[str], what: str) -> typer.Exit:
    """Print all reasons, one line each, and return the exit exception."""
    for reason in reasons:
        typer.echo(in_a_line(f"rejected: {reason}"), err=True)
    typer.echo(in_a_line(f"{what}: {len(reasons)} error{'s' if len(reasons) > 1 else ''}"), err=True)
    return typer.Exit(1)


def _entries(n: int) -> str:
    return f"{n} {'entry' if n == 1 else 'entries'}"


@dataclass(frozen=True, kw_only=True)
class _WorkersOption(_BoardOption):
    workers: int = option("Number of processes; 0 for one per core, at most 4.", 0, least=0, names=("--workers", "-w"))

    def rank(self) -> "Rankings":
        """Return all entries of the board, recomputed and ranked."""
        from vhbench.leaderboard.rankings import rank_entries

        return rank_entries(*self.read(), workers=self.workers)


@dataclass(frozen=True, kw_only=True)
class _CheckOptions(_WorkersOption):
    against: str = option(
        "Base revision of a pull request, such as origin/main: the rules are read from it, changes outside one model's "
        "folder are rejected, and errors of unchanged entries are only listed.",
        "",
        metavar="REVISION",
    )
    submitter: str = option("Account that opened the pull request, for --against.", "")


def _check(options: _CheckOptions) -> None:
    """Recompute all entries of a board, e.g. to check a pull request; exits with 1 if any is rejected.

    Example: `vhbench leaderboard check --board board --against origin/main --submitter ada`
    """
    from vhbench.leaderboard import pull_requests
    from vhbench.leaderboard.validating import check_all, find_duplicates

    rules, new = None, set[str]()
    if options.against:
        request = pull_requests.read_request(options.board, options.against)
        for title, kind in request.entries.items():
            typer.echo(in_a_line(f"{kind:8} {title}"))
            new |= {title, title.partition("/")[0]}
        if faults := list(request.faults(options.submitter)):
            raise _refused(faults, str(options.board))
        rules = request.rules
    board, sources = options.read(rules)
    checked, strays = check_all(board, sources, workers=options.workers, new=new)
    rejections = [*strays, *((one.place.title, line) for one in checked for line in one.refusals)]
    old = [line for about, line in rejections if options.against and about not in new]
    refused = [line for _, line in rejections if line not in old]
    for one in checked:
        if not one.reasons:
            typer.echo(in_a_line(f"ok       {one.place.title} ({one.tier})"))
        for line in one.moved[:1] if not one.reasons else ():
            typer.echo(in_a_line(f"note: {one.place.title}: {line}; run `vhbench leaderboard refresh`"), err=True)
    for line in find_duplicates(checked):
        typer.echo(in_a_line(f"note: {line}"), err=True)
    for line in old:
        typer.echo(in_a_line(f"note: not an error of this request: {line}"), err=True)
    if refused:
        raise _refused(refused, str(options.board))
    typer.echo(f"{_entries(len(checked))}, all scores recomputed")


def _refresh(options: _WorkersOption) -> None:
    """Recompute the scores of all entries after an update of vhbench, and append changed ones to `changes.csv`.

    Example: `vhbench leaderboard refresh --board board`
    """
    from vhbench.leaderboard.refreshing import refresh
    from vhbench.leaderboard.validating import check_all

    board, sources = options.read()
    checked, _ = check_all(board, sources, workers=options.workers)
    for row in (moved := refresh(board, checked)):
        typer.echo(in_a_line("{model}/{edition}: {family} {metric} {before} -> {after}".format(**row)))
    typer.echo(f"changed scores: {len(moved)} ({_entries(len(checked))})")


def _snapshot(options: _WorkersOption) -> None:
    """Record today's scores and ranks, for a page of the site with a permanent address.

    Example: `vhbench leaderboard snapshot --board board`
    """
    from vhbench.leaderboard.snapshots import record

    typer.echo(f"recorded {record(options.rank())}")


@dataclass(frozen=True, kw_only=True)
class _ReproduceOptions(_BoardOption):
    entry: str = option("MODEL/EDITION, the entry's folder in entries.", metavar="ENTRY", argument=True)
    model: str = option("Class of the model, as for `lmms-eval --model`.")
    model_args: str = option(
        "Arguments of the model, as for `lmms-eval --model_args`.", "", names=("--model-args", "--model_args")
    )
    sample: int = option("Number of questions to rerun.", 100, least=1)
    seed: int | None = option("Random seed of the sample; by default random, so that submitters cannot know it.", None)


def _reproduce(options: _ReproduceOptions) -> None:
    """Rerun an entry's model twice on a random sample, and write the verdict, reproduced or not, to the board.

    The verdict sets the entry's tier. It compares the agreement between the entry and the new runs with the agreement
    between the two new runs.

    Example: `vhbench leaderboard reproduce my-model/mioh-1.0.0 --board board --model qwen2_5_vl`
    """
    from vhbench.leaderboard.reproducing import reproduce

    board, sources = options.read()
    result, path = reproduce(
        board,
        sources,
        options.entry,
        sample=options.sample,
        seed=options.seed,
        model=options.model,
        model_args=options.model_args,
    )
    typer.echo(
        f"{options.entry}: {result.verdict}; agreement {result.agreement:.1f} % [{result.interval[0]:.1f}, "
        f"{result.interval[1]:.1f}] on {result.sample} questions; between the two new runs {result.expected:.1f} %"
    )
    typer.echo(f"wrote {path}")


@dataclass(frozen=True, kw_only=True)
class _BuildOptions(_WorkersOption):
    out: Path = option("Folder for the site; an existing site is replaced.", names=("--out", "-o"), metavar="SITE")
    strict: bool = option("Exit with 1 if an entry is left out.", False, names=("--strict",))


def _build(options: _BuildOptions) -> None:
    """Recompute a board and write its static site, for local viewing, GitHub Pages or a static Space.

    Invalid entries are left out and listed on the About page.

    Example: `vhbench leaderboard build --board board --out site`
    """
    from vhbench.leaderboard.site import write_site

    standings = options.rank()
    first = write_site(standings, options.out)
    sizes = [path.stat().st_size for path in options.out.rglob("*") if path.is_file()]
    typer.echo(f"{options.out}: {len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB; open {first}")
    if standings.refused:
        left = _refused(standings.refused, f"{options.board}: left out of the site")
        if options.strict:
            raise left


@dataclass(frozen=True, kw_only=True)
class _ExportOptions(_WorkersOption):
    out: Path = option("Folder for the files, OUT/MODEL/…", names=("--out", "-o"))
    name: str = option("Model to export; by default, all.", "")


def _export(options: _ExportOptions) -> None:
    """Export results: the Hub's `.eval_results` and `model-index`, Every Eval Ever, a README table.

    `.eval_results/*.yaml` are written for versions with a dataset on the Hub (`repo_id` in `board.yaml`).

    Example: `vhbench leaderboard export --board board --out exports --name "My model"`
    """
    from vhbench.leaderboard import exporting

    standings = options.rank()
    models = [model for model in standings.models if model.entries and options.name in ("", model.about.name)]
    if not models:
        raise VhbenchError(f"--name: expected a model of the board, got {options.name!r}")
    for model in models:
        count = exporting.write_files(standings, model, options.out)
        typer.echo(in_a_line(f"{options.out / model.slug}: {count} files of {model.about.name}"))


@dataclass(frozen=True, kw_only=True)
class _LeaderboardPushOptions:
    folder: Path = option("A board, or the site that `build` wrote.", metavar="DIR", argument=True)
    repo_id: str = option("Target repository: a dataset for a board, a static Space for a site.", metavar="ORG/NAME")
    dry_run: bool = option("Print what would be uploaded; write nothing.", False, names=("--dry-run",))


def _push(options: _LeaderboardPushOptions) -> None:
    """Upload a board (to a dataset) or its site (to a static Space) to the Hub, in one commit.

    The token comes from HF_TOKEN or `hf auth login`. Other files in the repository are kept.

    Example: `vhbench leaderboard push site --repo-id ORG/board --dry-run`
    """
    from vhbench.adapters.hub_release import push_folder
    from vhbench.leaderboard.pushing import kind_of

    kind, owned, message = kind_of(options.folder)
    sent = push_folder(options.folder, options.repo_id, kind, message=message, owned=owned, dry_run=options.dry_run)
    changes = f"new or changed files: {len(sent.uploaded)}, deleted: {len(sent.deleted)}"
    if sent.sha:
        typer.echo(f"uploaded {options.folder} to the {kind} {options.repo_id}: {changes}; commit {sent.sha}")
    else:
        outcome = "would upload" if options.dry_run else "nothing new in"
        typer.echo(f"{outcome} {options.folder} ({kind} {options.repo_id}): {changes}")


for _run in (_init, _add, _check, _reproduce, _refresh, _snapshot, _build, _export, _push):
    app.command(_run.__name__.removeprefix("_"))(build_command.command(_run))
