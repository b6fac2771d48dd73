"""Static site of a board: HTML and SVG that work without scripts, from a folder or a server."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import jinja2

import vhbench
from vhbench.files import json_bytes, naming
from vhbench.leaderboard import boards, downloads, site_data, site_views, snapshots
from vhbench.leaderboard.rankings import BoardModel, Rankings
from vhbench.leaderboard.refreshing import read_changes
from vhbench.leaderboard.site_views import EditionView, RowView
from vhbench.statistics.sums import Score
from vhbench.tasks.metrics.registry import metrics_of
from vhbench.terminal import escaped

HERE = Path(__file__).parent
MARK = "site.json"
FORMAT = "vhbench-board-site-1"

# content security policy of every page: own files only
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
_ASSETS = ("board.css", "compare.js", "copy.js", "examples.js", "icon.svg", "load.js", "table.js")


def write_site(standings: Rankings, out: Path) -> Path:
    """Write the site of a board, and return its first page; raise VhbenchError if the folder has other content."""
    boards.check_output(out, MARK, "the site of a board")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        with naming(out):
            _write(standings, draft)
        draft.chmod(0o755)
        if out.is_dir():
            shutil.rmtree(out)
        draft.replace(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return out / "index.html"


def _write(standings: Rankings, out: Path) -> None:
    for folder in ("models", "data/compare", "downloads", "assets", "images", snapshots.FOLDER):
        (out / folder).mkdir(parents=True)
    for name in _ASSETS:
        shutil.copyfile(HERE / "assets" / name, out / "assets" / name)
    views = site_views.edition_views(standings)
    for path, text in _pages(standings, views):
        (out / path).write_text(text, encoding="utf-8")
    (out / "data" / "board.js").write_bytes(site_data.names(standings, views))
    for number, data in site_data.pairs(standings):
        (out / "data" / "compare" / f"{number}.js").write_bytes(data)
    for one in standings.editions:
        site_data.write_examples(one, out)
    for snapshot in snapshots.read_snapshots(standings.board):
        (out / snapshots.FOLDER / f"{snapshot.name}.json").write_bytes(json_bytes(snapshot))
    for name, data in downloads.files(standings).items():
        (out / "downloads" / name).write_bytes(data)
    head = {"title": standings.board.title, "emoji": "👁", "colorFrom": "blue", "colorTo": "gray", "sdk": "static"}
    (out / "README.md").write_bytes(b"---\n" + boards.yaml_bytes({**head, "pinned": False}) + b"---\n")  # of a Space
    (out / ".nojekyll").write_bytes(b"")
    (out / MARK).write_bytes(
        json_bytes({"format": FORMAT, "vhbench": vhbench.__version__, "snapshot": snapshots.snapshot_name(standings)})
    )


def environment() -> jinja2.Environment:
    """Return the template environment: values are escaped, missing ones raise an error."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["one"] = lambda value: f"{value:.1f}"
    templates.filters["signed"] = lambda value: f"{round(value, 1) + 0.0:+.1f}".replace("-", "−")
    return templates


def _pages(standings: Rankings, views: list[EditionView]) -> Iterator[tuple[str, str]]:
    """Yield path and content of each page."""
    board, templates = standings.board, environment()
    pages = [("index.html", "Overview"), *((f"{view.name}.html", view.title) for view in views)]
    pages += [("compare.html", "Compare"), ("examples.html", "Examples"), ("about.html", "About")]
    shared: dict[str, Any] = {
        "board": board,
        "policy": POLICY,
        "pages": pages,
        "views": views,
        "main": views[0],
        "version": vhbench.__version__,
        "downloads": downloads.NAMES,
        "total": len(standings.ranked),
        "snapshot": snapshots.snapshot_name(standings),
        "latex": downloads.escape,
        "findings": list(site_views.findings(views, standings)),
    }

    def filled(path: str, template: str, **values: Any) -> tuple[str, str]:
        text = templates.get_template(template).render(**shared, root="../" * path.count("/"), path=path, **values)
        return path, text

    recorded = snapshots.read_snapshots(board)
    yield filled("index.html", "index.html", tables=_overview(standings, views))
    for view in views:
        yield filled(f"{view.name}.html", "edition.html", view=view, falls=list(_falls(standings, views, view)))
    yield filled("compare.html", "compare.html")
    yield filled("examples.html", "examples.html")
    refused = [escaped(line) for line in standings.refused]
    rules, changes = _rules(board.rules), read_changes(board)
    cited = next((one for one in recorded if one.name == shared["snapshot"]), None)
    about = {"rules": rules, "refused": refused, "recorded": recorded, "cited": cited, "changes": changes}
    yield filled("about.html", "about.html", **about)
    for model in standings.ranked:
        sections = [_section(standings, model, view) for view in views if view.row(model)]
        drops = [
            (f"{public} to {fresh}", gaps[model.number])
            for (public, fresh), gaps in standings.drops.items()
            if model.number in gaps
        ]
        run = provenance(standings, model)
        path = f"models/{model.slug}.html"
        history = [(one, score) for one in recorded for score in one.of(model.slug)]
        yield filled(path, "model.html", model=model, sections=sections, drops=drops, history=history, provenance=run)
    slugs = {model.slug for model in standings.ranked}
    for one in recorded:
        yield filled(f"{snapshots.FOLDER}/{one.name}.html", "snapshot.html", one=one, slugs=slugs)


