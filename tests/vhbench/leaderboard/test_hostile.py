"""A table of hostile submissions, each with the reason for which it is refused."""

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import odd_files
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from board_entries import enter
from logged_run import write_run
from toy_build import ToyBuild

from vhbench import splits
from vhbench.leaderboard import boards, names, validating
from vhbench.leaderboard.boards import Board, Rules
from vhbench.leaderboard.entries import ModelInfo, StoredEntry, entries, parameters, stored
from vhbench.leaderboard.packed_answers import PackedAnswer, pack
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index
from vhbench.leaderboard.reproduction import TIERS
from vhbench.leaderboard.submitting import read_run_for, submit
from vhbench.leaderboard.validating import check_entry
from vhbench.schema import Row, VhbenchError

INVISIBLE, ALIKE, RESERVED = "without invisible characters", "look like others", "is reserved for baselines"
CONTROL, VERDICT = "without control characters", "without a verdict or rank of the board"

NAMES = {
    # reserved for baselines, in any spelling that looks the same
    "Oracle": RESERVED, "oracle": RESERVED, "ORACLE": RESERVED, "Blind": RESERVED, "Always yes": RESERVED,
    "always  yes": RESERVED, "Coin": RESERVED, "Chance": RESERVED, "Text-only baseline": RESERVED,
    "One image": RESERVED, "vhbench_oracle": RESERVED, "VHBench coin": RESERVED, "vhbench": RESERVED, "ОRАСLЕ": ALIKE,
    # letters of other writing systems that look Latin
    "Оracle": ALIKE, "GРT-9": ALIKE, "Qwеn 3": ALIKE, "Cоin": ALIKE, "LLаVA": ALIKE, "ΑLPHA-VL": ALIKE,
    "Geminі 9": ALIKE, "Ｑwen-VL": ALIKE, "ﬁne-VL": ALIKE, "GPT‑9": ALIKE, "Yi‐VL": ALIKE, "Ωmega-VL": ALIKE,
    "Claude Ορus": ALIKE, "𝐆𝐏𝐓-9": ALIKE, "ℚwen": ALIKE, "Mіstral": ALIKE, "Phі-5": ALIKE,
    # invisible characters and orders of reading
    "": "expected a model name", "   ": "expected a model name", "GPT-9 ": "without spaces around it",
    " GPT-9": "without spaces around it", "\u200b": INVISIBLE, "GPT\u200b-9": INVISIBLE, "GPT\u200d-9": INVISIBLE,
    "GPT\u2060-9": INVISIBLE, "GPT\u00ad-9": INVISIBLE, "GPT\ufeff-9": INVISIBLE, "GPT-9\u202e": "expected",
    "GPT-9\u2066": "expected", "GPT-9\ufe0f": INVISIBLE, "GPT-9\U000e0041": INVISIBLE, "GPT-9\ue000": INVISIBLE,
    "GPT-9\u0378": INVISIBLE, "GPT-9\u3164": ALIKE, "GPT-9\u2800": ALIKE, "GPT\u00a0-9": "expected",
    "GPT\u2003-9": "expected",
    # marks that cover other text, and other spellings of the same
    "GPT\u0301\u0302\u0303-9": ALIKE, "GPT-9\u20dd": ALIKE, "Cafe\u0301-VL": ALIKE, "Z\u0335\u0336A": ALIKE,
    # lines and control characters
    "GPT\n-9": CONTROL, "GPT\r-9": CONTROL, "GPT\t-9": CONTROL, "GPT\x1b[2J": CONTROL, "GPT\0": CONTROL,
    "GPT\u2028": "expected", "GPT\x7f": CONTROL, "x" * 81: "at most 80",
    # reserved names with accents, spaces, signs and digits
    "Orácle": RESERVED, "Öracle": RESERVED, "O racle": RESERVED, "O r a c l e": RESERVED, "Ora-cle": RESERVED,
    "Oracle.": RESERVED, "*Oracle*": RESERVED, "Oracle®": RESERVED, "0racle": RESERVED, "Orac1e": RESERVED,
    "OracIe": RESERVED, "Òŕáćĺé": RESERVED, "Always_yes": RESERVED, "Alwaysyes": RESERVED, "blínd": RESERVED,
    "B1ind": RESERVED, "Text only baseline": RESERVED, "one-image": RESERVED, "vh-bench": RESERVED, "C0IN": RESERVED,
    "v h b e n c h": RESERVED, "Øracle": ALIKE, "𐓂racle": ALIKE, "ѵhbench": ALIKE,
    # dashes, digits and joiners that look like others, or like nothing
    "GPT—9": ALIKE, "GPT–9": ALIKE, "GPT−9": ALIKE, "GPT-９": ALIKE, "GPT-⁹": ALIKE, "GPT-٩": ALIKE,
    "GPT-9\u034f": ALIKE, "GPT-9\u0640": ALIKE, "GPT-9\u115f": ALIKE, "GPT-9\u180e": INVISIBLE, "גPT": ALIKE,
    # the board's own verdicts
    "GPT-9 (reproduced)": VERDICT, "GPT-9 ✓": VERDICT, "GPT-9 ✅": VERDICT, "Verified GPT-9": VERDICT,
    "Vérified GPT-9": VERDICT, "Ver1fied GPT-9": VERDICT, "GPT-9-verified": VERDICT, "GPT-9_Verified": VERDICT,
    "verified": VERDICT, "GPT-9 verified-by-us": VERDICT, "GPT-9 🗸": VERDICT, "GPT-9 🗹": VERDICT, "GPT-9 √": VERDICT,
    "GPT-9 🥇": VERDICT, "🏆 GPT-9": VERDICT, **{f"GPT-9 [{tier.upper()}]": VERDICT for tier in TIERS},
    # references that other boards have, and names that say no more than that
    "The Oracle": RESERVED, "an oracle": RESERVED, "Our Oracle model": RESERVED, "Oracle 2": RESERVED,
    "Oracle v2.1": RESERVED, "Coin2": RESERVED, "Oracle (baseline)": RESERVED, "Chance level": RESERVED,
    "chance-level performance": RESERVED, "Random": RESERVED, "Rand0m": RESERVED, "Random guessing": RESERVED,
    "Human": RESERVED, "Humans": RESERVED, "Human-level": RESERVED, "Average human": RESERVED, "People": RESERVED,
    "Oracle (ours)": RESERVED, "Model Oracle": RESERVED, "Oracle large": RESERVED, "Random choice": RESERVED,
    "Coin flip": RESERVED, "Human expert": RESERVED, "Majority vote": RESERVED, "Text only": RESERVED, "GT": RESERVED,
    "Perfect": RESERVED, "GPT\u2800-9": ALIKE, "GPT\u1160-9": ALIKE, "\u2800": ALIKE, "\u1160": ALIKE,
    "GPT-9 \U0001f451": VERDICT, "GPT-9 (Re-produced)": VERDICT, "GPT-9 provenance-complete": VERDICT,
    "Majority": RESERVED, "Always no": RESERVED, "Ground truth": RESERVED, "The vhbench oracle": RESERVED,
    "Gold": RESERVED, "Gold-standard answers": RESERVED, "Answer key": RESERVED, "Reference answers": RESERVED,
    "Upper bound": RESERVED, "Our baseline": RESERVED, "Majority class": RESERVED, "Constant yes": RESERVED,
    "All yes": RESERVED, "Always A": RESERVED, "Human annotators": RESERVED, "Expert humans": RESERVED,
    "Oracle II": RESERVED, "Oracle (III)": RESERVED, "Oracle IV.": RESERVED,
    # claims of a rank
    "#1 GPT-9": VERDICT, "GPT-9 #1": VERDICT, "GPT-9 # 1": VERDICT, "No. 1": VERDICT, "GPT-9 (no.1)": VERDICT,
    "Number One": VERDICT, "Winner": VERDICT, "W1nner": VERDICT, "The winner": VERDICT, "GPT-9, winner 2026": VERDICT,
    "GPT-9 – SOTA": ALIKE, "GPT-9 - S0TA": VERDICT, "State-of-the-art model": VERDICT, "GPT-9 1st place": VERDICT,
    "GPT-9 First-Place": VERDICT, "Champion": VERDICT, "Best model": VERDICT, "GPT-9 ranked first": VERDICT,
    "Certified GPT-9": VERDICT, "v e r i f i e d GPT-9": VERDICT, "GPT-9 [re-pro-duced]": VERDICT,
    "GPT-9 V.E.R.I.F.I.E.D": VERDICT, "Nr. 1": VERDICT, "Top-1": VERDICT, "★★★ GPT-9": VERDICT, "GPT-9 ⭐": VERDICT,
    "Leader": VERDICT, "GPT-9 (confirmed)": VERDICT, "Oracle (human)": RESERVED,
    # one writing system whose letters all look Latin, other Latin letters, letters and numbers as pictures, lines
    "ɢᴘᴛ-9": ALIKE, "ꓖꓑꓔ-9": ALIKE, "ɡemini": ALIKE, "ɑlpha-VL": ALIKE, "сосоа": ALIKE, "ɢPT-9": ALIKE,
    "🅖🅟🅣-9": ALIKE, "🅶🅿🆃-9": ALIKE, "🇬🇵🇹-9": ALIKE, "GPT-9 ❶": ALIKE, "GPT-❾": ALIKE, "G\u0335PT-9": ALIKE,
    "GPT-9\u0332": ALIKE,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_misleading_name_is_refused(name: str) -> None:
    with pytest.raises(VhbenchError, match=re.escape(NAMES[name])):
        ModelInfo(name=name).check()


@pytest.mark.parametrize(
    "name",
    ["GPT-9", "Qwen2.5-VL 3B", "通义千问 7B", "Qwen 通义", "Оракул", "Café-VL", "ルビー 2", "Llama-3.2 (11B), v2/fp16+",
     "Oracle that slips", "Coinbase-VL", "😀 model", "Verified-VL", "Verified-VL 7B", "Reproduced-LLaVA",
     "Unverified-1B", "Oracle-VL", "The Oracle of Delphi", "Human-VL 7B", "Humane", "Random-VL", "Chancellor 3",
     "RandomForest-VL", "Blindspot 1B", "Coin-LM", "Square Root VL", "People's VL",
     "Perfect-VL", "Oracle-VL large", "GT-VL 7B", "Coinflipper 2", "Textonly-VL", "Crown-VL",
     "Gold-VL 3B", "Golden Gate 2", "Baseline-VL", "Reference-VL II", "Upper Bound Labs VL", "Claude IV", "V-JEPA",
     "Winner-VL 7B", "Champion-1", "Winnergrad 2", "LoRA rank 1", "GPT-9 no-1x", "Sotalol VL", "GPT-9 #12", "Noel 1B",
     "Leader-VL", "Starling 7B", "GPT-9 top 10", "Leaderless VL", "Oracle human hybrid",
     "π0", "straße", "λ-VL", "Яндекс", "İstanbul-VL", "Å-VL", "한국어 VL", "हिन्दी VL"],
)  # fmt: skip
def test_an_honest_name_is_taken(name: str) -> None:
    ModelInfo(name=name).check()
    ModelInfo(name="Oracle", reference="all reference answers").check()


FIELDS: list[tuple[str, Any, str]] = [
    ("organisation", "OpenАI", ALIKE),
    ("organisation", "Lab\u200b", INVISIBLE),
    ("organisation", "Lab\x1b[31m", CONTROL),
    ("organisation", "x" * 81, "at most 80"),
    ("organisation", ["Lab"], "organisation"),
    ("note", "x" * 401, "at most 400"),
    ("note", "two\nlines", "one line"),
    ("note", {"a": 1}, "note"),
    ("reference", "x" * 81, "at most 80"),
    ("submitter", "a\x00b", "one line"),
    ("url", "javascript:alert(1)", "expected a URL"),
    ("url", "data:text/html,x", "expected a URL"),
    ("url", "file:///etc/passwd", "expected a URL"),
    ("url", "//evil.example", "expected a URL"),
    ("url", "https://x.example/ onmouseover=alert(1)", "expected a URL"),
    ("url", "https://x.example/\"onload='a'", "expected a URL"),
    ("url", "https://" + "x" * 600, "expected a URL"),
    ("url", "JaVaScRiPt:alert(1)", "expected a URL"),
    ("url", "https://openai.com@evil.example", "expected a URL"),
    ("url", "https://аррӏе.com", "expected a URL"),
    ("url", "http:///x", "expected a URL"),
    ("url", "https://x.example/\u202e", "one line"),
    ("date", "2999-01-01", "until today"),
    ("date", "2026-01-01T00:00", "expected a date"),
    ("date", "2026-02-31", "expected a date"),
    ("date", "0000-01-01", "expected a date"),
    ("date", "２０２６-01-01", "expected a date"),
    ("date", "yesterday", "expected a date"),
    ("date", 20260101, "date"),
    ("parameters", 10**15 + 1, "parameters"),
    ("parameters", -1, "parameters"),
    ("parameters", "7B", "parameters"),
    ("parameters", float("inf"), "parameters"),
    ("open_weights", "perhaps", "open_weights"),
    ("benchmark", "../../etc", "expected an entry for"),
    ("benchmark", "mioh", "expected an entry for"),
    ("version", "1.0.1", "expected an entry for"),
    ("task", "ode_fictional", "expected an entry for"),
    ("content_hash", "0" * 64, "another split"),
    ("content_hash", None, "content_hash"),
    ("answers", "0" * 64, "expected SHA-256"),
    ("repeats", 2, "expected 96 responses"),
    ("repeats", 0, "repeats"),
    ("repeats", 10**9, "repeats"),
    ("repeats", 1.5, "repeats"),
    ("scores", {}, "claims no"),
    ("scores", {"yes_no": {"accuracy": 100.0}}, "claims"),
    ("scores", {"yes_no": {"accuracy": None}}, "claims"),
    ("scores", {"made_up": {"accuracy": 100.0}}, "claims"),
    ("scores", {"yes_no": {"accuracy": "nan"}}, "scores"),
    ("scores", [1], "scores"),
    ("provenance", [{"task": "ode"}], "provenance"),
    ("provenance", "none", "provenance"),
    ("format", "vhbench-entry-2", "expected format"),
    ("provenance", [{}], "provenance"),
    ("provenance", None, "provenance"),
    ("parameters", 10**400, "parameters"),
    ("parameters", True, "parameters"),
    ("repeats", True, "repeats"),
    ("answers", "A" * 64, "expected SHA-256"),
    ("scorer", ["1.0"], "scorer"),
    ("name", "Fjord 2", "expected the entry of"),
    ("name", "Oracle", RESERVED),
    ("scorer", "=HYPERLINK(1)", "expected a version of vhbench"),
    ("scorer", "x" * 100, "expected a version of vhbench"),
    ("scorer", "0.1\n", "expected a version of vhbench"),
    ("name", ["Fjord"], "name"),
    ("verdict", "reproduced", "expected fields"),
    ("reproduced", True, "expected fields"),
    ("scores", {"yes_no": {"accuracy": float("nan")}}, "claims"),
    ("scores", {"yes_no": {"accuracy": float("inf")}}, "claims"),
    ("scores", {"yes_no": {"accuracy": 10**400}}, "claims"),
    ("rank", 1, "expected fields"),
    ("tier", "reproduced", "expected fields"),
    ("__proto__", {}, "expected fields"),
    ("note", "a\u200bb", INVISIBLE),
    ("note", "ask the reader\U000e0041", INVISIBLE),
    ("url", "https://x.example/\u200b", INVISIBLE),
    ("reference", "reproduced", VERDICT),
    ("reference", "\u200b", INVISIBLE),
    ("submitter", "octo\u200bcat", INVISIBLE),
    ("submitter", "\u212aate", ALIKE),
    ("organisation", "Verified Labs", VERDICT),
    ("organisation", "Reproduced by the board", VERDICT),
    ("url", "https://x.example%40evil.example", "expected a URL"),
    ("url", "https://x.example\\@evil.example", "expected a URL"),
    ("url", "https://x.exam\tple/", "expected a URL"),
    ("url", "https:x.example", "expected a URL"),
    ("date", "2026-W01-1", "expected a date"),
    ("date", " 2026-01-01", "expected a date"),
    ("answers", 0, "answers"),
    ("repeats", "1", "repeats"),
    ("format", ["vhbench-entry-1"], "expected format"),
    ("benchmark", "ODE", "expected an entry for"),
    ("version", "v2.0.0", "expected an entry for"),
    ("scores", {"yes_no": {"accuracy": True}}, "scores"),
    ("scores", {"\x1b[2J": {}}, "claims"),
    ("open_weights", 1, "open_weights"),
    ("parameters", 7e9, "parameters"),
    ("folder", "/etc", "expected fields"),
]
"""Field of entry.yaml, its value, and the reason."""

TEXTS: list[tuple[Callable[[str], str], str]] = [
    (lambda text: "", "expected a mapping"),
    (lambda text: "- a\n", "expected a mapping"),
    (lambda text: "x: [", "not YAML"),
    (lambda text: text + "note: &a [x]\nurl: *a\n", "no YAML alias"),
    (lambda text: text + "note: !!python/object/apply:os.system [id]\n", "not YAML"),
    (lambda text: text + "note: !!python/name:os.system\n", "not YAML"),
    (lambda text: text + "note: !unknown x\n", "not YAML"),
    (lambda text: text + "note: " + "[" * 5000, "not YAML"),
    (lambda text: text + "note: '" + "x" * (1 << 20) + "'\n", "has 1 MiB"),
    (lambda text: text + "note: [" + "[]," * (1 << 16) + "]\n", "at most"),
    (lambda text: text + "note: \x00\n", "not YAML"),
    (lambda text: text + "name: Oracle\n", "'name' occurs twice"),
    (lambda text: text + "name: Fjord\n", "'name' occurs twice"),
    (lambda text: text + "scores: {}\n", "'scores' occurs twice"),
    (lambda text: text.replace("yes_no:", "yes_no: {accuracy: 1.0}\n  yes_no:"), "'yes_no' occurs twice"),
    (lambda text: text + "<<: {tier: reproduced}\n", "expected fields"),
    (lambda text: text + "---\nformat: vhbench-entry-1\n", "not YAML"),
    (lambda text: text + "note: !!binary aGk=\n", "note"),
    (lambda text: text + "note: !!set {a, b}\n", "note"),
    (lambda text: text + "? [a, b]\n: c\n", "not YAML"),
    (lambda text: text + "1: c\n", "expected fields"),
    (lambda text: "%YAML 9.9\n---\n" + text, "not YAML"),
]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> StoredEntry:
    """A valid entry for 48 questions."""
    folder = tmp_path_factory.mktemp("toy")
    rows = [item for shard in range(6) for item in ToyBuild(rows=8).make(shard) if isinstance(item, Row)]
    rows = [replace(row, question=replace(row.question, answer="yes" if n % 3 else "no")) for n, row in enumerate(rows)]
    splits.write_split(folder / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(folder / "ode")
    board = Board(folder=folder / "board", title="A board", editions=(edition,))
    boards.write_board(board)
    enter(board, cached_question_index(edition, folder / "ode"), "Fjord", lambda row: "yes" if hash_of(row) else "no")
    return stored(board, "fjord", edition)


def hash_of(row: Any) -> int:
    return sha256(row["id"].encode()).digest()[0] % 2


def checked(toy: StoredEntry, folder: Path, text: str | None = None, answers: bytes | None = None) -> str:
    """Return the reasons against an entry with another file."""
    place = StoredEntry("fjord", toy.edition, folder / "entries/fjord" / toy.edition.name)
    place.folder.mkdir(parents=True)
    (place.folder / "entry.yaml").write_text(text or (toy.folder / "entry.yaml").read_text(), encoding="utf-8")
    (place.folder / "answers.parquet").write_bytes(answers or (toy.folder / "answers.parquet").read_bytes())
    return "\n".join(check_entry(place, toy.folder.parents[3] / "ode", Rules(), keep=False).reasons)


def test_the_entry_of_the_table_is_valid(toy: StoredEntry, tmp_path: Path) -> None:
    assert checked(toy, tmp_path) == ""


@pytest.mark.parametrize(("field", "value", "told"), FIELDS)
def test_a_hostile_field_is_refused(toy: StoredEntry, tmp_path: Path, field: str, value: Any, told: str) -> None:
    data = yaml.safe_load((toy.folder / "entry.yaml").read_text())
    data[field] = value
    reasons = checked(toy, tmp_path, yaml.safe_dump(data, allow_unicode=True))
    assert told in reasons
    assert "\x1b" not in reasons


def test_line_ends_and_a_byte_order_mark_do_not_matter(toy: StoredEntry, tmp_path: Path) -> None:
    text = (toy.folder / "entry.yaml").read_text()
    for number, odd in enumerate((text.replace("\n", "\r\n"), "\ufeff" + text)):
        assert checked(toy, tmp_path / str(number), odd) == ""
    (tmp_path / "entry.yaml").write_bytes(text.encode("utf-16"))  # binary for those who review the request
    with pytest.raises(VhbenchError, match="not YAML"):
        boards.read_yaml(tmp_path / "entry.yaml")


@pytest.mark.parametrize(("change", "told"), TEXTS)
def test_a_hostile_file_is_refused(toy: StoredEntry, tmp_path: Path, change: Callable[[str], str], told: str) -> None:
    text = change((toy.folder / "entry.yaml").read_text())
    assert told in checked(toy, tmp_path, text or "\n")


ANSWERS: list[tuple[Callable[[], bytes], str]] = [
    (lambda: pack([PackedAnswer("yes")] * 47), "expected 48 responses, got 47"),
    (lambda: pack([PackedAnswer("yes")] * 49), "expected 48 responses, got 49"),
    (lambda: pack([]), "expected 48 responses"),
    (lambda: b"PAR1" + b"\0" * 100 + b"PAR1", "not a readable Parquet file"),
    (lambda: b"x", "not a readable Parquet file"),
    (lambda: _table(response=pa.array(["yes"] * 47 + [None])), "holds a null"),
    (lambda: _table(response=pa.array([1] * 48)), "expected a text column"),
    (lambda: _table(response=pa.array([b"yes"] * 48)), "expected a text column"),
    (lambda: _table(answer=pa.array(["yes"] * 48)), "expected a text column"),
    (lambda: _table(response=pa.array(["yes"] * 48), id=pa.array(["a"] * 48)), "expected a text column"),
    (lambda: _table(response=pa.array(["x" * (1 << 21)] + ["no"] * 47)), "has a text of 2,097,152 characters"),
    (lambda: _table(response=pa.array([b"\xff"] * 48, pa.binary()).view(pa.string())), "not UTF-8"),
    (lambda: _table(response=pa.array([["yes"]] * 48)), "expected a text column"),
    (lambda: _table(response=pa.array([{"a": "yes"}] * 48)), "expected a text column"),
    (lambda: _table(response=pa.array([None] * 48, pa.string())), "holds a null"),
    (lambda: _table(response=pa.nulls(48)), "expected a text column"),
    (lambda: _table(Response=pa.array(["yes"] * 48)), "expected a text column"),
    (lambda: _lengths(pa.array([1.5] * 48), [False] * 48), "expected a text column"),
    (lambda: _lengths(pa.array([1] * 48), [False] * 48), "expected a text column"),
    (lambda: _lengths(pa.array([-1] * 48, pa.int32()), [False] * 48), "token counts of at least 0"),
    (lambda: _lengths(pa.array([1] * 48, pa.int32()), [False] * 47 + [None]), "token counts of at least 0"),
    (lambda: _lengths(pa.array([2**31 - 1] * 48, pa.int32()), [False] * 48), "at most 1,048,576"),
    (lambda: _table(response=pa.array(["yes"] * 48), __index_level_0__=pa.array(range(48))), "expected a text column"),
    (lambda: _table(response=pa.array(["yes"] * 48, pa.large_string())), "expected a text column"),
    (lambda: _table(response=pa.array(["yes"] * 48).dictionary_encode()), "expected a text column"),
    (lambda: _table(response=pa.array(["1"] * 48, pa.json_())), "expected a text column"),
    (lambda: _with_a_long_footer(), "expected a footer of at most 256 kB"),
    (lambda: b"PARE" + b"\0" * 20 + b"\4\0\0\0PARE", "not a readable Parquet file"),
    (lambda: b"PAR1" + b"\0" * 20 + b"\xff\xff\xff\x7fPAR1", "not a readable Parquet file"),
    (lambda: _table(response=pa.array(["yes"] * 48), tokens=pa.array([1] * 48, pa.int32())), "expected a text column"),
    (lambda: _table(response=pa.array(["yes"] * 48))[:-40], "not a readable Parquet file"),
    (lambda: _table(response=pa.array(["yes"] * 48))[:-4] + b"PARE", "not a readable Parquet file"),
    (lambda: _table(response=pa.array(["\U0001f600" * (1 << 20)] * 48)), "at most 160 MiB unpacked"),
]


def _lengths(tokens: pa.Array, cut_off: list[bool | None]) -> bytes:
    return _table(response=pa.array(["yes"] * 48), tokens=tokens, cut_off=pa.array(cut_off))


def _with_a_long_footer() -> bytes:
    out = pa.BufferOutputStream()
    table = pa.table({"response": ["yes"] * 48}).replace_schema_metadata({b"junk": b"x" * (1 << 18)})
    pq.write_table(table, out)
    return bytes(out.getvalue())


def _table(**columns: pa.Array) -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), out)
    return bytes(out.getvalue())


