"""A task finds its data in three steps, and refuses what is not what it claims to be."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from running import CommandLine

from vhbench import splits
from vhbench.columns import COLUMNS
from vhbench.schema import Question, Record, Row, VhbenchError
from vhbench.splits import checked_rows
from vhbench.tasks import datasets


def picture() -> bytes:
    """Return a small PNG."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    return buffer.getvalue()


QUESTION = Question(
    id="q0",
    images=(picture(),),
    question="Is there a dog in the image?",
    answer="no",
    kind="yes_no",
    benchmark="ode",
    benchmark_version="1.0.0",
    scene_ids=("s0",),
)


CONFIG = "ode_fictional_existence"


def build(root: Path, name: str = "q", rows: int = 2) -> Path:
    """Write a tiny ODE split below a folder."""
    made = [Row(CONFIG, replace(QUESTION, id=f"{name}{i}")) for i in range(rows)]
    splits.write_split(root / "ode", made, benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
    return root / "ode"


def load(name: str, folder: Path) -> Any:
    """Load what a task reads, as lmms-eval does."""
    import datasets as hf

    return hf.load_dataset("parquet", cache_dir=str(folder / "cache"), **getattr(datasets, name))["test"]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("VHBENCH_DATA", raising=False)
    monkeypatch.delenv("VHBENCH_RELEASE", raising=False)
    datasets.resolve.cache_clear()
    yield
    datasets.resolve.cache_clear()


def test_a_local_build_comes_first_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    assert datasets.ode["data_files"] == {"test": [str(folder / CONFIG / "test-00000-of-00001.parquet")]}
    assert set(COLUMNS) - set(datasets.ode["columns"]) == {"images"}
    assert "vhbench: ode 1.0.0 from VHBENCH_DATA" in capsys.readouterr().err


def test_a_folder_without_the_benchmark_is_an_error_that_says_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match=r"expected mioh/manifest\.json; it holds ode"):
        datasets.resolve("mioh")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(VhbenchError, match="it has no built split"):
        datasets.resolve("ode")


def test_a_named_release_is_never_replaced_by_other_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for given in (",", " "):
        monkeypatch.setenv("VHBENCH_RELEASE", given)
        with pytest.raises(VhbenchError, match="expected a release of ode among them, got none"):
            datasets.resolve("ode")
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match="VHBENCH_DATA and VHBENCH_RELEASE are both set"):
        datasets.resolve("ode")


def test_a_truncated_shard_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [shard] = build(tmp_path).glob("*/*.parquet")
    shard.write_bytes(shard.read_bytes()[:-50])
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match=r"test-00000-of-00001\.parquet"):
        datasets.files(CONFIG)


def test_rows_that_do_not_belong_to_the_manifest_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = build(tmp_path / "a")
    other = build(tmp_path / "b", name="other")
    (folder / "manifest.json").write_bytes((other / "manifest.json").read_bytes())
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "a"))
    with pytest.raises(VhbenchError, match="content hash"):
        datasets.resolve("ode")


def test_two_versions_mixed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets as hf

    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    columns = {"benchmark": ["ode", "ode"], "benchmark_version": ["1.0.0", "2.0.0"], "mode": ["", ""]}
    with pytest.raises(VhbenchError, match=r"expected one value, got \['1.0.0', '2.0.0'\]"):
        datasets.select(hf.Dataset.from_dict(columns))


def test_select_keeps_the_rows_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Row(CONFIG, replace(QUESTION, id=f"q{i}", task=task)) for i, task in enumerate("aba")]
    splits.write_split(tmp_path / "ode", made, benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    docs = load(CONFIG, tmp_path)
    assert datasets.select(docs, task="a")["id"][:] == ["q0", "q2"]
    assert datasets.select(docs, task=("a", "b"))["id"][:] == ["q0", "q1", "q2"]
    with pytest.raises(VhbenchError, match=r"expected ode questions with task 'c'; got task: a b"):
        datasets.select(docs, task="c")


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([0], r"ode: expected 2 rows of config 'ode_fictional_existence' in its manifest; 1 were loaded"),
        (
            [0, 1, 1],
            r"ode: expected 2 rows of config 'ode_fictional_existence' in its manifest; 3 were loaded",
        ),
        ([0, 0], r"row 'q0' was loaded with other values than in .*ode; two builds are mixed"),
        ([1, 0], r"row 'q1' was loaded with other values than in .*ode; two builds are mixed"),
    ],
)
def test_other_rows_than_those_of_the_manifest_are_never_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[int], fault: str
) -> None:
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match=fault):
        datasets.select(load(CONFIG, tmp_path).select(rows))


