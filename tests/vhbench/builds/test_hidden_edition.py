"""A hidden edition tells no answer, is scored with its key, and is held to what it commits to."""

import io
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase

import numpy as np
import orjson
import pytest
from paper_mioh import PaperMioh
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters.hub_release import refuse_hidden
from vhbench.builds import hidden_edition, hidden_seed, sharding, vhexpansion_sources
from vhbench.builds.ode import OdeBuild
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.cli import app
from vhbench.files import read_image
from vhbench.schema import TIE, Question, Row, VhbenchError
from vhbench.splits import answer_keys
from vhbench.splits.verifying import KEPT_BACK

TEXT, OTHER_TEXT = (sha256(name).hexdigest().encode() for name in (b"one", b"another"))
SECRET, OTHER = hidden_seed.key_of(TEXT), hidden_seed.key_of(OTHER_TEXT)
ODE = OdeBuild(pairs=2, size=64, criteria=("standard", "fictional"))


def edition(build: OdeBuild | PaperMioh | VHExpansionBuild, folder: Path, key: bytes = SECRET) -> Path:
    """Build the whole of an edition from a secret."""
    seed = hidden_seed.seed_of(key, build.benchmark, build.version)
    made = replace(build, seed=seed)
    sharding.run(
        made, folder, commitment=hidden_seed.commitment_of(key, build.benchmark, build.version), progress=False
    )
    return folder / build.benchmark


