"""Nothing that stands in a file can command the terminal on which it is shown."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from vhbench import splits, terminal
from vhbench.cli import app
from vhbench.schema import Question, Row

EVIL = {
    "clear screen": "\x1b[2J",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\",
    "concealed": "\x1b[8msecret\x1b[0m",
    "C1": "\x9b2J",
    "carriage return": "good\rbad",
    "backspace": "bad\b\b\bok",
    "right to left": "\u202egnp.exe",
    "null": "a\0b",
}


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL.keys())
def test_what_a_terminal_would_obey_is_written_out(text: str) -> None:
    shown = terminal.escaped(text)
    assert shown != text
    assert re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]*", shown)


@given(st.text())
def test_what_can_be_printed_stays_and_the_rest_is_escaped(text: str) -> None:
    shown = terminal.escaped(text)
    shown.encode()  # half characters would fail
    assert (shown == text) == (terminal._ANYWHERE.search(text) is None)
    assert terminal.escaped(shown) == shown


@pytest.mark.parametrize("text", ["plain\ttext\n", "naïve 狗 👩‍🚀 हिन्दी", ""])
def test_writing_of_all_languages_stays(text: str) -> None:
    assert terminal.escaped(text) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "kept"), [(io.StringIO(), False), (Terminal(), True)])
def test_colours_and_progress_stay_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, kept: bool
) -> None:
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    terminal.protect()
    print("\x1b[1;31mred\x1b[0m\x1b[2J\x1b[8mx")
    for part in ("\r50 %", "\x1b[A"):  # as tqdm writes it
        print(part, end="", file=sys.stderr)
    text = stream.getvalue()
    assert ("\x1b[1;31mred\x1b[0m" in text, "\r50 %\x1b[A" in text) == (kept, kept)
    assert ("\n50 %" in text) != kept, "in a log, an update of a progress bar is a line"
    assert "\\x1b[2J\\x1b[8mx" in text


@pytest.mark.parametrize(
    "code", ["\x1b[30;40m", "\x1b[37m", "\x1b[97;107m", "\x1b[31;41m", "\x1b[38;5;0m", "\x1b[7;30m"]
)
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_no_colour_hides_a_text_and_none_goes_back(monkeypatch: pytest.MonkeyPatch, name: str, code: str) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    terminal.protect()
    print(f"{code}hidden\x1b[0m good\rbad\x1b[A", file=getattr(sys, name))
    assert set(re.findall(r"\x1b.[^m]*m|\r|\x1b", stream.getvalue())) == {"\x1b[0m"}


def test_help_keeps_its_colours() -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    for text in ("`code` and **bold**", "# title", "[a](http://b)"):
        shown = io.StringIO()
        Console(file=shown, force_terminal=True, color_system="standard", theme=None).print(
            Markdown(text, hyperlinks=False)
        )
        assert "\\x1b" not in terminal._BUT_COLOURS.sub(terminal._written, shown.getvalue()), text


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_no_encoding_leads_past_us(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "evil.py").write_text(
        "import sys, typer\nfrom vhbench import terminal\nterminal.protect()\n"
        "typer.echo('\\x1b[2J\\x9b\\u202e – é')\ntyper.echo('\\x1b]0;x\\x07', err=True)\n"
    )
    how = {"capture_output": True, "check": True, "env": os.environ | {"PYTHONIOENCODING": encoding}}
    done = subprocess.run([sys.executable, str(tmp_path / "evil.py")], **how)  # type: ignore[call-overload]
    assert not set((done.stdout + done.stderr).decode()) & set("\x1b\x07\x9b\u202e")
    assert "\\x9b\\u202e " in done.stdout.decode()


def test_no_command_hands_on_what_a_file_says(tmp_path: Path) -> None:
    text = "".join(EVIL[name] for name in ("clear screen", "title", "right to left"))
    how = {"answer": "no", "kind": "yes_no", "benchmark": "ode", "criterion": text}
    made = [Row("a", Question(f"q{text}{n}", images=(b"x",), question=f"Is {text}?", **how)) for n in range(2)]  # type: ignore[arg-type]
    for name, rows in {"1": made, "2": made[:1]}.items():
        splits.write_split(tmp_path / name, rows, benchmark="ode", version="1.0.0", seed=0, config={"note": text})
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(f'{{"id": "q{n}", "answer": "no", "response": "No", "criterion": "x"}}\n' for n in "12"))
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[" + ", ".join(f'{{"id": {json.dumps(text)}, "answer": "maybe"}}' for _ in range(2)) + "]")
    for command in (
        ["verify", "1"],
        ["diff", "1", "2"],
        ["score", "yes-no", "--responses", "wrong.json", "--positive", "no"],
        ["score", "yes-no", "--responses", text, "--positive", "no"],
        ["analyse", "ode", "wrong.json"],
        ["review", "1", "-j", "wrong.json"],
    ):
        run = [sys.executable, "-c", "from vhbench.cli import main; main()", *command]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert said.strip(), command
        assert not set(said) & set("\x1b\x07\u202e"), command


def test_a_name_begins_no_line_of_its_own(tmp_path: Path) -> None:
    """Else an id could say that scores are comparable, and a task that a split has no faults."""
    forged = "scores on 1.0.0 and 1.0.0 are comparable"
    for name, told in (("one", ("q", "t")), ("two", (f"q\n{forged}", f"t\n{forged}"))):
        question = Question(
            told[0], images=(b"x",), question="Is there a dog?", answer="yes", kind="yes_no", benchmark="ode",
            task=told[1],
        )  # fmt: skip
        config = {f"option\n{forged}": name}
        splits.write_split(
            tmp_path / name, [Row("a", question)], benchmark="ode", version="1.0.0", seed=0, config=config
        )
    said = CliRunner().invoke(app, ["diff", str(tmp_path / "one"), str(tmp_path / "two")]).output
    assert f"q\\n{forged}" in said
    assert forged not in said.splitlines()
    assert said.splitlines()[-1].startswith("scores on 1.0.0 and 1.0.0 are NOT comparable")
    said = CliRunner().invoke(app, ["verify", str(tmp_path / "two")]).output
    assert forged not in said.splitlines()