@pytest.mark.parametrize(
    "name",
    [
        f"{CONFIG}/test-00001-of-00009.parquet",
        f"{CONFIG}/README.md",
        f"{CONFIG}/.test-00001-of-00002.parquet",
        f"{CONFIG}/.huggingface.yaml",
        ".huggingface.yaml",
        "more/test-0.parquet",
    ],
)
def test_a_file_beside_the_shards_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    # load_dataset on the folder reads every file in it, and the content hash covers none but the listed ones.
    folder = build(tmp_path)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes((folder / CONFIG / "test-00000-of-00001.parquet").read_bytes())
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match=rf"{name}: is not listed in the manifest, so its content is unchecked"):
        datasets.resolve("ode")


def test_what_file_managers_leave_and_files_beside_the_folders_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build(tmp_path)
    (folder / CONFIG / ".DS_Store").write_bytes(b"x")
    (folder / "notes.txt").write_text("mine")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    assert datasets.select(load(CONFIG, tmp_path))["id"][:] == ["q0", "q1"]


def test_a_task_loads_the_files_of_the_manifest_whatever_else_lies_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build(tmp_path / "a [copy]")
    evil = build(tmp_path / "b", name="evil", rows=9) / CONFIG / "test-00000-of-00001.parquet"
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "a [copy]"))
    datasets.resolve("ode")
    # After the check: what comes later is not loaded either.
    (folder / CONFIG / ".evil.parquet").write_bytes(evil.read_bytes())
    settings = "configs:\n- config_name: default\n  data_files: .evil.parquet\n"
    (folder / CONFIG / ".huggingface.yaml").write_text(settings)
    (folder / ".huggingface.yaml").write_text(settings)
    for name in (CONFIG, "ode"):
        assert load(name, tmp_path)["id"][:] == ["q0", "q1"]


def test_bad_data_ends_a_run_with_one_line_and_an_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # An exception would be retried and swallowed by lmms-eval, which exits with 0 even when every task failed.
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit) as stopped:
        _ = datasets.ode
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_task_that_a_split_lacks_ends_a_run_with_what_there_is_and_how_to_build_it(
    command_line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Through lmms-eval itself: it would try five times to load files that are not there, and exit with 0.
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    done = command_line("vhbench_yes", "ode_random_relation", tmp_path / "results")
    assert done.code == 2, done.err
    assert "Traceback" not in done.err
    assert (
        f"vhbench: task ode_random_relation: expected a config of this name in VHBENCH_DATA at {tmp_path}/ode; got "
        "ode_fictional_existence. Build one with `vhbench build ode --criteria random --levels relation --out OUT` "
        "and set VHBENCH_DATA=OUT\n"
    ) in done.err


def test_a_config_is_resolved_to_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    assert datasets.files("ode_fictional_existence") == [folder / CONFIG / "test-00000-of-00001.parquet"]
    with pytest.raises(AttributeError, match="no attribute 'pope_random'"):
        _ = datasets.pope_random


def test_a_benchmark_without_captions_is_not_to_be_built_again(tmp_path: Path) -> None:
    manifest = replace(splits.read_manifest(build(tmp_path)), benchmark="mioh")
    with pytest.raises(VhbenchError, match="mine: expected a split with captions, got one of mioh, which has none"):
        datasets.vocabulary_of(Path("mine"), manifest)


def test_captions_without_a_vocabulary_are_refused_before_a_model_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vhbench.benchmarks import CAPTIONS
    from vhbench.tasks.report import measure_task

    made = [Row(CONFIG, replace(QUESTION, answer="", kind="caption"))]
    splits.write_split(tmp_path / "ode", made, benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    with pytest.raises(VhbenchError, match=r"ode: expected config\['vocabulary'\] in manifest\.json"):
        datasets.select(load(CONFIG, tmp_path))
    with pytest.raises(VhbenchError, match=r"ode: expected config\['vocabulary'\] in manifest\.json"):
        measure_task([Record("x", kind="caption", benchmark="ode", response="A dog.")], CAPTIONS)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- ode\n", "expected a mapping of benchmarks to names of releases"),
        ("ode: {repo_id: org/name}\n", "expected a mapping of benchmarks to names of releases"),
        ("ode: org/name\n", "release 'org/name': expected hf://ORG/NAME@v1.0.0#sha256:DIGEST"),
        (b"ode: \xff\n", "not UTF-8"),
        (": [\n", "cannot read"),
        ("ode: 2026-99-99\n", "month"),
    ],
)
def test_a_bad_file_of_releases_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes, fault: str
) -> None:
    (tmp_path / "release.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.setattr(datasets, "OWN", tmp_path / "release.yaml")
    with pytest.raises(VhbenchError, match=re.escape(fault)):
        datasets.resolve("ode")


def test_what_a_manifest_says_cannot_command_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(tmp_path / "a\x1b[2J")
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"extra": {}', '"extra": {"yanked": "bad\\u001b]0;x\\u0007"}'))
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "a\x1b[2J"))
    monkeypatch.setenv("VHBENCH_ALLOW_YANKED", "1")
    datasets.resolve("ode")
    said = capsys.readouterr().err
    assert "bad\\x1b]0;x\\x07" in said
    assert "\x1b" not in said
    assert said.count("\n") == 2