@pytest.fixture(scope="module", autouse=True)
def _keys_once() -> Iterator[None]:
    """Derive each key once, which takes a quarter of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hidden_seed, "key_of", lru_cache(hidden_seed.key_of))
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return edition(ODE, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def shown(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("public")
    hidden_edition.write(whole, SECRET, folder / "ode", folder / "ode.key.jsonl")
    return folder / "ode"


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    told = str(result.exception) if isinstance(result.exception, VhbenchError) else result.output
    return result.exit_code, told


def test_what_is_public_has_questions_and_images_and_nothing_else(whole: Path, shown: Path) -> None:
    full, public = list(splits.read_questions(whole)), list(splits.read_questions(shown))
    assert not Counter(q.question for q in public) - Counter(q.question for q in full)
    assert {q.scene_ids for q in public if q.kind == "caption"} == {q.scene_ids for q in public}
    assert Counter(q.scene_ids for q in public if q.kind != "caption").most_common(1)[0][1] == 2, "one pair of an image"
    assert all(not getattr(q, name) for q in public for name in KEPT_BACK)
    assert {q.id for q in full}.isdisjoint(q.id for q in public)
    names = {name for q in full for name in (q.id, q.pair_id, *q.scene_ids)}
    texts = b"".join(path.read_bytes() for path in shown.iterdir() if path.is_file())
    assert not any(name.encode() in texts for name in names)
    assert names.isdisjoint(name for q in public for name in (q.id, *q.scene_ids))
    assert splits.verify(shown) == []
    assert sorted(path.name for path in shown.iterdir() if path.is_file()) == [
        "digests.parquet",
        "manifest.json",
        "rejections.jsonl",
    ]
    assert (shown / "rejections.jsonl").read_bytes() == b""
    manifest = splits.read_manifest(shown)
    assert manifest.seed == splits.SECRET_SEED
    assert manifest.extra.keys() == {"commitment", "hidden", "options"}
    assert manifest.extra["commitment"] != splits.read_manifest(whole).extra["commitment"]


def test_a_row_that_tells_what_is_kept_back_is_a_fault(shown: Path, tmp_path: Path) -> None:
    manifest, rows = splits.read_manifest(shown), list(splits.read_rows(shown))
    told = replace(rows[0], question=replace(rows[0].question, answer="yes", candidates=("dog",)))
    how = {"benchmark": "ode", "version": "2.0.0", "seed": -1, "config": manifest.config}
    splits.write_split(tmp_path / "ode", [told, *rows[1:]], **how, extra=manifest.extra)  # type: ignore[arg-type]
    fault = f"row {told.question.id!r}: reveals answer, candidates of a hidden test set"
    assert splits.verify(tmp_path / "ode") == [fault]


def test_images_keep_no_notes() -> None:
    exif = Image.Exif()
    exif[0x0132], exif[0x010F] = "2024:01:01 00:00:00", "a camera"
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "JPEG", exif=exif, comment=b"yes", icc_profile=b"profile")
    asked = Question("q", images=(buffer.getvalue(),), question="?", answer="yes", kind="yes_no")
    image = read_image(hidden_edition.public(asked, SECRET, {}).images[0])
    assert [image[place + 4 : place + 8] for place in chunks(image)] == [b"IHDR", b"IDAT", b"IEND"]


def chunks(png: bytes) -> list[int]:
    """Where the chunks of a PNG begin."""
    places = [8]
    while (end := places[-1] + 12 + int.from_bytes(png[places[-1] : places[-1] + 4], "big")) < len(png):
        places.append(end)
    return places


def test_the_revealed_secret_builds_it_again(
    whole: Path, shown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    file, other = tmp_path / "secret", tmp_path / "other"
    file.write_bytes(TEXT)
    other.write_bytes(OTHER_TEXT)
    for split in (whole, shown):
        code, said = run("verify", split, "--secret", file)
        assert (code, "0 errors" in said) == (0, True), said
        assert run("verify", split, "--secret", file, "--rebuilt", whole)[0] == 0
        code, said = run("verify", split, "--secret", other, "--rebuilt", whole)
        assert (code, "commits to another secret" in said) == (1, True)
    assert not list((tmp_path / "here").iterdir())  # what is rebuilt lies in a temporary folder
    another = edition(replace(ODE, pairs=1), tmp_path / "1")
    code, said = run("verify", shown, "--secret", file, "--rebuilt", another)
    assert (code, "commits to another secret or split" in said) == (1, True)
    code, said = run("verify", shown, "--rebuilt", another)
    assert "expected --secret FILE as well" in said


def test_a_maintainer_who_swaps_the_options_is_found_out(whole: Path, shown: Path, tmp_path: Path) -> None:
    manifest = splits.read_manifest(shown)
    forged = {**manifest.extra, "options": {**manifest.extra["options"], "pairs": 1}}
    how = {"benchmark": "ode", "version": "2.0.0", "seed": -1, "config": manifest.config}
    splits.write_split(tmp_path / "ode", splits.read_rows(shown), **how, extra=forged)  # type: ignore[arg-type]
    assert "commits to another secret or split" in hidden_edition.faults(tmp_path / "ode", SECRET)[0]


def test_forged_content_is_found_out_with_options_and_without(whole: Path, shown: Path, tmp_path: Path) -> None:
    manifest, rows = splits.read_manifest(whole), list(splits.read_rows(whole))
    flipped = {"yes": "no", "no": "yes", "": ""}
    forged = [replace(r, question=replace(r.question, answer=flipped[r.question.answer])) for r in rows]
    how = {"benchmark": "ode", "version": "2.0.0", "seed": -1, "config": manifest.config}
    bare = {"commitment": manifest.extra["commitment"]}
    splits.write_split(tmp_path / "bare" / "ode", forged, **how, extra=bare)  # type: ignore[arg-type]
    assert "the manifest has no options" in hidden_edition.faults(tmp_path / "bare" / "ode", SECRET)[0]
    assert "not built with the config and options" in hidden_edition.faults(tmp_path / "bare/ode", SECRET, whole)[-1]

    # Somebody's rebuilt split with other answers, under the manifest's content hash of the right one.
    splits.write_split(tmp_path / "ode", forged, **how, extra=manifest.extra)  # type: ignore[arg-type]
    assert "gives content hash" in hidden_edition.faults(tmp_path / "ode", SECRET, whole)[0]
    file = tmp_path / "ode" / "manifest.json"
    file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | {"content_hash": manifest.content_hash}))
    for split in (whole, shown):
        assert (
            "expected a complete split with content hash" in hidden_edition.faults(split, SECRET, tmp_path / "ode")[0]
        )
    assert "expected a complete split with content hash" in hidden_edition.faults(shown, SECRET, shown)[0]


def test_options_that_name_files_are_asked_for(shown: Path, tmp_path: Path) -> None:
    manifest = splits.read_manifest(shown)
    elsewhere = {**manifest.extra, "options": {"graph": ["amber:AMBER-that-is-not-here"]}}
    how = {"benchmark": "ode", "version": "2.0.0", "seed": -1, "config": {}}
    splits.write_split(tmp_path / "ode", splits.read_rows(shown), **how, extra=elsewhere)  # type: ignore[arg-type]
    with pytest.raises(VhbenchError, match=r"cannot be built here .*--rebuilt DIR"):
        hidden_edition.faults(tmp_path / "ode", SECRET)


@pytest.mark.parametrize(
    "options",
    [
        {"graph": ["amber:/home/somebody/AMBER"]},
        {"graph": ["coco:../../private.json"]},
        {"verifier": "openai:model@http://127.0.0.1:9/v1"},
        {"images": "diffusers:somebody/model"},
    ],
)
def test_a_stranger_s_options_lead_nowhere(options: dict[str, object], shown: Path, tmp_path: Path) -> None:
    manifest = splits.read_manifest(shown)
    how = {
        "benchmark": "ode",
        "version": "2.0.0",
        "seed": -1,
        "config": {},
        "extra": manifest.extra | {"options": options},
    }
    splits.write_split(tmp_path / "ode", splits.read_rows(shown), **how)  # type: ignore[arg-type]
    with pytest.raises(
        VhbenchError, match=r"cannot be built here \(expected option .* without path or URL, got .*\).*--rebuilt DIR"
    ):
        hidden_edition.faults(tmp_path / "ode", SECRET)


def test_only_what_the_secret_built_can_be_hidden(whole: Path, shown: Path, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="commits to another secret; a hidden test set is built with"):
        hidden_edition.write(whole, OTHER, tmp_path / "ode")
    with pytest.raises(VhbenchError, match="is the public part of a hidden test set already"):
        hidden_edition.write(shown, SECRET, tmp_path / "ode")


def test_what_is_made_of_a_hidden_edition_says_so(whole: Path, tmp_path: Path) -> None:
    made = VHExpansionBuild(source=f"ode:{whole}", perturb=("none",), limit=4)
    sharding.run(made, tmp_path, progress=False)
    manifest = splits.read_manifest(tmp_path / "vhexpansion")
    assert manifest.extra["hidden_source"] == splits.read_manifest(whole).extra["commitment"]
    with pytest.raises(VhbenchError, match="was built from a hidden test set"):
        refuse_hidden(manifest, reveal=False)
    refuse_hidden(manifest, reveal=True)
    again = VHExpansionBuild(source=str(tmp_path / "vhexpansion"), perturb=("none",))
    assert again.facts(()) == {"hidden_source": manifest.extra["hidden_source"]}


def test_a_table_that_is_a_file_of_a_hidden_edition_is_hidden_too(whole: Path, tmp_path: Path) -> None:
    shard = next(whole.glob("*/*.parquet"))
    committed = splits.read_manifest(whole).extra["commitment"]
    assert vhexpansion_sources.hidden_source(f"table:{shard}") == {"hidden_source": committed}
    shutil.copy(shard, tmp_path / "elsewhere.parquet")
    (tmp_path / "manifest.json").write_text("{}")  # of something else
    assert vhexpansion_sources.hidden_source(f"table:{tmp_path / 'elsewhere.parquet'}") == {}


def test_a_submission_is_scored_with_the_key(whole: Path, shown: Path, tmp_path: Path) -> None:
    key = shown.with_name("ode.key.jsonl")
    rows = [row for _, row in answer_keys.read_key(key)]
    public = {row.question.id: list(row.question.scene_ids) for row in splits.read_rows(shown)}
    assert {row["id"]: list(row["scene_ids"]) for row in rows} == public
    assert {row["id"] for row in rows} == {q.id for q in splits.read_questions(shown)}
    closed = {row["id"]: row["answer"] for row in rows if row["answer"]}
    wrong = dict(list(closed.items())[: len(closed) // 4])
    said = closed | {name: {"yes": "no", "no": "yes"}[answer] for name, answer in wrong.items()}
    (tmp_path / "answers.json").write_bytes(orjson.dumps(said))
    told = run("score", "yes-no", "--responses", tmp_path / "answers.json", "--key", key, "--positive", "no", "--json")
    assert told[0] == 0, told
    assert orjson.loads(told[1])["accuracy"] == pytest.approx(1 - len(wrong) / len(closed))

    spoken = {row["id"]: f"I see {', '.join(row['objects'])}." for row in rows if row["kind"] == "caption"}
    (tmp_path / "captions.json").write_bytes(orjson.dumps(spoken))
    told = run("score", "captions", "--responses", tmp_path / "captions.json", "--key", key, "--json")
    assert told[0] == 0, told
    assert orjson.loads(told[1])["chair_i"] == 0
    (tmp_path / "both.json").write_bytes(orjson.dumps(said | spoken))
    code, told_all = run("score", tmp_path / "both.json", "--key", key)
    assert code == 0, told_all
    assert "ode_fictional_existence" in told_all

    code, told_wrong = run("score", tmp_path / "both.json", "--key", tmp_path / "both.json")
    assert (code, "expected the key of a hidden test set" in told_wrong) == (1, True)
    both = run("score", tmp_path / "both.json", "--key", key, "--questions", whole)[1]
    assert "expected either --questions or --key" in both


def features(rows: Sequence[Row]) -> list[dict[str, float]]:
    """Return everything that is public of rows but what the pictures show."""
    found = []
    seen: dict[str, int] = {}
    for place, row in enumerate(rows):
        q = row.question
        data = [read_image(image) for image in q.images]
        within = seen[q.scene_ids[0]] = seen.get(q.scene_ids[0], -1) + 1
        told: dict[str, float] = {"place": place / len(rows), "parity": place % 2, "within": within, "odd": within % 2}
        told |= {f"digit {i} {character}": 1 for i, character in enumerate(q.id)}
        told |= {"id": int(q.id, 16) / 2**64, "id parity": int(q.id, 16) % 2}
        told |= {f"scene {i} {character}": 1 for i, character in enumerate(q.scene_ids[0][:4])}
        told |= {"length": len(q.question), "bytes": len(data[0]), "sum of bytes": sum(map(len, data))}
        told |= {"images": len(data), "last byte": data[0][-5], "bytes' parity": len(data[0]) % 2}
        grey = np.asarray(Image.open(io.BytesIO(data[0])).convert("L"), float)
        told |= {"mean": grey.mean(), "spread": grey.std(), "width": grey.shape[1]}
        told |= {f"word {word}": 1 for word in q.question.lower().strip("?").split()}
        told |= {f"{name} {getattr(q, name)}": 1 for name in ("task", "mode", "criterion", "pairing", "question_type")}
        told |= {f"option {i} {choice}": 1 for i, choice in enumerate(q.choices)}
        told |= {f"config {row.config}": 1, f"perturbed {q.perturbation}": 1, f"options {len(q.choices)}": 1}
        found.append(told)
    return found


def builds() -> dict[str, Callable[[Path], Path]]:
    ode = OdeBuild(pairs=14, size=64, levels=("existence", "attribute"))

    def expanded(folder: Path) -> Path:
        # From an open edition, as from any published benchmark; who hides it makes nothing of that public either.
        sharding.run(replace(ode, pairs=7, seed=77), folder, progress=False)
        build = VHExpansionBuild(source=f"ode:{folder / 'ode'}", perturb=("jpeg_compression",))
        return edition(build, folder / "expanded")

    return {
        "ode": lambda folder: edition(ode, folder),
        "mioh": lambda folder: edition(PaperMioh(each=150), folder),
        "vhexpansion": expanded,
    }


@pytest.fixture(scope="module", params=["ode", "mioh", "vhexpansion"])
def hidden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A whole split, and a folder with the hidden edition of it: ``public`` and ``key.jsonl``."""
    benchmark, folder = request.param, tmp_path_factory.mktemp(request.param)
    split, names = builds()[benchmark](folder), np.random.default_rng(0)
    with pytest.MonkeyPatch.context() as patch:  # random scene ids would exceed the bound now and then
        patch.setattr(hidden_edition.secrets, "token_hex", lambda size: names.bytes(size).hex())
        hidden_edition.write(split, SECRET, folder / "public", folder / "key.jsonl")
    return split, folder


