"""A file that is not what a command reads ends it in one line, without a traceback, and leaves nothing behind.

What comes from others (:data:`FOREIGN`) may be anything, and must not take a minute or a gigabyte; files of the user's
own are tried with what happens by accident.
"""

import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import odd_files
import pytest
from board_entries import enter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_build import ToyBuild

from vhbench import cli, splits
from vhbench.files import file_sha256
from vhbench.leaderboard import boards
from vhbench.leaderboard.validating import cached_question_index
from vhbench.schema import Row, VhbenchError

ROWS = [item for item in ToyBuild(rows=4, shards=1).make(0) if isinstance(item, Row)]

COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "score": (("json", "parquet", "csv", "xlsx"), "score ODD"),
    "score --questions": (("jsonl", "parquet"), "score GOOD.jsonl --questions ODD"),
    "score of a split": (("json",), "score ODD --questions SPLIT"),
    "score captions": (("jsonl",), "score captions --responses ODD --questions SPLIT"),
    "score yes-no": (("jsonl",), "score yes-no --responses ODD"),
    "score symmetric": (("jsonl",), "score symmetric --responses ODD"),
    "score multiple-choice": (("json",), "score multiple-choice --responses ODD"),
    "score chair": (("json",), "score chair --responses ODD --gold GOLD --synonyms WORDS"),
    "score chair --gold": (("json",), "score chair --responses CAPTIONS --gold ODD --synonyms WORDS"),
    "score chair --instances": (("json",), "score chair --responses CAPTIONS --instances ODD --synonyms WORDS"),
    "score chair --synonyms": (("txt", "json"), "score chair --responses CAPTIONS --gold GOLD --synonyms ODD"),
    "score amber": (("json",), "score amber --responses CAPTIONS --annotations ODD --relation GOLD"),
    "score --key": (("parquet",), "score GOOD.jsonl --key ODD"),
    "answers": (("jsonl",), "answers ODD"),
    "compare": (("jsonl", "parquet"), "compare ODD GOOD.jsonl --questions SPLIT --out OUT"),
    "analyse ode": (("jsonl",), "analyse ode ODD --out OUT"),
    "analyse mioh": (("jsonl",), "analyse mioh ODD --out OUT"),
    "analyse vhexpansion": (("jsonl",), "analyse vhexpansion ODD --out OUT"),
    "build ode --graph": (("json", "graphml"), "build ode --graph ODD --pairs 1 --out OUT"),
    "build ode --graph coco": (("json",), "build ode --graph coco:ODD --pairs 1 --out OUT"),
    "build ode --add": (("json",), "build ode --add ODD --pairs 1 --out OUT"),
    "build ode --seed-from-secret": (("txt",), "build ode --seed-from-secret ODD --graph nowhere.json --out OUT"),
    "build mioh --source coco": (("json",), "build mioh --source coco:ODD --images FOLDER --out OUT"),
    "build mioh --source paco": (("json",), "build mioh --source paco:ODD --images FOLDER --out OUT"),
    "build mioh --source svg": (("json",), "build mioh --source svg:ODD --images FOLDER --out OUT"),
    "build mioh --cells": (("json",), "build mioh --cells ODD --out OUT"),
    "build mioh --statistics": (("json",), "build mioh --statistics ODD --out OUT"),
    "build ode --calibration": (
        ("json",),
        "build ode --images diffusers:nowhere --detector nowhere --calibration ODD --pairs 1 --out OUT",
    ),
    "build ode --node-types": (("json",), "build ode --graph amber:FOLDER --node-types ODD --pairs 1 --out OUT"),
    "calibrate": (("json",), "calibrate --annotations ODD --images FOLDER --detector nowhere -o OUT/thresholds.json"),
    "compare --questions": (("parquet",), "compare GOOD.jsonl GOOD.jsonl --questions ODD --out OUT"),
    "finetune": (("parquet",), "finetune --data ODD --model nowhere --out OUT/model"),
    "leaderboard init": (("json",), "leaderboard init OUT/board --splits ODD"),
    "review --apply": (("json",), "review SPLIT --apply ODD --out OUT/reviewed"),
    "score amber --relation": (("json",), "score amber --responses CAPTIONS --annotations GOLD --relation ODD"),
    "verify --rebuilt": (("json",), "verify SPLIT --secret SPLIT/manifest.json --rebuilt ODD"),
    "build vhexpansion table": (("json", "csv", "parquet", "xlsx"), "build vhexpansion --source table:ODD --out OUT"),
    "build vhexpansion pope": (("jsonl",), "build vhexpansion --source pope:ODD --images FOLDER --out OUT"),
    "build vhexpansion --failed": (
        ("jsonl",),
        "build vhexpansion --source SPLIT --attack pgd --model nowhere --failed ODD --out OUT",
    ),
    "build vhexpansion --cases": (("txt",), "build vhexpansion --source SPLIT --cases ODD --out OUT"),
    "export sft --split": (("json",), "export sft --split MANIFEST --unchecked --out OUT/rows"),
    "export sft --test": (("json",), "export sft --split SPLIT --test MANIFEST --out OUT/rows"),
    "export sft --run": (("jsonl",), "export sft --split SPLIT --unchecked --run ODD --out OUT/rows"),
    "export sft --weakness": (
        ("jsonl",),
        "export sft --split SPLIT --unchecked --number 2 --weakness ODD --out OUT/rows",
    ),
    "export sft --mix": (("json",), "export sft --split SPLIT --unchecked --mix ODD --out OUT/rows"),
    "export dpo": (("jsonl",), "export dpo --split SPLIT --unchecked --run ODD --out OUT/rows"),
    "export vhexpansion": (("csv",), "export vhexpansion --source table:ODD --out OUT/new"),
    "review --judgments": (("json",), "review SPLIT --judgments ODD -o OUT/verdict.json"),
    "verify --secret": (("txt",), "verify SPLIT --secret ODD"),
    "verify": (("json",), "verify MANIFEST"),
    "preview": (("json",), "preview MANIFEST -o OUT/sheet.png"),
    "review": (("json",), "review MANIFEST -o OUT/page.html"),
    "tasks": (("json",), "tasks MANIFEST --out OUT/tasks"),
    "diff": (("json",), "diff SPLIT MANIFEST"),
    "push": (("json",), "push MANIFEST --repo-id org/ode --version 1.0.0 --dry-run"),
    "yank --pin": (("json",), "yank 1.0.0 --repo-id org/ode --reason wrong --pin ODD"),
    "demo --out": (("json",), "demo --tasks ode --out ODD"),
    "attack-transfer": (("json",), "attack-transfer MANIFEST --model nowhere -o OUT/transfer.json"),
    "leaderboard add": (("json", "parquet"), "leaderboard add ODD --board BOARD --splits SPLIT --name other"),
    "leaderboard check": (("yaml",), "leaderboard check --board RULES --splits SPLIT"),
    "leaderboard build": (("yaml",), "leaderboard build --board ENTRY --splits SPLIT --out OUT/site"),
    "leaderboard export": (("yaml",), "leaderboard export --board ENTRY --splits SPLIT --out OUT/exports"),
    "verify a shard": (("stranger",), "verify SHARD"),
    "diff a shard": (("parquet",), "diff SHARD SPLIT"),
    "verify scenes": (("stranger",), "verify SCENES"),
    "preview scenes": (("parquet",), "preview SCENES --boxes -o OUT/sheet.png"),
}
"""What is read → (what its name may end in, the command; ODD is the file, MANIFEST a split of which it is a part, RULES
a board)."""

