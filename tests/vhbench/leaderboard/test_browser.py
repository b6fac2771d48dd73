"""The site in a real browser: Debian's Chromium, driven by Playwright, from a folder and over http.

With ``VHBENCH_AXE=…/axe.min.js`` axe-core looks at each page, too.
"""

import functools
import os
import re
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from board_entries import enter

from vhbench.leaderboard import boards, site
from vhbench.leaderboard.boards import Board, read_board
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rankings import rank_entries
from vhbench.leaderboard.snapshots import record

AXE = os.environ.get("VHBENCH_AXE", "")
PAGES = (
    "index.html",
    "ode-2.0.0.html",
    "mioh-2.0.0.html",
    "models/drift-vl-12b.html",
    "compare.html?a=drift-vl-12b&b=ember-vl-8b",
    "examples.html?b=mioh-2.0.0&show=hard",
    "about.html",
)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{ 7 * 7 }}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def made(
    twelve: Path, editions: dict[str, QuestionIndex], sources: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A site with twelve models, and one that says what nobody should run."""
    folder = Path(shutil.copytree(twelve, tmp_path_factory.mktemp("browsed") / "board"))
    board = read_board(folder)
    enter(board, editions["vhexpansion-2.0.0"], HOSTILE[:40], lambda row: HOSTILE)
    standings = rank_entries(board, sources, workers=1)
    record(standings)
    return site.write_site(standings, folder.parent / "site").parent


class Visit:
    """A page that was opened, and all that it did."""

    def __init__(self, context: Any, address: str) -> None:
        self.page, self.lines, self.asked = context.new_page(), list[str](), list[str]()
        self.page.on("console", lambda line: self.lines.append(line.text))
        self.page.on("pageerror", lambda error: self.lines.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.lines.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.page.wait_for_load_state("load")
        self.page.wait_for_timeout(150)

    def clean(self, root: str) -> None:
        """Check that nothing was said, asked for elsewhere, or is wider than the window."""
        assert self.lines == []
        assert [url for url in self.asked if not url.startswith(root)] == []
        width = self.page.viewport_size["width"]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width

    def accessible(self) -> None:
        """Let axe-core look at the page, where it is there."""
        if AXE:
            self.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
            found = self.page.evaluate("axe.run({preload: false})")["violations"]
            assert [(one["id"], one["impact"]) for one in found] == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_every_page_is_whole_from_a_folder(browser: Any, made: Path, width: int, theme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    for name in (*PAGES, *(path.relative_to(made).as_posix() for path in made.glob("snapshots/*.html"))):
        visit = Visit(context, f"file://{made}/{name}")
        visit.clean(f"file://{made}/")
        visit.accessible()
        visit.page.close()
    context.close()


@pytest.mark.slow
def test_a_stranger_finds_out_who_leads_where_it_fails_and_what_it_said(browser: Any, made: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(made)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_address[1]}/"
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = (visit := Visit(context, f"{root}index.html")).page
        assert "leads ODE with" in page.locator(".findings").inner_text()
        for best_first in (True, False):
            page.get_by_role("button", name="Score").nth(1).click()  # MIOH
            values = page.locator("tbody.models tr:visible td:nth-of-type(5)").all_inner_texts()
            numbers = [float(found[0]) for text in values if (found := re.findall(r"[\d.]+", text))]
            assert numbers == sorted(numbers, reverse=best_first)
            assert not re.search(r"\d", values[-1])  # who was not asked comes last
        page.get_by_label("Name").fill("drift")
        assert page.locator("tbody.models tr:visible").count() == 1
        assert "name=drift" in page.url
        visit.clean(root)
        page.get_by_role("link", name="Drift-VL 12B").click()
        page.locator(".heat a").first.click()
        page.wait_for_selector("#example h2")
        assert "show=wrong" in page.url
        assert "x=drift-vl-12b" in page.url
        link, question = page.url, page.locator("#example h2").inner_text()
        again = Visit(context, link).page
        assert again.locator("#example h2").inner_text() == question
        visit.clean(root)
    finally:
        context.close()
        server.shutdown()
        server.server_close()


@pytest.mark.slow
def test_two_models_are_compared_and_hostile_answers_are_text(browser: Any, made: Path) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    visit = Visit(context, f"file://{made}/compare.html?a=oracle-that-slips&b=kelp-vl-450m")
    assert "Oracle that slips is better on MIOH by" in visit.page.locator(".findings").inner_text()
    visit.page.locator("#swap").click()
    assert "a=kelp-vl-450m" in visit.page.url
    assert "Oracle that slips is better on MIOH by" in visit.page.locator(".findings").inner_text()
    visit.clean(f"file://{made}/")
    visit = Visit(context, f"file://{made}/examples.html?b=vhexpansion-2.0.0&q=__proto__&cell=constructor&x=toString")
    assert HOSTILE in visit.page.locator("#example").inner_text()
    assert visit.page.locator("#example script, #example [onerror]").count() == 0
    name = visit.page.locator("#example code").inner_text()
    for words, told in ((name, "1 of 1"), ("ONERROR=alert", r"1 of \d{3}"), ("no such words", "1 of .*")):
        visit.page.get_by_label("Words").fill(words)
        visit.page.get_by_label("Words").press("Enter")
        visit.page.wait_for_timeout(1000)
        assert re.fullmatch(told, visit.page.locator("#place").text_content())
    assert visit.page.locator("#message").inner_text() == "No question fits."
    visit.clean(f"file://{made}/")
    context.close()


def test_a_board_of_one_model_has_a_site(board: Board, editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    first = asked.rows[asked.main.places[0]]["id"]
    enter(board, asked, "Alone", lambda row: "…" if row["id"] == first else row["answer"] or "A park.")
    made = rank_entries(board, {name: one.source for name, one in editions.items()}, workers=1)
    page = site.write_site(made, board.folder.parent / "site").read_text()
    assert "is the only model on ODE" in page
    assert boards.read_board(board.folder).title in page


@pytest.mark.slow
def test_ranks_of_hundreds_of_models_fit_a_phone(browser: Any, made: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = Visit(context, f"file://{made}/index.html").page
    page.evaluate("document.querySelectorAll('small.narrow').forEach(e => { e.textContent = 'rank 100–120'; })")
    wide, shown = page.evaluate("(e => [e.scrollWidth, e.clientWidth])(document.querySelector('.scroll'))")
    assert wide <= shown
    context.close()