def test_a_classifier_on_all_that_is_public_is_at_chance(hidden: tuple[Path, Path]) -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    benchmark, folder = hidden[0].name, hidden[1]
    key = {row["id"]: row for _, row in answer_keys.read_key(folder / "key.jsonl")}
    answers = {name: row["answer"] for name, row in key.items()}
    rows = [row for row in splits.read_rows(folder / "public") if answers[row.question.id]]
    told = features(rows)
    # What the answers to one case are learned from are other images, and in MIOH no other form of the same question.
    cases = [key[row.question.id]["pair_id"].rpartition(TIE)[2] for row in rows]
    images = np.array(cases if benchmark == "mioh" else [row.question.scene_ids[0] for row in rows])
    right = np.array([answers[row.question.id] for row in rows])
    chance = np.mean([1 / (len(row.question.choices) or 2) for row in rows])
    assert len(rows) > 200
    for attacker in (LogisticRegression(max_iter=500), RandomForestClassifier(100, min_samples_leaf=3, random_state=0)):
        model = make_pipeline(DictVectorizer(), MaxAbsScaler(), attacker)
        said = cross_val_predict(model, told, right, groups=images, cv=GroupKFold(5))
        hits = said == right
        units, sizes = (
            np.array([of[images == image].sum() for image in np.unique(images)]) for of in (hits, hits >= 0)
        )
        spread = np.sqrt(((units - hits.mean() * sizes) ** 2).sum()) / len(rows)
        assert hits.mean() <= chance + 3 * spread, f"{type(attacker).__name__}: {hits.mean():.3f} of {len(rows)}"


