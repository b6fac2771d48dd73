"""``board.yaml``: the dataset versions (editions) of a board, and its rules for entries."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import yaml
from msgspec import Meta

from vhbench import benchmarks, splits
from vhbench.adapters.hub_names import ReleaseName
from vhbench.benchmarks import BENCHMARKS
from vhbench.files import convert, parse_yaml, path_exists, quote_value, read_bytes, write_atomic
from vhbench.schema import VhbenchError
from vhbench.splits import answer_keys, manifests
from vhbench.terminal import escaped

FILE = "board.yaml"
FORMAT = "vhbench-board-1"
ENTRIES = "entries"

MOST_YAML = 1 << 17  # maximum size of a YAML file of a board, in bytes: to read it takes up to 1.5 seconds

_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
T = TypeVar("T")
_LINE = re.compile(r"[^\n\r\t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One version of a benchmark, identified by its content."""

    benchmark: str
    version: str  # MAJOR.MINOR.PATCH
    content_hash: _Digest  # content hash of the split, see `Manifest`; for a hidden test set, of its public part
    task: str = ""  # task or group of lmms-eval whose questions alone count, such as ode_fictional; "" for all
    hidden: bool = False  # whether the reference answers are hidden: the site shows scores, but no question or response
    fresh_of: str = ""  # public version of which this is a new sample with other questions; "" for none
    repo_id: str = ""  # dataset on the Hub, "" for none
    revision: str = ""  # commit of that dataset
    release: str = ""  # citable name of the version there, as VHBENCH_RELEASE and ``--splits`` take it

    @property
    def name(self) -> str:
        """Name of its folder in each entry, and of its page."""
        return f"{self.task or self.benchmark}-{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules for the entries of a board."""

    max_failed: Annotated[float, Meta(ge=0, le=100)] = 1.0  # maximum percentage of failed requests
    provenance: bool = False  # whether an entry must have provenance, as lmms-eval's samples do
    # required generation settings, such as temperature: 0, for entries that record them
    generation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board, without its entries: the content of ``board.yaml``, and where that is."""

    title: str  # title of the site
    editions: tuple[Edition, ...]  # evaluated editions, in the order of the site
    rules: Rules = field(default_factory=Rules)
    about: str = ""  # a sentence or two for the first page
    submit: str = ""  # URL for opening a pull request, "" for none
    site: str = ""  # URL of the published site, for citations, "" for none
    folder: Path = Path()

    def edition(self, name: str) -> Edition:
        """Return an edition by its name, such as ode-1.0.0; it must be one of the board."""
        for edition in self.editions:
            if edition.name == name:
                return edition
        raise VhbenchError(f"{self.folder}: expected an edition of {self.names}; got {quote_value(name)}")

    @property
    def names(self) -> str:
        """Names of its editions, with commas."""
        return ", ".join(edition.name for edition in self.editions)

    def fresh(self) -> Iterator[tuple[Edition, Edition]]:
        """Yield each public edition with its fresh one."""
        for edition in self.editions:
            if edition.fresh_of:
                yield self.edition(replace(edition, version=edition.fresh_of).name), edition


def read_board(folder: Path, text: bytes | None = None) -> Board:
    """Read ``board.yaml``, or its given content; raise VhbenchError if it is missing, or a field is invalid."""
    path = Path(folder) / FILE
    if text is None and not path_exists(path):
        raise VhbenchError(f"{folder}: expected a board with {FILE}; create one with `vhbench leaderboard init`")
    board = replace(read_fields(path, Board, FORMAT, text), folder=Path(folder))
    try:
        _check(board)
    except VhbenchError as error:
        raise VhbenchError(f"{path}: {error}") from error
    return board


def _check(board: Board) -> None:
    one_line(board.title, "the title", 120)
    one_line(board.about, "'about'", 1000)
    for name in ("submit", "site"):
        if url := getattr(board, name):
            web_address(url, f"'{name}'")
    if not board.editions:
        raise VhbenchError("expected at least one edition")
    by_name: dict[str, Edition] = {}
    for edition in board.editions:
        if edition.benchmark not in BENCHMARKS:
            raise VhbenchError(f"expected a benchmark of {', '.join(BENCHMARKS)}; got {quote_value(edition.benchmark)}")
        manifests.parse_version(edition.version)
        if edition.task and edition.task not in benchmarks.tasks(edition.benchmark):
            raise VhbenchError(f"expected a task of {edition.benchmark}; got {quote_value(edition.task)}")
        if edition not in (apart := _by_limit(edition)):
            raise VhbenchError(f"{edition.name}: expected an edition for each of {', '.join(e.task for e in apart)}")
        if edition.name in by_name:
            raise VhbenchError(f"{edition.name} occurs twice; expected each version once")
        by_name[edition.name] = edition
    for edition in board.editions:
        public = by_name.get(replace(edition, version=edition.fresh_of).name) if edition.fresh_of else edition
        if public is None or (edition.fresh_of and public is edition):
            raise VhbenchError(
                f"{edition.name}: expected fresh_of to be another edition of this board, got "
                f"{quote_value(edition.fresh_of)}"
            )


def of_split(split: Path) -> Edition:
    """Return the edition of a split directory, or of the key of a hidden test set."""
    if answer_keys.is_key(split):
        head = answer_keys.read_head(split)
        return Edition(benchmark=head.benchmark, version=head.version, content_hash=head.content_hash, hidden=True)
    manifest = splits.read_manifest(split)
    repo_id, revision = ReleaseName.origin(split)
    return Edition(
        benchmark=manifest.benchmark,
        version=manifest.version,
        content_hash=manifest.content_hash,
        hidden=manifests.is_hidden(manifest),
        repo_id=repo_id,
        revision=revision,
        release=str(ReleaseName.of(manifest, repo_id)) if repo_id else "",
    )


def make_board(
    folder: Path,
    splits: Sequence[Path],
    *,
    title: str,
    generation: str,
    fresh: Sequence[str] = (),
    submit: str = "",
    tasks: Sequence[str] = (),
) -> Board:
    """Return a board of splits and of hidden test sets, given by their keys.

    ``splits`` may be folders of splits; ``generation`` is as for :func:`settings`, ``fresh`` has ``PUBLIC=FRESH``
    dataset versions of the same kind, and ``tasks`` are tasks and groups with a page each, none for whole benchmarks.
    Raises VhbenchError if a task belongs to none of the splits.
    """
    editions = [
        of_split(path) for path in places(Board(folder=folder, title=title, editions=()), splits) if is_edition(path)
    ]
    if tasks:
        owners = {e.benchmark: {e.benchmark, *benchmarks.tasks(e.benchmark)} for e in editions}
        pairs = [(edition, task) for task in tasks for edition in editions if task in owners[edition.benchmark]]
        if lost := [task for task in tasks if task not in [present for _, present in pairs]]:
            raise VhbenchError(f"--tasks: expected tasks of the splits' benchmarks, got {quote_value(lost[0])}")
        editions = [replace(edition, task="" if task == edition.benchmark else task) for edition, task in pairs]
    editions = [part for edition in editions for part in _by_limit(edition)]
    rules = Rules(generation=settings(generation))
    return Board(folder=folder, title=title, editions=tuple(paired(editions, fresh)), rules=rules, submit=submit)


def _by_limit(edition: Edition) -> list[Edition]:
    """Return an edition for each token limit of its tasks: answers under different ones have no common score."""
    limited = [task.name for task in benchmarks.tasks(edition.benchmark).values() if task.max_new_tokens]
    return [edition] if edition.task in limited or not limited else [replace(edition, task=name) for name in limited]


def write_board(board: Board) -> Path:
    """Write ``board.yaml``, and return its path; raise VhbenchError if the board exists, or a field is invalid."""
    path = board.folder / FILE
    if path_exists(path):
        raise VhbenchError(f"{path} already exists; edit it to change the board")
    _check(board)
    editions = [{name: value for name, value in asdict(e).items() if value} for e in board.editions]
    data = {"format": FORMAT, "title": board.title, "about": board.about, "submit": board.submit, "site": board.site}
    data = {name: value for name, value in data.items() if value}
    rules = {**asdict(board.rules), "generation": dict(board.rules.generation)}
    write_atomic(path, yaml_bytes({**data, "editions": editions, "rules": rules}))
    (board.folder / ENTRIES).mkdir(parents=True, exist_ok=True)
    return path


class _Plain(yaml.SafeLoader):
    """YAML loader without aliases, a few of which can expand beyond any memory, and without keys that occur twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise VhbenchError(f"line {mark.line + 1}: expected no YAML alias (*)")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := [key for key, count in Counter(keys).items() if count > 1]:
            raise VhbenchError(f"line {node.start_mark.line + 1}: {quote_value(twice[0])} occurs twice")
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        # Dates stay text; the field that uses one validates it.
        if node.tag == "tag:yaml.org,2002:timestamp":
            return node.value
        return super().construct_object(node, deep=deep)