@pytest.mark.parametrize(("answers", "told"), ANSWERS)
def test_hostile_answers_are_refused(toy: StoredEntry, tmp_path: Path, answers: Callable[[], bytes], told: str) -> None:
    text, data = (toy.folder / "entry.yaml").read_text(), answers()
    text = re.sub("(?m)^answers: .*", f"answers: {sha256(data).hexdigest()}", text)
    assert told in checked(toy, tmp_path, text, data)


def test_a_copy_of_a_baseline_is_none_but_a_reference(toy: StoredEntry, tmp_path: Path) -> None:
    asked = cached_question_index(toy.edition, toy.folder.parents[3] / "ode")
    board = Board(folder=tmp_path, title="A board", editions=(toy.edition,))
    for say, name in ((lambda row: row["answer"].upper(), "Oracle"), (lambda row: "Yes.", "Always yes")):
        with pytest.raises(AssertionError, match=f"predictions equal those of the baseline {name}"):
            enter(board, asked, "GPT-9", say)
        enter(board, asked, f"GPT-9 {name}", say, reference="a copy")


FOLDERS: list[tuple[Callable[[Path], object], str]] = [
    (lambda root: (root / "entries").symlink_to("/etc"), "entries: expected a folder, got a link or a file"),
    (lambda root: (root / "entries").write_text("x"), "entries: expected a folder, got a link or a file"),
    (lambda root: _made(root / "entries/UPPER"), "'UPPER': expected a model's folder"),
    (lambda root: _made(root / "entries/..x"), "'..x': expected a model's folder"),
    (lambda root: (_made(root / "entries") / "link").symlink_to("/etc"), "'link': expected a model's folder"),
    (lambda root: _made(root / "entries/a/ode-9.9.9"), "expected an edition of the board"),
    (lambda root: _made(root / "entries/a/../a/x"), "expected an edition of the board"),
    (lambda root: (_made(root / "entries/a") / "ode-2.0.0").symlink_to("/etc"), "expected an edition of the board"),
    (lambda root: (_made(root / "entries/a/ode-2.0.0") / "evil.html").write_text("x"), "unexpected file 'evil.html'"),
    (lambda root: _made(root / "entries/a/ode-2.0.0/deep"), "unexpected file 'deep'"),
    (lambda root: (_made(root / "entries/a/ode-2.0.0") / "entry.yaml").symlink_to("/etc/passwd"), "unexpected file"),
    (lambda root: (_made(root / "entries/a/ode-2.0.0") / "reproduction.yaml").write_text("x"), "unexpected file"),
]  # fmt: skip