def presupposed(rows: Sequence[Question]) -> dict[str, str]:
    """Answer what asks for a thing by whether another question about the image takes it for granted."""
    granted: dict[str, set[str]] = {}
    known = re.compile(
        r"(?:(?:is|are) the (?:two |three |four |five )?|(?:is|are) there exactly \w+ )(.+?) in the image"
    )
    for q in rows:
        if found := known.match(q.question.lower()):
            granted.setdefault(q.scene_ids[0], set()).add(found[1].rstrip("s"))
    asked = {q: re.match(r"(?:is|are) there (?:an? )?(.+?) in the image", q.question.lower()) for q in rows}
    return {
        q.id: "yes" if found[1].rstrip("s") in granted[q.scene_ids[0]] else "no"
        for q, found in asked.items()
        if found and "exactly" not in found[0] and q.scene_ids[0] in granted
    }


def replaced(rows: Sequence[Question]) -> dict[str, str]:
    """Answer questions about sets of images by which images stay when the same is asked under another pressure."""
    alike: dict[tuple[str, str], list[Question]] = {}
    for q in rows:
        alike.setdefault((q.question_type, q.question), []).append(q)
    said = {}
    for q in rows:
        mine = set(q.scene_ids)
        hard = [o for o in alike[q.question_type, q.question] if o.pressure == "hp" and len(o.images) == len(q.images)]
        best = max(hard, key=lambda o: len(mine & set(o.scene_ids)), default=None)
        if q.pressure != "easy" or best is None or not mine & set(best.scene_ids):
            continue
        shown = mine - set(best.scene_ids)
        if not q.choices:
            said[q.id] = "yes" if shown else "no"
        elif str(len(shown)) in q.choices:
            said[q.id] = "ABCDEFG"[q.choices.index(str(len(shown)))]
        elif q.question_type == "E5" and len(shown) < 2:
            said[q.id] = ascii_uppercase[q.scene_ids.index(next(iter(shown))) if shown else len(q.choices) - 1]
    return said


def test_no_question_answers_another(hidden: tuple[Path, Path]) -> None:
    split, folder = hidden
    cheat = replaced if split.name == "mioh" else presupposed
    whole = [q for q in splits.read_questions(split) if not q.negated and not q.perturbation]
    answers, told = {q.id: q.answer for q in whole}, cheat(whole)
    assert not cheat(list(splits.read_questions(folder / "public")))
    if split.name != "mioh":
        assert len(told) > len(whole) / 10
        right = sum(answers[name] == answer for name, answer in told.items())
        assert right / len(told) > 0.8, "cheating is worth a try"
    else:
        assert not told, "no image of an easy question stays under HP"
        facts = [row["pair_id"].rpartition(TIE)[2] for _, row in answer_keys.read_key(folder / "key.jsonl")]
        assert len(facts) == len(set(facts))
