"""Options of the ``vhbench score`` commands."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.table_rows import described
from vhbench.options import option
from vhbench.schema import VhbenchError

_ASKED = "Positive class of precision and recall: yes"
_KEY = "Key of a hidden test set, written by `vhbench push --hidden`: its questions with reference answers."


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """Input of ``auto``."""

    responses: tuple[str, ...] = option(
        "A folder written by lmms-eval, or a file of responses in any format; several if a model's responses are in "
        "several logs.",
        metavar="RUN …",
        argument=True,
        repeat=True,
    )


@dataclass(frozen=True, kw_only=True)
class ResponseFile:
    """Input of the commands for one kind of question."""

    responses: tuple[str, ...] = option(
        f"Responses: {described()}, or lmms-eval's samples or output folder; may be repeated.",
        metavar="FILE",
        repeat=True,
    )


@dataclass(frozen=True, kw_only=True)
class QuestionFile:
    """Questions, if the responses do not include them."""

    questions: Path | None = option(
        "Questions with reference answers, joined by id: a split directory (captions: with their vocabulary), or rows "
        "with id, answer, … in any format of responses. Not needed if the responses include them.",
        None,
        metavar="FILE",
    )
    key: Path | None = option(_KEY, None, metavar="FILE")

    @property
    def file(self) -> Path | None:
        """Source of the questions; a file given as a key must be one."""
        if self.key is None:
            return self.questions
        if self.questions is not None:
            raise VhbenchError(f"expected either --questions or --key, got both: {self.questions} and {self.key}")
        from vhbench.splits import answer_keys

        answer_keys.read_head(self.key)
        return self.key


@dataclass(frozen=True, kw_only=True)
class PositiveClass:
    """Scoring of yes/no responses by ``auto``."""

    positive: str | None = option(f"{_ASKED} or no. By default, no for ODE, MIOH and VHExpansion, otherwise yes.", None)


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """Input of CHAIR and AMBER."""

    responses: Path = option(f"Responses, one row each: {described()}.", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CompatOption:
    """Whether to reproduce the reference implementation."""

    compat: bool = option("Reproduce the reference implementation exactly, for comparison.", False)


@dataclass(frozen=True, kw_only=True)
class YesNoOptions(CompatOption):
    """Scoring of yes/no responses."""

    positive: str = option(f"{_ASKED} (POPE) or no (ODE, AMBER).")
    parser: str | None = option("Parser of responses: default, pope, ode, amber, vhtest or lmms_eval.", None)
    by: tuple[str, ...] = option("Split the scores by a field, such as criterion; may be repeated.", (), repeat=True)


@dataclass(frozen=True, kw_only=True)
class PairOptions(CompatOption):
    """Scoring of pairs."""

    parser: str | None = option("Parser of responses, as for yes-no; with --compat, vhtest.", None)
    by: tuple[str, ...] = option(
        "Split the scores by a field of pairs, such as mode (the twin's wording); may be repeated.", (), repeat=True
    )


@dataclass(frozen=True, kw_only=True)
class ChairOptions(CompatOption):
    """Further input of CHAIR."""

    gold: Path | None = option("JSON file: image id → names of its objects.", None, metavar="FILE")
    instances: Path | None = option("Instead of --gold: COCO instances.", None, metavar="FILE")
    captions: Path | None = option("With --instances: COCO's reference captions.", None, metavar="FILE")
    synonyms: Path | None = option(
        "CHAIR's synonyms.txt (one object per line), or JSON: name → words.", None, metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True)
class AmberOptions(CompatOption):
    """Further input of AMBER."""

    questions: Path | None = option("AMBER split that was evaluated, instead of AMBER's files.", None, metavar="SPLIT")
    annotations: Path | None = option("AMBER's annotations.json.", None, metavar="FILE")
    relation: Path | None = option("AMBER's relation.json.", None, metavar="FILE")
    safe_words: Path | None = option("AMBER's safe_words.txt, one word per line.", None, metavar="FILE")
    evaluation_type: str = option("Part to print: a (all), g, d, de, da or dr, as in AMBER.", "a")
    language: str = option("Nouns and similarity: builtin, nltk-spacy (the reference's), or auto.", "builtin")


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Output of scores."""

    as_json: bool = option("Print everything (counters, intervals, every row) as JSON.", False, names=("--json",))


@dataclass(frozen=True, kw_only=True)
class TellingOptions(OutputOptions):
    """Selection of scores."""

    allow_failed: bool = option("Report scores even if more than 1 % of the requests failed.", False)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(TellingOptions):
    """Parsing and completeness of responses."""

    require_complete: bool = option("Refuse a run with missing responses, or with unknown questions.", False)
    judge: str | None = option(
        "Let a language model judge unparsed responses and the assertions of captions: openai:MODEL@URL (any "
        "OpenAI-compatible endpoint; key in OPENAI_API_KEY) or transformers:NAME. It never sees reference "
        "answers; its decisions are counted and cached in VHBENCH_CACHE.",
        None,
        metavar="MODEL",
        panel="Judge",
    )
    judge_url: str | None = option(
        "With --judge MODEL: endpoint, such as http://localhost:8000/v1.", None, metavar="URL", panel="Judge"
    )
    judge_workers: int = option("Concurrent requests to the judge.", 8, least=1, most=256, panel="Judge")