def read_yaml(path: Path, text: bytes | None = None) -> dict[str, Any]:
    """Read a small YAML file, or its given content: one mapping, no tags, no aliases."""
    data = read_bytes(path, MOST_YAML) if text is None else text
    try:
        mapping = yaml.load(data.decode("utf-8-sig"), _Plain)  # noqa: S506 (a SafeLoader)
    except VhbenchError as error:
        raise VhbenchError(f"{path}, {error}") from error
    except (yaml.YAMLError, RecursionError, ValueError, UnicodeDecodeError) as error:
        raise VhbenchError(f"{path}: not YAML ({' '.join(str(error).split())[:200]})") from error
    if not isinstance(mapping, dict):
        raise VhbenchError(f"{path}: expected a mapping, got {quote_value(mapping)}")
    return mapping


def read_fields(path: Path, kind: type[T], file_format: str, text: bytes | None = None) -> T:
    """Read a YAML file of a format, or its given content, into a dataclass; its folder is none of the fields."""
    data = read_yaml(path, text)
    if (found := data.pop("format", None)) != file_format:
        raise VhbenchError(f"{path}: expected format {file_format!r}, got {quote_value(found)}")
    expected = [f.name for f in fields(kind) if f.name != "folder"]  # type: ignore[arg-type]
    if odd := sorted(map(str, data.keys() - set(expected))):
        raise VhbenchError(f"{path}: expected fields {', '.join(expected)}; got {quote_value(odd[0])}")
    content: T = convert(data, kind, str(path))
    return content