def _made(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize(("make", "told"), FOLDERS)
def test_a_hostile_folder_is_refused(
    toy: StoredEntry, tmp_path: Path, make: Callable[[Path], object], told: str
) -> None:
    make(tmp_path)
    _, strays = entries(Board(folder=tmp_path, title="A board", editions=(toy.edition,)))
    assert told in "\n".join(line for _, line in strays)


PROVENANCE: list[tuple[dict[str, Any], str]] = [
    ({"model": "vhbench_oracle"}, "its responses come from the baseline 'vhbench_oracle'"),
    ({"model": "VHBENCH_oracle"}, "its responses come from the baseline 'VHBENCH_oracle'"),
    ({"model": " vhbench_oracle"}, "its responses come from the baseline ' vhbench_oracle'"),
    ({"model": ""}, "does not record model"),
    ({"generation": {"do_sample": False}}, "does not record temperature"),
    ({"generation": {"temperature": 0.7}}, "expected temperature 0, got 0.7"),
    ({"generation": {"temperature": False}}, "expected temperature 0, got False"),
    ({"generation": {}}, "does not record temperature"),
    ({"generation": {"temperature": 0, "until": "x,do_sample=True"}}, "expected a generation setting without any of"),
    ({"generation": {"temperature": 0, "top_k=1,seed": 1}}, "expected a generation setting without any of"),
    ({"generation": {"temperature": 0, "until": "'"}}, "expected a generation setting without any of"),
    ({"prompts": "0" * 64}, "prompts differ"),
    ({"prompt_form": "chat"}, "prompts differ"),
    ({"content_hash": "0" * 64}, "another split"),
    ({"task": "mioh_selective"}, "evaluated"),
    ({"task": "nonsense"}, "expected tasks of mioh in its provenance, got 'nonsense'"),
    ({"task": ""}, "expected tasks of mioh in its provenance, got ''"),
    ({"task": "ode_fictional"}, "expected tasks of mioh in its provenance, got 'ode_fictional'"),
    ({"task": "mioh_nonsense"}, "evaluated"),
    ({"task": "mioh_wordings"}, "expected tasks of mioh in its provenance, got 'mioh_wordings'"),
    ({"asked": 5}, "evaluated 5 of"),
    ({"of": 5}, "of 5 questions"),
    ({"repeats": 2}, "expected 'mioh' once in its provenance, with repeats: 1"),
    ({"repeats": -1}, "expected 'mioh' once in its provenance, with repeats: 1"),
    ({"repeats": 10**400}, "cannot be written as JSON"),
    ({"generation": {"temperature": 0, "seed": 10**5000}}, "cannot be written as JSON"),
    ({"generation": {"temperature": 0, "max_new_tokens": 10**30}}, "cannot be written as JSON"),
    ({"generation": {"temperature": float("nan")}}, "expected temperature 0, got nan"),
    ({"generation": {"temperature": "0"}}, "expected temperature 0, got '0'"),
    ({"model": "  "}, "does not record model"),
    ({"model": "\u200b"}, "does not record model"),
    ({"task": "mioh\0"}, "expected tasks of mioh in its provenance"),
    ({"task": "../mioh"}, "expected tasks of mioh in its provenance"),
    ({"benchmark": "ode"}, "another split"),
    ({"asked": 10**9}, "evaluated 1,000,000,000 of"),
    ({"of": -5, "asked": -5}, "of -5 questions"),
    ({"data": {"kind": "moon"}}, "provenance"),
]


@pytest.fixture(scope="module")
def logged(
    sources: dict[str, Path], editions: dict[str, QuestionIndex], tmp_path_factory: pytest.TempPathFactory
) -> StoredEntry:
    """A valid entry with complete provenance, where it is required."""
    folder = tmp_path_factory.mktemp("logged")
    asked = editions["mioh-2.0.0"]
    rules = Rules(provenance=True, generation={"temperature": 0})
    board = Board(folder=folder, title="A board", editions=(asked.edition,), rules=rules)

    def say(row: Any) -> str:
        return "ABCDEFGHIJ"[sha256(row["id"].encode()).digest()[0] % len(row["choices"])] if row["choices"] else "no"

    run = write_run(folder / "run", sources["mioh-2.0.0"], "mioh", say)
    (offered,) = read_run_for(board, run, {"mioh-2.0.0": asked})
    found = submit(board, offered, ModelInfo(name="Fjord"))
    assert found.entry is not None
    assert found.reasons == ()
    found.place.write(found.entry, found.answers)
    checked = check_entry(found.place, asked.source, rules, keep=False)
    assert (checked.reasons, checked.tier) == ((), "provenance complete")
    return found.place


@pytest.mark.parametrize(("change", "told"), PROVENANCE)
def test_hostile_provenance_is_refused(
    logged: StoredEntry, sources: dict[str, Path], change: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = yaml.safe_load((logged.folder / "entry.yaml").read_text())
    data["provenance"][0] |= change
    monkeypatch.setattr(boards.yaml, "load", lambda *_: dict(data))
    rules = Rules(provenance=True, generation={"temperature": 0})
    assert told in "\n".join(check_entry(logged, sources["mioh-2.0.0"], rules, keep=False).reasons)
    lenient = check_entry(logged, sources["mioh-2.0.0"], Rules(), keep=False)
    assert lenient.tier == "self-reported" or change in lenient_tiers()


def test_a_task_is_once_in_the_provenance(logged: StoredEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    data = yaml.safe_load((logged.folder / "entry.yaml").read_text())
    data["provenance"] *= 2
    monkeypatch.setattr(boards.yaml, "load", lambda *_: dict(data))
    with pytest.raises(VhbenchError, match="expected 'mioh' once in its provenance"):
        logged.read()


def lenient_tiers() -> list[dict[str, Any]]:
    """Changes that leave provenance complete where the board rules no settings."""
    return [change for change, told in PROVENANCE if "does not record model" not in told]


def test_nothing_is_added_where_check_would_refuse_it(toy: StoredEntry, tmp_path: Path) -> None:
    asked = cached_question_index(toy.edition, toy.folder.parents[3] / "ode")
    board = Board(folder=tmp_path, title="A board", editions=(toy.edition,))
    for number in (0, 8):  # a link instead of entries/, and another file beside the entry
        make, told = FOLDERS[number]
        own = replace(board, folder=tmp_path / str(number))
        own.folder.mkdir()
        make(own.folder)
        with pytest.raises(AssertionError, match=told):
            enter(own, asked, "A", lambda row: "yes" if hash_of(row) else "no")


def test_odd_numbers_are_refused_before_they_are_written() -> None:
    with pytest.raises(VhbenchError, match="at most 1,048,576 tokens, got 1,000,000,000,000"):
        pack([PackedAnswer("yes", 10**12)])
    assert parameters("7B") == 7_000_000_000
    for text in ("999999999999999B", "13"):
        with pytest.raises(VhbenchError, match=r"0\.1M to 1000T"):
            parameters(text)


def test_the_words_of_names_are_few() -> None:
    """A board reserves what it says itself, and common references: not each word that a submitter may think of."""
    assert sum(map(len, names._TABLE.values())) <= 75


def test_the_table_is_long() -> None:
    count = len(NAMES) + len(FIELDS) + len(TEXTS) + len(ANSWERS) + len(FOLDERS) + len(PROVENANCE)
    assert count + len(odd_files.KINDS["stranger"]) >= 230
    assert validating.SECONDS <= 30
