"""Options of the ``vhbench score`` commands."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.options import option
from vhbench.schema import VhbenchError

_ASKED = "The class that precision and recall are about: yes"
_KEY = (
    "The key of a hidden test set, written by `vhbench push --hidden`: its questions with the answers that its "
    "maintainers keep."
)


def _one_of(questions: Path | None, key: Path | None) -> Path | None:
    if questions is not None and key is not None:
        raise VhbenchError(f"--questions {questions} and --key {key}: a key has the questions; name one of them")
    if key is not None:
        from vhbench.splits import answer_keys

        answer_keys.read_head(key)
    return questions if key is None else key


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """What ``auto`` reads."""

    responses: Path = option(
        "A folder written by lmms-eval, or a file of responses in any format.", metavar="RUN", argument=True
    )


@dataclass(frozen=True, kw_only=True)
class ResponseFile:
    """What the commands for one kind of question read."""

    responses: Path = option(
        "What the model said: JSON, JSON lines, {id: answer}, CSV, TSV, XLSX, Parquet, lmms-eval's samples, or the "
        "folder that its --output_path named.",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class QuestionFile:
    """What was asked, where the responses do not tell."""

    questions: Path | None = option(
        "The questions with their answers, joined by id: a split directory, or rows with id, answer, … in any format "
        "that responses may have. Not needed where the responses carry them.",
        None,
        metavar="FILE",
    )
    key: Path | None = option(_KEY, None, metavar="FILE")

    @property
    def file(self) -> Path | None:
        """Where the questions are from; what calls itself a key must be one."""
        return _one_of(self.questions, self.key)


@dataclass(frozen=True, kw_only=True)
class CaptionSplit(QuestionFile):
    """Ground truth of captions."""

    questions: Path | None = option(
        "The evaluated split, with the ground truth of its images and the vocabulary of its captions.",
        None,
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class PositiveClass:
    """How ``auto`` scores yes/no answers."""

    positive: str | None = option(f"{_ASKED} or no. By default our benchmarks' no, else yes.", None)


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """What CHAIR and AMBER read."""

    responses: Path = option(
        "What the model said, one row each: JSON, JSON lines, {id: answer}, CSV, TSV or XLSX.", metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True)
class CompatOption:
    """Whether to reproduce the reference implementation."""

    compat: bool = option("Reproduce the reference implementation exactly, for comparison.", False, names=("--compat",))


@dataclass(frozen=True, kw_only=True)
class YesNoOptions(CompatOption):
    """How yes/no answers are scored."""

    positive: str = option(f"{_ASKED} (POPE) or no (ODE, AMBER).")
    parser: str | None = option("How answers are read: default, pope, ode, amber, vhtest or lmms_eval.", None)
    by: tuple[str, ...] = option("Split the scores by a field, such as criterion; may be repeated.", (), repeat=True)


@dataclass(frozen=True, kw_only=True)
class PairOptions(CompatOption):
    """How pairs are scored."""

    parser: str | None = option("How answers are read, see yes-no; vhtest's under --compat.", None)
    by: tuple[str, ...] = option(
        "Split the scores by a field of pairs, such as mode (the twin's wording); may be repeated.", (), repeat=True
    )


@dataclass(frozen=True, kw_only=True)
class ChairOptions(CompatOption):
    """What CHAIR needs besides the captions."""

    gold: Path | None = option("JSON file: image id → names of its objects.", None, metavar="FILE")
    instances: Path | None = option("Instead of --gold: COCO instances.", None, metavar="FILE")
    captions: Path | None = option("With --instances: COCO's reference captions.", None, metavar="FILE")
    synonyms: Path | None = option(
        "CHAIR's synonyms.txt (an object a line), or JSON: name → words.", None, metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True)
class AmberOptions(CompatOption):
    """What AMBER needs besides the answers."""

    annotations: Path = option("AMBER's annotations.json.", metavar="FILE")
    relation: Path = option("AMBER's relation.json.", metavar="FILE")
    safe_words: Path | None = option("AMBER's safe_words.txt, one word a line.", None, metavar="FILE")
    evaluation_type: str = option("What to print: a (all), g, d, de, da or dr, as AMBER has them.", "a")
    language: str = option("Nouns and similarity: builtin, nltk-spacy (the reference's), or auto.", "builtin")


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """How scores are printed."""

    as_json: bool = option("Print everything (counters, intervals, every row) as JSON.", False, names=("--json",))


@dataclass(frozen=True, kw_only=True)
class TellingOptions(OutputOptions):
    """Selection of scores."""

    allow_failed: bool = option(
        "Report scores even if more than 1 % of the requests failed.", False, names=("--allow-failed",)
    )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(TellingOptions):
    """Parsing and output of answers."""

    require_complete: bool = option(
        "Refuse responses that lack an answer to some question, or whose questions are unknown.",
        False,
        names=("--require-complete",),
    )
    judge: str | None = option(
        "Let a language model judge unparsed responses and the assertions of captions: openai:MODEL@URL of any "
        "OpenAI-compatible endpoint (key in OPENAI_API_KEY), or transformers:NAME. It never sees reference "
        "answers; its decisions are counted and cached in VHBENCH_CACHE.",
        None,
        metavar="MODEL",
        panel="Judge",
    )
    judge_url: str | None = option(
        "With --judge MODEL: endpoint, such as http://localhost:8000/v1.", None, metavar="URL", panel="Judge"
    )
    judge_workers: int = option("Concurrent requests to the judge.", 8, least=1, most=256, panel="Judge")