FOREIGN = (
    "verify", "diff", "preview", "verify a shard", "diff a shard", "verify scenes", "preview scenes",
    *(name for name in COMMANDS if name.startswith("leaderboard")),
)  # fmt: skip
"""Commands that read what others made: entries of a leaderboard, downloaded splits."""

THOROUGH = ("score", "build vhexpansion table")
"""Commands that are tried with every accident; the others have the same readers."""

RIGHT = {
    ("demo --out", "missing"),
    ("score chair --synonyms", "wrong types"),
    ("score chair --synonyms", "cut"),
}
"""What is odd and yet right: a folder for results; a vocabulary of any words."""


TABLE = [
    pytest.param(command, suffix, what, id=f"{command} - {suffix} - {what}")
    for command, (suffixes, _) in COMMANDS.items()
    for suffix in suffixes
    for what in odd_files.KINDS[suffix]
    if (command in FOREIGN or command in THOROUGH or what in odd_files.FEW) and (command, what) not in RIGHT
]


def test_every_command_is_tried() -> None:
    assert {case.values[0] for case in TABLE} == set(COMMANDS)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    return odd_files.write_all(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what is right: a split, responses, a vocabulary."""
    folder = tmp_path_factory.mktemp("good")
    splits.write_split(folder / "ode", ROWS, benchmark="ode", version="1.0.0", seed=0, config={})
    (folder / "GOOD.jsonl").write_text('{"id": "q0-0", "response": "yes"}\n')
    (folder / "GOLD").write_text('{"1": ["dog"]}')
    (folder / "CAPTIONS").write_text('[{"image_id": 1, "id": 1, "caption": "a dog", "response": "a dog"}]')
    (folder / "WORDS").write_text("dog, puppy\ncat\n")
    edition = boards.of_split(folder / "ode")
    board = boards.Board(folder=folder / "board", title="A board", editions=(edition,))
    boards.write_board(board)
    enter(board, cached_question_index(edition, folder / "ode"), "M", lambda row: "yes")
    return folder


@contextmanager
def bounded(seconds: int = 60, memory: int = 4 << 30) -> Iterator[None]:
    """Let what happens here take a minute of the processor, and so much more memory than there is now."""

    def late(*_: object) -> None:
        raise AssertionError(f"takes more than {seconds} seconds")

    taken = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (taken + memory, before[1]))
    former = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)
        resource.setrlimit(resource.RLIMIT_DATA, before)


@dataclass
class Desk:
    """Where commands are given odd files.

    Attributes:
        good: a folder of what is right; nothing may be written there.
        out: where commands write.
        capture: of both streams.
    """

    good: Path
    out: Path
    capture: pytest.CaptureFixture[str]

    def run(self, command: str, odd: Path) -> tuple[int, str]:
        """Return a command's exit code and what it said, once what it says is bounded and without a traceback."""
        words = [self._word(word, odd) for word in COMMANDS[command][1].split()]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.good)
            patch.setenv("VHBENCH_DATA", str(self.good))
            for name, value in (("argv", ["vhbench", *words]), ("stdout", sys.stdout), ("stderr", sys.stderr)):
                patch.setattr(sys, name, value)
            with bounded(memory=(1 if command in FOREIGN else 4) << 30), pytest.raises(SystemExit) as ended:
                cli.main()
        said, code = "".join(self.capture.readouterr()), int(ended.value.code or 0)
        assert code in (0, 1, 2)
        assert "Traceback" not in said
        if code == 2:
            assert len(said.strip().splitlines()) == 1, said[:3000]
            assert len(said) < 4000
        return code, said

    def refuses(self, command: str, odd: Path) -> None:
        """Assert that a command ends in one line, and that nothing was written."""
        before = listed(self.good), listed(self.out)
        code, said = self.run(command, odd)
        assert code == 2 or len(said.strip().splitlines()) == 1 or "withheld" in said, said[:3000]
        assert code, said[:3000]
        assert (listed(self.good), listed(self.out)) == before

    def _word(self, word: str, odd: Path) -> str:
        if word in PARTS:
            whole, name = PARTS[word]
            return str(with_part(self.out.with_name(f"{self.out.name}-{whole}"), self.good / whole, name, odd))
        places = {"ODD": odd, "OUT": self.out / "out", "SPLIT": self.good / "ode", "FOLDER": self.out}
        places["BOARD"] = self.good / "board"
        for name, place in places.items():
            word = word.replace(name, str(place))
        return word


