"""``board.yaml``: which editions of which benchmarks a board is about, and which entries it takes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS
from vhbench.files import convert, parse_yaml, path_exists, quote_value, read_bytes, write_atomic
from vhbench.schema import VhbenchError
from vhbench.splits import answer_keys, manifests
from vhbench.terminal import escaped

FILE = "board.yaml"
FORMAT = "vhbench-board-1"
ENTRIES = "entries"

MOST_YAML = 1 << 20
"""Bytes of a YAML file of a board."""

_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_LINE = re.compile(r"[^\n\r\t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One version of a benchmark, by its content.

    Attributes:
        benchmark: its name.
        version: MAJOR.MINOR.PATCH.
        content_hash: of the split, see :class:`vhbench.schema.Manifest`; of a hidden edition, as it is public.
        hidden: its answers are kept back: scores are shown, and never a question or an answer.
        fresh_of: the version of the public edition that this one was built like, with new questions; "" for none.
        repo_id: dataset on the Hub that has it, "" for none.
        revision: the commit there.
    """

    benchmark: str
    version: str
    content_hash: _Digest
    hidden: bool = False
    fresh_of: str = ""
    repo_id: str = ""
    revision: str = ""

    @property
    def name(self) -> str:
        """The name of its folder in each entry, and of its page."""
        return f"{self.benchmark}-{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which entries a board takes.

    Attributes:
        max_failed: percent of requests that may have failed.
        provenance: whether an entry must say where its answers come from, as lmms-eval's samples do.
        generation: settings that must be so where an entry tells them, such as temperature: 0.
    """

    max_failed: Annotated[float, Meta(ge=0, le=100)] = 1.0
    provenance: bool = False
    generation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFile:
    """What ``board.yaml`` says.

    Attributes:
        title: of the site.
        editions: what entries answer, in the order of the site.
        rules: which entries are taken.
        about: a sentence or two on the first page.
        submit: the address where a pull request is opened, "" for none.
    """

    title: str
    editions: tuple[Edition, ...]
    rules: Rules = field(default_factory=Rules)
    about: str = ""
    submit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(BoardFile):
    """A board, without its entries.

    Attributes:
        folder: where it lies.
    """

    folder: Path

    def edition(self, name: str) -> Edition:
        """Return an edition by its name, such as ode-1.0.0.

        Raises:
            VhbenchError: if the board has none of this name.
        """
        for edition in self.editions:
            if edition.name == name:
                return edition
        raise VhbenchError(f"{self.folder}: the board has no edition {quote_value(name)}; it has {self.named}")

    @property
    def named(self) -> str:
        """The names of its editions, in a line."""
        return ", ".join(edition.name for edition in self.editions)

    def fresh(self) -> Iterator[tuple[Edition, Edition]]:
        """Yield each public edition with the fresh one that was built like it."""
        for edition in self.editions:
            if edition.fresh_of:
                yield self.edition(f"{edition.benchmark}-{edition.fresh_of}"), edition


def read_board(folder: Path) -> Board:
    """Read ``board.yaml``.

    Raises:
        VhbenchError: if there is none, or a field has the wrong form.
    """
    path = Path(folder) / FILE
    if not path_exists(path):
        raise VhbenchError(f"{folder}: no {FILE}; no board (`vhbench leaderboard init` makes one)")
    data = read_yaml(path)
    found = data.pop("format", None)
    if found != FORMAT:
        raise VhbenchError(f"{path}: format {quote_value(found)}: must be {FORMAT!r}")
    known = [name.name for name in fields(BoardFile)]
    if odd := sorted(map(str, data.keys() - set(known))):
        raise VhbenchError(f"{path}: {quote_value(odd[0])} is no field of a board; there are {', '.join(known)}")
    told: BoardFile = convert(data, BoardFile, str(path))
    board = Board(folder=Path(folder), **{name: getattr(told, name) for name in known})
    try:
        _check(board)
    except VhbenchError as error:
        raise VhbenchError(f"{path}: {error}") from error
    return board


def _check(board: Board) -> None:
    one_line(board.title, "the title", 120)
    one_line(board.about, "'about'", 1000)
    if board.submit:
        web_address(board.submit, "'submit'")
    if not board.editions:
        raise VhbenchError("has no editions; a board is about one at least")
    seen: dict[str, Edition] = {}
    for edition in board.editions:
        if edition.benchmark not in BENCHMARKS:
            raise VhbenchError(f"no benchmark {quote_value(edition.benchmark)}; must be one of {', '.join(BENCHMARKS)}")
        manifests.parse_version(edition.version)
        if edition.name in seen:
            raise VhbenchError(f"{edition.name} is there twice; each version of a benchmark may be there once")
        seen[edition.name] = edition
    for edition in board.editions:
        public = seen.get(f"{edition.benchmark}-{edition.fresh_of}") if edition.fresh_of else edition
        if public is None or (edition.fresh_of and public is edition):
            raise VhbenchError(
                f"{edition.name}: fresh_of {quote_value(edition.fresh_of)} is no other edition of this board"
            )


def of_split(split: Path) -> Edition:
    """Return the edition that a split directory, or the key of a hidden edition, is."""
    if answer_keys.is_key(split):
        head = answer_keys.read_head(split)
        return Edition(benchmark=head.benchmark, version=head.version, content_hash=head.content_hash, hidden=True)
    manifest = splits.read_manifest(split)
    return Edition(
        benchmark=manifest.benchmark,
        version=manifest.version,
        content_hash=manifest.content_hash,
        hidden=manifests.is_hidden(manifest),
    )


def make_board(
    folder: Path, splits: Sequence[Path], *, title: str, generation: str, fresh: Sequence[str] = (), submit: str = ""
) -> Board:
    """Return a board of splits, and of the hidden test sets whose keys are given.

    Args:
        folder: of the board.
        splits: split directories, folders of them, and files of keys.
        title: of the board.
        generation: settings that every run must have, as :func:`settings` reads them.
        fresh: ``NAME=NAME``: a public dataset version and the newer one of the same kind.
        submit: how to submit, shown on the site.
    """
    editions = [
        of_split(path) for path in places(Board(folder=folder, title=title, editions=()), splits) if is_edition(path)
    ]
    rules = Rules(generation=settings(generation))
    return Board(folder=folder, title=title, editions=tuple(paired(editions, fresh)), rules=rules, submit=submit)


def write_board(board: Board) -> Path:
    """Write ``board.yaml`` into the board's folder, and return its path.

    Raises:
        VhbenchError: if there is a board already, or a field has the wrong form.
    """
    path = board.folder / FILE
    if path_exists(path):
        raise VhbenchError(f"{path} is there already; a board is made once, and edited by hand")
    _check(board)
    editions = [{name: value for name, value in asdict(e).items() if value} for e in board.editions]
    data = {"format": FORMAT, "title": board.title, "about": board.about, "submit": board.submit}
    data = {name: value for name, value in data.items() if value}
    rules = {**asdict(board.rules), "generation": dict(board.rules.generation)}
    write_atomic(path, yaml_bytes({**data, "editions": editions, "rules": rules}))
    (board.folder / ENTRIES).mkdir(parents=True, exist_ok=True)
    return path


class _Plain(yaml.SafeLoader):
    """Reads YAML without aliases: a few of them unpack to more than fits into any memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise VhbenchError(f"line {mark.line + 1}: has an alias (*), which nothing here needs")
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        # A date is text here: whoever reads it decides what it may be.
        if node.tag == "tag:yaml.org,2002:timestamp":
            return node.value
        return super().construct_object(node, deep=deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a small YAML file: one mapping, no tags, no aliases.

    Raises:
        VhbenchError: if it cannot be read, or is none.
    """
    data = read_bytes(path, MOST_YAML)
    try:
        found = yaml.load(data, _Plain)  # noqa: S506 (a SafeLoader)
    except VhbenchError as error:
        raise VhbenchError(f"{path}, {error}") from error
    except (yaml.YAMLError, RecursionError, ValueError, UnicodeDecodeError) as error:
        raise VhbenchError(f"{path}: not YAML ({' '.join(str(error).split())[:200]})") from error
    if not isinstance(found, dict):
        raise VhbenchError(f"{path}: holds {quote_value(found)}; must be a mapping")
    return found


def yaml_bytes(data: Mapping[str, Any]) -> bytes:
    """Return YAML for people, keys in their order."""
    plain = msgspec.to_builtins(data)
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=120).encode()


def one_line(text: str, what: str, most: int) -> str:
    """Return a text for people that fits into a line and cannot steer a terminal.

    Raises:
        VhbenchError: if it has more than ``most`` characters, line ends or control characters.
    """
    if len(text) > most:
        raise VhbenchError(f"{what} has {len(text):,} characters; at most {most:,}")
    if escaped(text) != text or not _LINE.fullmatch(text):
        raise VhbenchError(f"{what} {escaped(quote_value(text))}: must be one line without control characters")
    return text


def web_address(url: str, what: str) -> str:
    """Return an address that a page may link to.

    Raises:
        VhbenchError: if it is none of http or https.
    """
    if not re.fullmatch(r"https?://[^\s<>\"'`\\]{1,500}", url):
        raise VhbenchError(f"{what} {quote_value(url)}: must be an address that begins with https:// or http://")
    return one_line(url, what, 510)


def places(board: Board, given: Sequence[Path]) -> Iterator[Path]:
    """Yield where the splits of a board may be: what is named, folders of such, and the board's own ``splits``."""
    for path in (*given, board.folder / "splits"):
        yield path
        if path.is_dir() and not (path / manifests.MANIFEST).is_file():
            yield from sorted(child for child in path.iterdir() if child.is_dir() or child.is_file())


def is_edition(path: Path) -> bool:
    """Tell whether a path is a split or the key of a hidden edition."""
    return answer_keys.is_key(path) or (path / manifests.MANIFEST).is_file()


def paired(editions: Sequence[Edition], fresh: Sequence[str]) -> Iterator[Edition]:
    """Yield editions in the order of a site, each that is said to be fresh with the public one it was built like.

    Raises:
        VhbenchError: if a pair is no pair of editions of one benchmark.
    """
    names = {edition.name: edition for edition in editions}
    public = {}
    for pair in fresh:
        one, _, other = pair.partition("=")
        if one not in names or other not in names or names[one].benchmark != names[other].benchmark or one == other:
            raise VhbenchError(
                f"--fresh {quote_value(pair)}: must be PUBLIC=FRESH of one benchmark, of {', '.join(names)}"
            )
        public[other] = names[one].version
    order = list(BENCHMARKS)
    for edition in sorted(names.values(), key=lambda e: (order.index(e.benchmark), manifests.parse_version(e.version))):
        yield replace(edition, fresh_of=public.get(edition.name, ""))


def settings(text: str) -> dict[str, Any]:
    """Return settings of generation, written as name=value with commas.

    >>> settings("temperature=0,do_sample=false")
    {'temperature': 0, 'do_sample': False}
    """
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier():
            raise VhbenchError(f"--generation {quote_value(part)}: must be name=value")
        found[name] = parse_yaml(value, f"--generation {quote_value(part)}")
    return found