def test_rows_of_a_former_build_from_the_cache_of_datasets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    for answer in ("no", "yes"):  # the ids, the sizes and the times are the same
        made = [Row(CONFIG, replace(QUESTION, answer=answer, objects=("dog", "cat")))]
        shutil.rmtree(tmp_path / "ode", ignore_errors=True)
        splits.write_split(tmp_path / "ode", made, benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
        for file in tmp_path.rglob("*.parquet"):
            os.utime(file, (1, 1))
        datasets.resolve.cache_clear()
        docs = load(CONFIG, tmp_path)
        assert docs["answer"][:] == ["no"], "datasets took the former rows: the case that is meant"
        if answer == "no":
            assert len(datasets.select(docs, kind="yes_no")) == 1
    with pytest.raises(VhbenchError, match="row 'q0' was loaded with other values than in"):
        datasets.select(docs, kind="yes_no")


def inverted(root: Path, colour: str = "red") -> Path:
    """Write the same questions with the opposite answers, or other images, into a folder."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    answer = "yes" if colour == "red" else "no"
    made = [Row(CONFIG, replace(QUESTION, id=f"q{i}", answer=answer, images=(buffer.getvalue(),))) for i in range(2)]
    splits.write_split(root / "ode", made, benchmark="ode", version="1.0.0", seed=0, config={})
    return root / "ode"


def replaced(split: Path, other: Path) -> None:
    [shard], [new] = split.glob("*/*.parquet"), other.glob("*/*.parquet")
    shutil.copy(new, shard.with_suffix(".new"))
    shard.with_suffix(".new").replace(shard)


def rewritten(split: Path, other: Path) -> None:
    [shard], [new] = split.glob("*/*.parquet"), other.glob("*/*.parquet")
    about = shard.stat()
    shard.write_bytes(new.read_bytes())
    os.utime(shard, ns=(about.st_atime_ns, about.st_mtime_ns))


def built(split: Path, other: Path) -> None:
    inverted(split.parent, "red" if "red" in other.parent.name else "blue")


@pytest.mark.parametrize("change", [replaced, rewritten, built])
def test_answers_that_change_between_check_and_use_are_never_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], None]
) -> None:
    split, other = build(tmp_path / "data"), inverted(tmp_path / "red")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "data"))
    datasets.resolve("ode")
    change(split, other)
    docs = load(CONFIG, tmp_path)
    assert docs["answer"][:] == ["yes", "yes"], "the race: `datasets` reads what the check did not"
    with pytest.raises(VhbenchError, match="row 'q0' was loaded with other values than in"):
        datasets.select(docs)


@pytest.mark.parametrize("change", [replaced, rewritten, built])
def test_images_that_change_during_a_run_are_never_shown_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], None]
) -> None:
    split, other = build(tmp_path / "data"), inverted(tmp_path / "blue", "blue")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "data"))
    docs = datasets.select(load(CONFIG, tmp_path))
    assert docs[0]["images"][0].getpixel((0, 0)) == (255, 0, 0)
    checked_rows._read_images.cache_clear()
    change(split, other)
    with pytest.raises(SystemExit), capsys_line("has other images than when it was built"):
        list(docs[1]["images"])


@contextmanager
def capsys_line(text: str) -> Iterator[None]:
    """Assert that a line with this text is printed on stderr."""
    with redirect_stderr(io.StringIO()) as printed:
        try:
            yield
        finally:
            assert text in printed.getvalue()


def test_a_cache_of_datasets_that_changes_during_a_run_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    docs = datasets.select(load(CONFIG, tmp_path))
    [arrow] = (Path(file["filename"]) for file in docs.cache_files)
    data = arrow.read_bytes()
    place = data.index(b"Is there a dog in the image?")
    with arrow.open("r+b") as file:  # the file that is mapped into memory
        file.seek(place)
        file.write(b"Is there a cow")
    with pytest.raises(SystemExit), capsys_line("was loaded with other values than in"):
        docs[:]


def test_rows_are_compared_once_for_a_cache_of_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "vhbench"))
    compared: list[str] = []
    whole = splits.CheckedRows.check
    monkeypatch.setattr(
        splits.CheckedRows,
        "check",
        lambda self, rows, places: whole(self, (compared.append(row["id"]) or row for row in rows), places),
    )
    for ids in (["q0", "q1"], []):
        compared.clear()
        datasets.resolve.cache_clear()
        assert len(datasets.select(load(CONFIG, tmp_path))) == 2
        assert compared == ids


def test_a_path_that_datasets_would_take_apart_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "a::b")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "a::b"))
    with pytest.raises(
        VhbenchError, match="expected a path without '::', which `datasets` takes for an archive; rename it"
    ):
        datasets._loaded("ode")


# A rank: it waits until all have started, loads the task, and reports how many rows it compared. One that
# compares stays there, which a file reports, until it is killed.
RANK = f"""
import json, os, sys, time
from pathlib import Path
import datasets as hf
from vhbench import splits
from vhbench.tasks import datasets

folder, rank, compared = Path(sys.argv[1]), os.environ["RANK"], []
check = splits.CheckedRows.check

def counted(self, rows, indices):
    rows = list(rows)
    compared.extend(rows)
    if not (folder / "killed").exists():
        (folder / f"comparing.{{rank}}").touch()
        time.sleep(600)
    return check(self, rows, indices)

splits.CheckedRows.check = counted
(folder / f"ready.{{rank}}").touch()
while not (folder / "go").exists():
    time.sleep(0.01)
loaded = hf.load_dataset("parquet", **datasets.{CONFIG})["test"]
print(json.dumps([len(datasets.or_exit(datasets.select, loaded)), len(compared)]))
"""


def start(folder: Path, ranks: int) -> "list[subprocess.Popen[str]]":
    """Start the ranks of a run together."""
    variables = os.environ | {"HF_HOME": str(folder / "hf"), "VHBENCH_CACHE": str(folder / "vhbench")}
    variables |= {"VHBENCH_DATA": str(folder / "data"), "WORLD_SIZE": str(ranks)}
    for name in ("VHBENCH_RELEASE", "HF_DATASETS_CACHE"):
        variables.pop(name, None)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RANK, folder],
            env=variables | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(ranks)
    ]
    wait(lambda: all((folder / f"ready.{rank}").exists() for rank in range(ranks)))
    (folder / "go").touch()
    return processes


def wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
def test_one_rank_compares_the_rows_for_all_and_another_takes_over_if_it_is_killed(tmp_path: Path) -> None:
    build(tmp_path / "data", rows=5)
    ranks = start(tmp_path, 3)
    wait(lambda: bool(list(tmp_path.glob("comparing.*"))))
    [held] = (int(file.suffix[1:]) for file in tmp_path.glob("comparing.*"))
    time.sleep(0.5)
    assert [rank.poll() for rank in ranks] == [None] * 3, "the others wait for it"
    (tmp_path / "killed").touch()
    ranks[held].kill()
    told = [json.loads(rank.communicate(timeout=120)[0]) for rank in ranks if rank is not ranks[held]]
    assert sorted(told) == [[5, 0], [5, 5]]
    ranks[held].communicate()