@pytest.fixture
def desk(good: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Desk:
    return Desk(good, tmp_path, capfd)


@pytest.mark.parametrize(("command", "suffix", "what"), TABLE)
def test_a_file_that_is_not_what_a_command_wants(command: str, suffix: str, what: str, odd: Any, desk: Desk) -> None:
    desk.refuses(command, odd[suffix, what])


def listed(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_dir()}


PARTS = {
    "MANIFEST": ("ode", "manifest.json"),
    "SHARD": ("ode", "a/test-00000-of-00001.parquet"),
    "SCENES": ("ode", "scenes.parquet"),
    "RULES": ("board", "board.yaml"),
    "ENTRY": ("board", "entries/m/ode-1.0.0/entry.yaml"),
}
"""Word of a command → the folder of which the odd file is a part, and its name there."""


def with_part(folder: Path, whole: Path, name: str, odd: Path) -> Path:
    """Return a copy of a split or a board of which a file is an odd one; what lists its hash has that one's."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    (folder / name).unlink(missing_ok=True)
    if odd.is_file() and odd.stat().st_size < 1 << 30:
        shutil.copy(odd, folder / name)
    elif os.path.lexists(odd):
        (folder / name).symlink_to(odd)
    digest = "0" * 64
    with suppress(VhbenchError):
        digest = file_sha256(folder / name)
    if name in (PARTS["SHARD"][1], PARTS["SCENES"][1]):
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"][name] = digest
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def damaged(data: st.DataObject, content: bytes) -> bytes:
    """Return a file in which some bytes are others, most of them near its end, where Parquet has its metadata."""
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(1, len(content)))
        changed[-min(place, len(content))] = data.draw(st.integers(0, 255))
    return bytes(changed)


@settings(max_examples=15, suppress_health_check=list(HealthCheck), database=None)
@given(data=st.data())
def test_a_damaged_shard(data: st.DataObject, desk: Desk) -> None:
    """It may be read all the same, but ends in no traceback."""
    odd = desk.out.parent / f"{desk.out.name}.parquet"
    whole, name = PARTS["SHARD"]
    odd.write_bytes(damaged(data, (desk.good / whole / name).read_bytes()))
    desk.run("verify a shard", odd)
    shutil.rmtree(desk.out / "out", ignore_errors=True)