def yaml_bytes(data: Mapping[str, Any]) -> bytes:
    """Return readable YAML, with keys in their order."""
    plain = msgspec.to_builtins(data)
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=120).encode()


def one_line(text: str, subject: str, most: int) -> str:
    """Return a text, checked to be one line of at most so many characters without control characters."""
    if len(text) > most:
        raise VhbenchError(f"{subject}: expected at most {most:,} characters, got {len(text):,}")
    if escaped(text) != text or not _LINE.fullmatch(text):
        raise VhbenchError(f"{subject}: expected one line without control characters; got {escaped(quote_value(text))}")
    return text


def web_address(url: str, subject: str) -> str:
    """Return a URL that a page may link to, checked to be of http or https."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:[/?#][^\s<>\"'`\\]*)?", url) or len(url) > 510:
        raise VhbenchError(f"{subject}: expected a URL that begins with https:// or http://; got {quote_value(url)}")
    return one_line(url, subject, 510)


def places(board: Board, paths: Sequence[Path]) -> Iterator[Path]:
    """Yield candidate folders of a board's splits: the given ones, their children, and the board's own ``splits``."""
    for path in (*paths, board.folder / "splits"):
        yield path
        if path.is_dir() and not (path / manifests.MANIFEST).is_file():
            yield from sorted(child for child in path.iterdir() if child.is_dir() or child.is_file())


def check_output(out: Path, mark: str, allowed: str) -> None:
    """Check that a folder is new, empty, or earlier output of the same command, which has a file that fits ``mark``."""
    if out.exists() and not out.is_dir():
        raise VhbenchError(f"--out {out}: expected a folder, got a file")
    if out.is_dir() and any(out.iterdir()) and not any(path.is_file() for path in out.glob(mark)):
        raise VhbenchError(f"--out {out}: expected an empty folder or {allowed}")


def is_edition(path: Path) -> bool:
    """Return whether a path is a split or the key of a hidden test set."""
    return answer_keys.is_key(path) or (path / manifests.MANIFEST).is_file()


def paired(editions: Sequence[Edition], fresh: Sequence[str]) -> Iterator[Edition]:
    """Yield editions in the order of a site, fresh ones with ``fresh_of``; both of a pair must be of one benchmark."""
    names = {edition.name: edition for edition in editions}
    public = {}
    for pair in fresh:
        one, _, other = pair.partition("=")
        if one not in names or other not in names or names[one].benchmark != names[other].benchmark or one == other:
            raise VhbenchError(
                f"--fresh: expected PUBLIC=FRESH of one benchmark, of {', '.join(names)}; got {quote_value(pair)}"
            )
        public[other] = names[one].version
    order, tasks = list(BENCHMARKS), [edition.task for edition in editions]
    for edition in sorted(
        names.values(),
        key=lambda e: (order.index(e.benchmark), tasks.index(e.task), manifests.parse_version(e.version)),
    ):
        yield replace(edition, fresh_of=public.get(edition.name, ""))


def settings(text: str) -> dict[str, Any]:
    """Parse generation settings, written as name=value with commas.

    >>> settings("temperature=0,do_sample=false")
    {'temperature': 0, 'do_sample': False}
    """
    options = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier():
            raise VhbenchError(f"--generation: expected name=value, got {quote_value(part)}")
        options[name] = parse_yaml(value, f"--generation {quote_value(part)}")
    return options