def _overview(standings: Rankings, views: list[EditionView]) -> list[list[tuple[RowView, list[RowView]]]]:
    """Return the rows of the first page, each with its rows by edition: models, then baselines, best first."""
    none = RowView(None, "", "", Score(None))
    by_name: dict[str, dict[str, RowView]] = {}
    for view in views:
        for row in view.rows:
            key = row.model.slug if row.model else f"level {row.name}"
            by_name.setdefault(key, {})[view.name] = row
    rows = list[tuple[RowView, list[RowView]]]()
    for own in by_name.values():
        first = next(iter(own.values()))
        if first.model:
            tier = site_views.tier_in_words(standings, first.model)
            first = replace(first, tier=tier, fall=site_views.fall_in_words(standings, first.model))
        rows.append((first, [own.get(view.name, none) for view in views]))
    rows.sort(key=lambda row: [(one.score.value is None, -(one.score.value or 0)) for one in row[1]])
    return [[row for row in rows if bool(row[0].kind) == is_baseline] for is_baseline in (False, True)]


def _falls(standings: Rankings, views: list[EditionView], view: EditionView) -> Iterator[tuple[str, str, Any]]:
    titles = {one.name: one.title for one in views}
    for (public, fresh), drops in standings.drops.items():
        if view.name in (public, fresh):
            rows = {row.model.number: row for row in view.rows if row.model}
            order = sorted(drops, key=lambda number: (bool(rows[number].kind), -drops[number].value))
            yield f"{titles[public]} to {titles[fresh]}", fresh, [(rows[number], drops[number]) for number in order]


def _section(standings: Rankings, model: BoardModel, view: EditionView) -> dict[str, Any]:
    one = standings.of(view.name)
    captions = one.rescorings[model.number].scores.get("caption", {})
    return {
        "view": view,
        "row": view.row(model),
        "map": site_views.heat_map(standings, one, model),
        "bars": site_views.bars(standings, one, model),
        "curve": site_views.curve(one, model),
        "captions": [
            (metric.label, captions[metric.name]) for metric in metrics_of("caption") if metric.brief and captions
        ],
        "told": one.rescorings[model.number].failures,
        # Only the reason why there is no score, without the text of the response.
        "withheld": [why.partition("; the first: ")[0] for why in one.rescorings[model.number].withheld.values()],
    }


def _rules(rules: boards.Rules) -> str:
    clauses = ["Entries have a response to every question of the edition, with the benchmark's own prompts"]
    clauses.append(f"at most {rules.max_failed:g} % of the requests failed")
    clauses += [f"{name} is {value}" for name, value in rules.generation.items()]
    if rules.provenance:
        clauses.append("the run has complete provenance")
    return "; ".join(clauses) + "; and all scores equal those recomputed from the responses."


def provenance(standings: Rankings, model: BoardModel) -> str:
    """Return the provenance of a model's scores as copyable text."""
    lines = [f"model          {model.about.name}", f"recomputed by  vhbench {vhbench.__version__}"]
    for name, entry in model.entries.items():
        failures = standings.of(name).rescorings[model.number].failures
        lines += ["", f"edition        {name}", f"content hash   {entry.content_hash}"]
        lines += [f"verified       {model.tiers[name]}"]
        lines += [
            f"answers        sha256 {entry.answers}, {entry.repeats} repetition{'s' if entry.repeats > 1 else ''}"
        ]
        lines += [f"unparsed       {', '.join(f'{key} {value:.1f} %' for key, value in failures.items())}"]
        groups: dict[str, list[str]] = {}
        for one in entry.provenance:
            settings = ", ".join(f"{key}={value}" for key, value in sorted(one.generation.items()))
            setup = f"{one.model} {one.model_args}".strip() + f"; vhbench {one.vhbench}, lmms-eval {one.lmms_eval}"
            groups.setdefault(f"{setup}; {one.prompt_form} prompts; {settings}", []).append(
                f"{one.task} {one.prompts[:16]}"
            )
        for setup, tasks in groups.items():
            lines += [f"asked by       {setup}", f"prompts        {', '.join(tasks)}"]
        if not groups:
            lines.append("run            no provenance")
    return "\n".join(escaped(line).replace("\n", r"\n") for line in lines)
