"""Entries: the responses of one model to one edition, with model card, provenance and claimed scores."""

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from vhbench.benchmarks import of_task
from vhbench.benchmarks import task as task_named
from vhbench.files import json_bytes, quote_value, write_atomic
from vhbench.leaderboard.baselines import REFERENCES
from vhbench.leaderboard.boards import ENTRIES, Board, Edition, read_fields, web_address, yaml_bytes
from vhbench.leaderboard.names import check_name, check_text, names_reference
from vhbench.provenance import Provenance
from vhbench.schema import VhbenchError

FORMAT = "vhbench-entry-1"
FILE, ANSWERS = "entry.yaml", "answers.parquet"
MOST_REPEATS = 32
_LONGEST_FOLDER = 60

_SLUG = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # device names that Windows reserves, with any extension
_VERSION = re.compile(r"([0-9][0-9A-Za-z.+]{0,39})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_COUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_FEWEST_PARAMETERS, _MOST_PARAMETERS = 10**5, 10**15
_LONGEST = {"name": 80, "organisation": 80, "reference": 80, "note": 400, "submitter": 80}

# fields that all entries of a model share; dates and notes may differ
SHARED = ("name", "organisation", "url", "parameters", "open_weights", "reference", "submitter")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """Description of a model, the same in all of its entries."""

    name: str  # displayed name of the model
    organisation: str = ""  # developer
    url: str = ""  # link to further information
    parameters: Annotated[int, Meta(ge=0, le=_MOST_PARAMETERS)] = 0  # number of parameters; 0 if unknown
    open_weights: bool | None = None  # whether the weights are public; None if unknown
    date: str = ""  # date of the responses, YYYY-MM-DD
    note: str = ""  # one-line remark
    reference: str = ""  # kind of baseline, such as "always yes", which is never ranked; "" for a model
    submitter: str = ""  # account that submitted the entries, who may change them; "" for the maintainers

    def check(self) -> None:
        """Raise VhbenchError if a field is not safe to show on a page or a terminal, or misleads."""
        for name, most in _LONGEST.items():
            check = check_text if name == "note" else check_name
            check(getattr(self, name), f"the {name}", most)
        if not self.name.strip() or self.name != self.name.strip():
            raise VhbenchError(f"expected a model name without spaces around it, got {self.name!r}")
        if not self.reference and names_reference(self.name, REFERENCES):
            raise VhbenchError(f"{quote_value(self.name)} is reserved for baselines; add one with --reference KIND")
        if self.url:
            check_text(web_address(self.url, "the url"), "the url", len(self.url), "")
        if self.date and not _is_date(self.date):
            raise VhbenchError(f"expected a date YYYY-MM-DD until today, got {quote_value(self.date)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEntry(ModelInfo):
    """``entry.yaml``."""

    benchmark: str
    version: str
    content_hash: str  # content hash of the evaluated split
    answers: str  # SHA-256 of ``answers.parquet``
    repeats: Annotated[int, Meta(ge=1, le=MOST_REPEATS)] = 1  # number of responses per question
    # family of questions → metric → claimed value, in percent (words: a number)
    scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    provenance: tuple[Provenance, ...] = ()  # provenance of the responses to each task, if known
    scorer: str = ""  # version of vhbench that computed ``scores``
    task: str = ""  # task of the edition; "" for the whole benchmark

    @property
    def about(self) -> ModelInfo:
        """Who answered."""
        return ModelInfo(**{f.name: getattr(self, f.name) for f in fields(ModelInfo)})

    @property
    def digest(self) -> str:
        """SHA-256 of all that the submitter states, which a verdict is about; a new scorer changes no verdict."""
        return sha256(replace(self, scores={}, scorer="").to_yaml()).hexdigest()

    def to_yaml(self) -> bytes:
        """Return the content of the file, without default values."""
        usual = {f.name: f.default for f in fields(BoardEntry)}
        content = {f.name: getattr(self, f.name) for f in fields(BoardEntry) if getattr(self, f.name) != usual[f.name]}
        content |= {"scores": {name: dict(values) for name, values in self.scores.items()}}
        if self.provenance:
            content["provenance"] = [one.to_json() for one in self.provenance]
        return yaml_bytes({"format": FORMAT, **content})


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """Location of an entry."""

    model: str  # name of the model's folder
    edition: Edition
    folder: Path

    @property
    def title(self) -> str:
        """Prefix of messages about it."""
        return f"{self.model}/{self.edition.name}"

    def read(self) -> BoardEntry:
        """Read and check ``entry.yaml``, which must belong to this location."""
        path = self.folder / FILE
        entry = read_fields(path, BoardEntry, FORMAT)
        try:
            entry.check()
            self._check_place(entry)
        except VhbenchError as error:
            raise VhbenchError(f"{path}: {error}") from error
        return entry

    def _check_place(self, entry: BoardEntry) -> None:
        edition = self.edition
        if slug(entry.name) != self.model:
            raise VhbenchError(
                f"expected the entry of {quote_value(entry.name)} in the folder {slug(entry.name)}; got {self.model}"
            )
        if (entry.benchmark, entry.version, entry.task) != (edition.benchmark, edition.version, edition.task):
            raise VhbenchError(
                f"expected an entry for {edition.name}; got {quote_value(entry.task or entry.benchmark)} "
                f"{quote_value(entry.version)}"
            )
        for run in entry.provenance:
            owner = of_task(run.task)
            json_bytes(run.to_json())  # raises for numbers that no output could have
            if run.repeats != entry.repeats or [one.task for one in entry.provenance].count(run.task) > 1:
                raise VhbenchError(
                    f"expected {quote_value(run.task)} once in its provenance, with repeats: {entry.repeats}"
                )
            if owner is None or owner.name != edition.benchmark or task_named(run.task).variants:
                raise VhbenchError(
                    f"expected tasks of {edition.benchmark} in its provenance, got {quote_value(run.task)}"
                )
        if not _VERSION.fullmatch(entry.scorer):
            raise VhbenchError(f"the scorer: expected a version of vhbench, got {quote_value(entry.scorer)}")
        if entry.content_hash != edition.content_hash:
            raise VhbenchError(
                f"was evaluated on another split: expected content hash {edition.content_hash[:12]}… of the board's "
                f"{edition.name}, got {quote_value(entry.content_hash[:12])}"
            )

    def write(self, entry: BoardEntry, answers: bytes) -> None:
        """Write both files, the answers first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self.folder / ANSWERS, answers)
        write_atomic(self.folder / FILE, entry.to_yaml())


def slug(name: str) -> str:
    """Return the folder name of a model, of a-z, 0-9, "." and "-" only.

    >>> slug("Qwen2.5-VL 3B Instruct"), slug("../../etc"), slug("CON")
    ('qwen2.5-vl-3b-instruct', 'etc', 'model-con')
    >>> slug("模型"), slug("模型 7B")
    ('model-c98e118e', '7b-52f30708')
    """
    plain = unicodedata.normalize("NFKD", name)
    ascii_name = plain.encode("ascii", "ignore").decode().lower()
    folder = re.sub(r"\.\.+", ".", re.sub(r"[^a-z0-9.]+", "-", ascii_name))
    folder = re.sub(r"[.-]*-[.-]*", "-", folder).strip("-.")
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    if not _SLUG.fullmatch(folder):
        return f"model-{digest}"
    if _DEVICES.fullmatch(folder):
        folder = f"model-{folder}"
    if len(folder) > _LONGEST_FOLDER or any(sign > "\x7f" and sign.isalnum() for sign in plain):
        # The digest distinguishes names that differ only in removed characters.
        return f"{folder[: _LONGEST_FOLDER - 9].strip('-.')}-{digest}"
    return folder


def _is_date(text: str) -> bool:
    try:  # tomorrow has begun somewhere
        return bool(_DATE.fullmatch(text)) and date.fromisoformat(text) <= date.today() + timedelta(days=1)
    except ValueError:
        return False


def parameters(text: str) -> int:
    """Parse a number of parameters; raise VhbenchError if it is not a number.

    >>> parameters("7B"), parameters("450m"), parameters("2.5 B"), parameters("")
    (7000000000, 450000000, 2500000000, 0)
    """
    if not text.strip():
        return 0
    match = _COUNT.fullmatch(text.strip())
    if match is None or len(match[1]) > 15:
        raise VhbenchError(f"--parameters: expected a number such as 7B, 450M or 7000000000; got {quote_value(text)}")
    if not _FEWEST_PARAMETERS <= (count := round(float(match[1]) * _UNITS[match[2].upper()])) <= _MOST_PARAMETERS:
        raise VhbenchError(f"--parameters: expected 0.1M to 1000T; got {quote_value(text)}")
    return count


def stored(board: Board, model: str, edition: Edition) -> StoredEntry:
    """Return the location of the entry of a model for an edition."""
    if not _SLUG.fullmatch(model):
        raise VhbenchError(f"expected a folder name of a-z, 0-9, '.' and '-'; got {quote_value(model)}")
    return StoredEntry(model, edition, board.folder / ENTRIES / model / edition.name)


def entries(board: Board) -> tuple[list[StoredEntry], list[tuple[str, str]]]:
    """Return all entries of a board by name, and for each unexpected file or folder a model's folder and a message."""
    root, places, strays = board.folder / ENTRIES, list[StoredEntry](), list[tuple[str, str]]()
    editions = {edition.name: edition for edition in board.editions}
    if os.path.lexists(root) and not _own_folder(root):
        return [], [("", f"{ENTRIES}: expected a folder, got a link or a file")]
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        if folder.name.startswith(".") and folder.is_file():
            continue
        if not _SLUG.fullmatch(folder.name) or not _own_folder(folder):
            line = f"{quote_value(folder.name)}: expected a model's folder, named with a-z, 0-9, '.' and '-'"
            strays.append((folder.name, line))
            continue
        for inner in sorted(folder.iterdir()):
            title = f"{folder.name}/{inner.name}"
            if inner.name not in editions or not _own_folder(inner):
                line = f"{quote_value(title)}: expected an edition of the board ({board.names})"
                strays.append((folder.name, line))
                continue
            surplus = [p.name for p in inner.iterdir() if p.name not in (FILE, ANSWERS) or p.is_symlink()]
            strays += [(folder.name, f"{title}: unexpected file {quote_value(name)}") for name in sorted(surplus)]
            if not surplus:
                places.append(StoredEntry(folder.name, editions[inner.name], inner))
    return places, strays


def _own_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def unlike(about: ModelInfo, other: ModelInfo, title: str) -> Iterator[str]:
    """Yield conflicting fields of two entries of a model."""
    odd = [name for name in SHARED if getattr(about, name) != getattr(other, name)]
    if odd:
        yield f"its {odd[0]} is {quote_value(getattr(about, odd[0]))}, in {title} {quote_value(getattr(other, odd[0]))}"
