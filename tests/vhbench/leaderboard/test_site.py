"""The site of a board: what its pages say, that they are the same every time, and that nobody's words run in them."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pyarrow.parquet as pq
import pytest
import yaml
from board_entries import enter
from hub_standin import HubStandin

import vhbench
from vhbench.adapters.hub_release import push_folder
from vhbench.compare.tables import VERDICTS
from vhbench.leaderboard import baselines, boards, exporting, pushing, site, site_views
from vhbench.leaderboard.boards import Board, read_board
from vhbench.leaderboard.entries import stored
from vhbench.leaderboard.question_index import QuestionIndex, find_sources
from vhbench.leaderboard.rankings import Rankings, rank_entries
from vhbench.leaderboard.reproduction import REPRODUCED, Reproduction, write_verdict
from vhbench.leaderboard.snapshots import snapshot_name
from vhbench.provenance import DataSource, Provenance
from vhbench.schema import VhbenchError

HOSTILE = [
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\u2028yes", "\u202eyes", "__proto__",
    "\x1b[2Jyes", "constructor", "{{ 7 * 7 }}", "x" * 8000, "' onload='alert(1)",
]  # fmt: skip


@pytest.fixture(scope="session")
def standings(twelve: Path, sources: dict[str, Path]) -> Rankings:
    return rank_entries(read_board(twelve), find_sources(read_board(twelve), list(sources.values())), workers=1)


@pytest.fixture(scope="session")
def made(standings: Rankings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site.write_site(standings, tmp_path_factory.mktemp("site") / "site").parent


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_says_first_who_leads_and_whether_that_is_certain(made: Path) -> None:
    page = (made / "index.html").read_text()
    assert "<strong><bdi>Oracle that slips</bdi></strong> (self-reported) leads ODE with" in page
    assert re.search(r"its lead is (significant|not significant: \d+ models may be first)\.", page)
    assert "overall score" in page
    for name in ("Oracle", "Blind", "Always yes", "Coin", "Chance", "Text-only baseline", "One image"):
        assert f"<bdi>{name}</bdi>" in page


def test_who_has_the_same_score_leads_together(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    board = replace(board, editions=(asked.edition,))
    for name in ("Aster", "Basalt"):
        enter(board, asked, name, lambda row: row["answer"] if asked.number[row["id"]] > 9 else "…")
    page = site.write_site(
        rank_entries(board, {asked.edition.name: asked.source}, workers=1), board.folder.parent / "site"
    )
    told = re.sub(r"<[^>]+>", "", page.read_text())
    wrong = {row["pair_id"] for row in asked.rows if asked.number[row["id"]] <= 9}
    right = 100 * (1 - len(wrong) / len({row["pair_id"] for row in asked.rows}))
    assert f"Aster (self-reported) and Basalt (self-reported) lead VHExpansion together with {right:.1f} (" in told
    assert "2 models may be first" in told


def test_every_page_has_the_policy_and_no_style_or_handler_of_its_own(made: Path) -> None:
    pages = sorted(made.rglob("*.html"))
    assert len(pages) == 7 + 12
    for page in pages:
        text = page.read_text()
        assert "default-src &#39;none&#39;; script-src &#39;self&#39;" in text
        assert not re.search(r"\sstyle=|\son\w+=|<script(?! defer src=)|https?://(?!www.w3.org)|javascript:", text)
        for target in re.findall(r'(?:href|src)="([^"#?]+)', text):
            assert (page.parent / target).exists(), target


def test_a_model_s_page_tells_where_it_fails_and_where_its_numbers_come_from(made: Path) -> None:
    page = (made / "models/drift-vl-12b.html").read_text()
    assert len(re.findall(r'<td class="h-?\d( few)?">', page)) > 150  # 26 types under the pressures that the split has
    assert "cell=E5%20%C2%B7%20hn&amp;show=wrong&amp;x=drift-vl-12b" in page
    for words in ("CHAIR", "Cover", "Words a caption", "p(1−p)", "content hash", "Refused"):
        assert words in page


def test_examples_come_in_pieces_with_a_bit_for_each_answer(made: Path, standings: Rankings) -> None:
    index = _called((made / "data/mioh-2.0.0/index.js").read_bytes(), "board.index")[1]
    pieces = [
        _called(file.read_bytes(), "board.piece")[2] for file in sorted((made / "data/mioh-2.0.0").glob("[0-9]*.js"))
    ]
    assert sum(map(len, pieces)) == len(index["ids"]) == len(standings.of("mioh-2.0.0").questions.rows)
    assert index["starts"][0] == 0
    question, choices, answer, images, texts, codes = pieces[0][0]
    assert question
    assert all((made / "images" / name).is_file() for name in images)
    assert len(codes) == len(index["models"]) == len(standings.models)
    assert [answer, answer] == texts[int(codes[12])] or choices == []  # the oracle's


def _called(data: bytes, name: str) -> list[object]:
    text = data.decode()
    assert text.startswith(f"{name}(")
    assert text.endswith(");\n")
    return json.loads(f"[{text[len(name) + 1 : -3]}]")


def test_bars_are_compared_with_the_blind_baseline(standings: Rankings) -> None:
    edition = next(each for each in standings.editions if each.questions.edition.name == "ode-2.0.0")
    [blind] = [model for model in standings.models if model.slug == "reference_blind"]
    score = edition.rescorings[blind.number].scores[edition.questions.main.family.name][edition.questions.main.headline]
    guessed = 100 * baselines.chance(edition.questions, edition.questions.main.places)
    assert site_views.baseline(standings, edition) == max(score.value or 0, guessed) < 100


def test_differences_are_there_for_each_two_models(made: Path, standings: Rankings) -> None:
    number, editions = _called((made / "data/compare/0.js").read_bytes(), "board.pairs")
    assert number == 0
    for one, parts in zip(standings.editions, editions, strict=True):
        assert [len(part) for part in parts] == [4 * len(one.members)] * (1 + len(one.questions.main.parts))
        assert parts[0][:4] == [0, *parts[0][1:3], VERDICTS.index("n/a")]
        other = one.pairs[0]
        assert parts[0][4] == round(1000 * other.value[0, 1])


def test_a_snapshot_can_be_cited(made: Path, standings: Rankings) -> None:
    snapshot = json.loads((made / "site.json").read_text())["snapshot"]
    told = (made / "about.html").read_text().partition('aria-label="BibTeX">')[2].partition("</pre>")[0]
    assert told.splitlines() == [
        f"@misc{{leaderboard-{snapshot},", "  title = {A board},",
        f"  note = {{Snapshot {snapshot}, vhbench {vhbench.__version__}}}", "}",
    ]  # fmt: skip
    other = replace(standings, models=standings.models[1:])
    assert snapshot_name(other) != snapshot == snapshot_name(standings)


def test_what_can_be_taken_away(made: Path) -> None:
    rows = pq.read_table(made / "downloads/scores.parquet").to_pylist()
    assert rows == json.loads(gzip.decompress((made / "downloads/scores.json.gz").read_bytes()))
    assert {row["reference"] == "" for row in rows} == {True, False}
    assert gzip.decompress((made / "downloads/scores.csv.gz").read_bytes()).count(b"\n") == len(rows) + 1
    assert r"\bottomrule" in (made / "downloads/scores.tex").read_text()
    assert yaml.safe_load((made / "README.md").read_text().split("---")[1])["sdk"] == "static"


@pytest.mark.slow
def test_it_is_the_same_under_another_hash_seed(
    twelve: Path, made: Path, sources: dict[str, Path], tmp_path: Path
) -> None:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    words = ["leaderboard", "build", "--board", str(twelve), "--out", str(tmp_path / "site"), "--workers", "2", *named]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    code = "from vhbench.cli import main; main()"
    subprocess.run([sys.executable, "-c", code, *words], check=True, env=environment, capture_output=True)
    one, other = files(made), files(tmp_path / "site")
    assert one == other
    assert len(one) > 100


def test_hostile_words_are_text(board: Board, editions: dict[str, QuestionIndex], sources: dict[str, Path]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    board = replace(board, editions=(asked.edition,))
    name = "<script>alert(1)</script>"
    enter(board, asked, name, lambda row: HOSTILE[asked.number[row["id"]] % len(HOSTILE)], organisation='" onload="x')
    standings = rank_entries(board, {asked.edition.name: asked.source}, workers=1)
    out = site.write_site(standings, board.folder.parent / "site").parent
    assert (out / "models" / "script-alert-1-script.html").is_file()
    for path, data in files(out).items():
        if path.endswith((".html", ".js")) and not path.startswith("assets"):
            assert b"<script>alert" not in data, path
            assert b"<img src=x" not in data, path
            assert "\u2028".encode() not in data, path
    page = (out / "index.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert 'onload="x' not in page
    assert r"\textbackslash" not in (out / "downloads/scores.tex").read_text()


def test_a_model_may_be_called_like_a_reference(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    board = replace(board, editions=(asked.edition,))
    enter(board, asked, "Reference Oracle", lambda row: "no" if asked.number[row["id"]] else "…")
    standings = rank_entries(board, {asked.edition.name: asked.source}, workers=1)
    assert len({model.slug for model in standings.models}) == len(standings.models)
    assert standings.of(asked.edition.name).rescorings[0].scores["pairs"]["symmetric_accuracy"].value == 0
    site.write_site(standings, board.folder.parent / "site")


def test_what_a_run_says_of_itself_cannot_forge_lines_of_a_page(
    board: Board, editions: dict[str, QuestionIndex]
) -> None:
    asked = editions["vhexpansion-2.0.0"]
    board = replace(board, editions=(asked.edition,))
    enter(board, asked, "My model", lambda row: "no" if asked.number[row["id"]] else "…")
    standings = rank_entries(board, {asked.edition.name: asked.source}, workers=1)
    told = {"benchmark": "vhexpansion", "version": "2.0.0", "content_hash": "", "data": DataSource(kind="starter")}
    args = "a=\ud800,b=\u202e\ncontent hash   0123"
    one = Provenance(task="vhexpansion", model_args=args, vhbench="1\r", lmms_eval="1", **told)
    model = standings.models[0]
    entries = {name: replace(entry, provenance=(one,)) for name, entry in model.entries.items()}
    text = site.provenance(standings, replace(model, entries=entries))
    assert r"a=\ud800,b=\u202e\ncontent hash   0123" in text
    assert sum(line.startswith("content hash") for line in text.splitlines()) == 1
    assert r"vhbench 1\x0d," in text


def test_a_hidden_edition_shows_scores_alone(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    hidden = replace(asked, edition=replace(asked.edition, hidden=True))
    board = replace(board, editions=(hidden.edition,))
    enter(board, hidden, "My model", lambda row: "no" if asked.number[row["id"]] else "…")
    standings = rank_entries(board, {hidden.edition.name: asked.source}, workers=1)
    out = site.write_site(standings, board.folder.parent / "site").parent
    question = asked.rows[0]["question"].encode()
    assert not (out / "data/vhexpansion-2.0.0").exists()
    assert not list((out / "images").iterdir())
    assert all(question not in data and asked.rows[0]["id"].encode() not in data for data in files(out).values())
    exported = dict(exporting.files(standings, standings.models[0]))
    assert all(question not in data for data in exported.values())
    assert not [name for name in exported if name.endswith("_samples.jsonl")]


def test_an_edited_copy_of_the_answers_is_noted_in_its_row_until_it_is_reproduced(
    board: Board, sources: dict[str, Path], editions: dict[str, QuestionIndex], tmp_path: Path
) -> None:
    asked = editions["vhexpansion-2.0.0"]
    other, few = {"yes": "no", "no": "yes"}, [row["id"] for row in asked.rows[:6]]
    for name, wrong in (("GPT-9", few[:1]), ("GPT-8", few[:5]), ("GPT-7", few)):
        enter(board, asked, name, lambda row, w=wrong: other[row["answer"]] if row["id"] in w else row["answer"])  # type: ignore[misc]

    def pages() -> list[str]:
        folder = site.write_site(rank_entries(board, sources, workers=1), tmp_path / "site").parent
        return [(folder / name).read_text() for name in ("index.html", "vhexpansion-2.0.0.html")]

    note = f"of {len(asked.rows)} predictions differ from the reference answers of vhexpansion-2.0.0"
    for page in pages():
        assert page.count(note) == 3  # two rows, and the leader above the table
        assert f"<strong><bdi>GPT-9</bdi></strong> (self-reported; 1 {note}) leads" in page
        assert f">self-reported; 5 {note}</small>" in page
    place = stored(board, "gpt-9", asked.edition)
    made = {"sample": 100, "agreement": 100.0, "interval": (96.0, 100.0), "expected": 100.0}
    write_verdict(place, Reproduction(verdict=REPRODUCED, entry=place.read().digest, **made))
    for page in pages():
        assert page.count(note) == 1
        assert "<strong><bdi>GPT-9</bdi></strong> (reproduced) leads" in page


def test_a_model_that_learned_the_public_edition_falls(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    half = [place for place, row in enumerate(asked.rows) if crc32(row["scene_ids"][0].encode()) % 2]
    both = []
    for version, own in (("2.0.0", half), ("2.1.0", sorted(set(range(len(asked.rows))) - set(half)))):
        told = {"fresh_of": "2.0.0"} if version == "2.1.0" else {}
        edition = replace(asked.edition, version=version, content_hash=version[2] * 64, **told)
        rows = [asked.rows[place] for place in own]
        both.append(QuestionIndex(edition, asked.source, [asked.configs[place] for place in own], rows))
    found = _drops(board, both)
    assert found["learner"].significant
    assert found["learner"].interval[0] > 10
    assert not found["honest"].significant
    assert found["honest"].interval[0] < 0 < found["honest"].interval[1]


def _wrong_at(row: Mapping[str, str], tenths: int) -> str:
    """Answer some tenths of the questions wrongly."""
    wrong = int(row["id"][:4], 16) % 10 < tenths
    return {"yes": "no", "no": "yes"}.get(row["answer"], "A park.") if wrong else row["answer"] or "A park."


def _drops(board: Board, both: list[QuestionIndex]) -> dict[str, object]:
    from vhbench.leaderboard import rankings as module

    board = replace(board, editions=tuple(asked.edition for asked in both))
    own = {asked.edition.name: asked for asked in both}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "cached_question_index", lambda edition, source: own[edition.name])
        patch.setattr("vhbench.leaderboard.validating.cached_question_index", lambda edition, source: own[edition.name])
        here = "vhbench.leaderboard.isolation.each"
        patch.setattr(here, lambda function, tasks, **how: (function(*args) for args in tasks))
        patch.setattr(module, "levels", lambda asked: [])
        for asked in both:
            wrong = 4 if asked.edition.fresh_of else 1
            enter(board, asked, "learner", lambda row, wrong=wrong: _wrong_at(row, wrong))  # type: ignore[misc]
            enter(board, asked, "honest", lambda row: _wrong_at(row, 2))
        found = rank_entries(board, {name: asked.source for name, asked in own.items()}, workers=1)
    (drops,) = found.drops.values()
    return {found.models[number].slug: drop for number, drop in drops.items()}


def test_the_first_click_on_a_column_sorts_the_best_on_top(made: Path) -> None:
    heads = {
        name: first
        for page in made.glob("*.html")
        for first, name in re.findall(r'<th scope="col" class="num" data-sort(="up")?>([^<]+)</th>', page.read_text())
    }
    assert heads["CHAIR"] == '="up"'
    assert heads["Cover"] == heads["Accuracy"] == ""


def test_a_site_replaces_a_site_and_nothing_else(standings: Rankings, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(VhbenchError, match="expected an empty folder or the site of a board"):
        site.write_site(standings, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").is_file()


def test_a_dry_run_needs_no_token(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vhbench.adapters.hub_release.logged_in", lambda: False)
    kind, owned, message = pushing.kind_of(copied)
    planned = push_folder(copied, "org/board", kind, message=message, owned=owned, dry_run=True)
    assert len(planned.uploaded) == 1 + 2 * 36
    assert planned.sha == ""


def test_board_and_site_are_sent_in_one_commit(copied: Path, made: Path, hub: HubStandin, tmp_path: Path) -> None:
    (copied / "ode-2.0.0.key.jsonl").write_text("the answers of a hidden test set")
    with hub.in_process(tmp_path / "cache"):
        for folder, repo in ((copied, "org/board"), (made, "org/site")):
            kind, owned, message = pushing.kind_of(folder)
            sent = push_folder(folder, repo, kind, message=message, owned=owned)
            there = hub.files(repo)
            assert sent.sha
            assert set(sent.uploaded) <= set(there)
            assert not [name for name in there if "key" in name]
            again = push_folder(folder, repo, kind, message=message, owned=owned)
            assert (again.sha, again.uploaded, again.deleted) == ("", (), ())
        assert hub.files("org/board")["board.yaml"] == (copied / "board.yaml").read_bytes()
        (copied / "entries/iris-vl-2b/ode-2.0.0/entry.yaml").unlink()
        kind, owned, message = pushing.kind_of(copied)
        sent = push_folder(copied, "org/board", kind, message=message, owned=owned, dry_run=True)
        assert sent.deleted == ("entries/iris-vl-2b/ode-2.0.0/entry.yaml",)
        site_of_two = Path(shutil.copytree(made, tmp_path / "site"))
        (site_of_two / "mioh-0.9.0.html").write_text("an edition that the board has no more")
        kind, owned, message = pushing.kind_of(site_of_two)
        push_folder(site_of_two, "org/site", kind, message=message, owned=owned)
        kind, owned, message = pushing.kind_of(made)
        sent = push_folder(made, "org/site", kind, message=message, owned=owned, dry_run=True)
        assert (sent.uploaded, sent.deleted) == ((), ("mioh-0.9.0.html",))
    with pytest.raises(VhbenchError, match="expected a board"):
        pushing.kind_of(tmp_path / "cache")


def test_exports_are_what_others_read(standings: Rankings) -> None:
    from huggingface_hub import EvalResultEntry, parse_eval_result_entries
    from huggingface_hub.repocard_data import model_index_to_eval_results

    one = standings.editions[0]
    edition = replace(one.questions.edition, repo_id="org/vhbench-ode", revision="a" * 40)
    pinned = replace(one.questions, edition=edition)
    pinned_one = replace(one, questions=pinned)
    model = next(model for model in standings.models if model.slug == "drift-vl-12b")
    (entry,) = parse_eval_result_entries(yaml.safe_load(exporting.eval_results(pinned_one, model)))
    assert isinstance(entry, EvalResultEntry)
    assert entry.dataset_id == "org/vhbench-ode"
    value = one.rescorings[model.number].scores["yes_no"]["accuracy"].value
    assert entry.value == pytest.approx(value, abs=0.01)
    found = dict(exporting.files(standings, model))
    name, results = model_index_to_eval_results(yaml.safe_load(found["model-index.yaml"])["model-index"])
    assert name == "Drift-VL 12B"
    assert {result.metric_type for result in results} >= {"accuracy", "chair_i", "symmetric_accuracy"}
    assert f"| ODE 2.0.0 | accuracy | {value:.1f} |" in found["table.md"].decode()


def test_a_score_that_is_withheld_is_no_other_score(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    asked = replace(asked, edition=replace(asked.edition, repo_id="org/vhbench-ode", revision="a" * 40))
    board = replace(board, editions=(asked.edition,), rules=replace(board.rules, max_failed=2))
    answers = [row["id"] for row in asked.rows if row["kind"] == "yes_no"]
    failed = set(answers[: len(answers) // 100 + 1])  # more than 1 %, and what the board allows
    enter(board, asked, "Fails", lambda row: "" if row["id"] in failed else row["answer"] or f"A {row['objects'][0]}.")
    standings = rank_entries(board, {asked.edition.name: asked.source}, workers=1)
    assert not any(name.startswith(".eval_results") for name, _ in exporting.files(standings, standings.models[0]))
    page = site.write_site(standings, board.folder.parent / "site").parent / "models/fails.html"
    assert f"no score: {len(failed)} of {len(answers)} requests failed (1.1 %)" in page.read_text()


def test_bounds_and_tokens_are_beside_the_score(board: Board, editions: dict[str, QuestionIndex]) -> None:
    """One pair is lost in a thought of 4,096 tokens; every other response is right and has 8."""
    asked = editions["vhexpansion-2.0.0"]
    board = replace(board, editions=(asked.edition,))
    lost = asked.rows[0]["pair_id"]
    spent = lambda row: 4096 if row["pair_id"] == lost else 8  # noqa: E731
    enter(board, asked, "Thinker", lambda row: "" if row["pair_id"] == lost else row["answer"], tokens=spent)
    standings = rank_entries(board, {asked.edition.name: asked.source}, workers=1)
    page = site.write_site(standings, board.folder.parent / "site").parent
    words = " ".join(re.sub(r"<[^>]+>", " ", (page / "vhexpansion-2.0.0.html").read_text()).split())
    score = 100 * (1 - 2 / len(asked.rows))
    mean = (4096 * 2 + 8 * (len(asked.rows) - 2)) / len(asked.rows)
    assert f"({score:.1f}–100.0)" in words
    assert f" {mean:,.0f} 95 %: 8; {mean * len(asked.rows) / (len(asked.rows) - 2):,.0f} per correct " in words


def test_exports_fit_every_eval_ever(standings: Rankings) -> None:
    package = find_spec("every_eval_ever")
    if package is None or not package.submodule_search_locations:
        pytest.skip("every-eval-ever, which has the schemas, is not installed; it needs Python 3.12")
    from jsonschema import Draft7Validator

    schemas = Path(package.submodule_search_locations[0]) / "schemas"
    whole = Draft7Validator(json.loads((schemas / "eval.schema.json").read_text()))
    each = Draft7Validator(json.loads((schemas / "instance_level_eval.schema.json").read_text()))
    model = next(model for model in standings.models if model.slug == "drift-vl-12b")
    checked = 0
    for path, data in exporting.files(standings, model):
        if path.endswith(".json"):
            assert list(whole.iter_errors(json.loads(data))) == []
            checked += 1
        if path.endswith("_samples.jsonl"):
            assert [error for line in data.splitlines()[:50] for error in each.iter_errors(json.loads(line))] == []
            checked += 1
    assert checked == 6


def test_a_board_is_made_by_its_command(sources: dict[str, Path], tmp_path: Path) -> None:
    made = [boards.of_split(folder) for folder in sources.values()]
    pair = [*made, replace(made[0], version="3.0.0", content_hash="2" * 64)]
    found = list(boards.paired(pair, ["ode-2.0.0=ode-3.0.0"]))
    assert [edition.fresh_of for edition in found] == ["", "2.0.0", "", ""]
    with pytest.raises(VhbenchError, match="expected PUBLIC=FRESH"):
        list(boards.paired(made, ["ode-2.0.0=mioh-2.0.0"]))
