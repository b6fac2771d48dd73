"""The card tells what the split holds, and nothing in the data can break out of it."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from toy_build import ToyBuild

from vhbench import card, columns, splits
from vhbench.benchmarks import BENCHMARKS
from vhbench.builds import sharding
from vhbench.builds.starter import starter
from vhbench.card.dataset_card import BEGIN, END, replaced_metadata
from vhbench.card.sources import references, source, sources
from vhbench.schema import CANARY, Rejection, VhbenchError


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    sharding.run(ToyBuild(), folder, progress=False)
    card.write_card(folder / "ode", repo_id="org/ode", picture=card.sheet(folder / "ode"))
    return folder / "ode"


@pytest.fixture
def split(built: Path, tmp_path: Path) -> Path:
    """A copy of a split with its card, for each test to spoil."""
    return shutil.copytree(built, tmp_path / "ode")


def front_matter(split: Path) -> dict[str, object]:
    return yaml.safe_load((split / "README.md").read_text().split("---\n")[1])


def test_the_card_counts_what_is_there(split: Path) -> None:
    text = (split / "README.md").read_text()
    assert "| a | 18 | yes or no | yes 100% |" in text
    assert "| too small | 6 |" in text
    assert "### 1.0.0\n\nFirst release." in text
    assert CANARY in text
    assert "![Contact sheet" in text
    assert "tu2025ode" in text
    assert splits.read_manifest(split).content_hash in text


def test_every_row_of_a_table_has_as_many_cells_as_its_head(tmp_path: Path) -> None:
    card.write_card(starter("mioh"), into=tmp_path)
    tables = re.findall(r"(?m)(?:^\|.*\n)+", (tmp_path / "README.md").read_text())
    widths = [{len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()} for table in tables]
    assert [len(of_table) for of_table in widths] == [1] * len(tables)
    views = next(table for table in tables if "another image" in table)
    assert "| A1 easy | " in views
    assert "| A1 hn | " in views


def test_the_front_matter_describes_every_column(split: Path) -> None:
    front = front_matter(split)
    assert [entry["config_name"] for entry in front["configs"]] == ["all", "a", "b"]  # type: ignore[attr-defined,index]
    features = {entry["name"]: entry for entry in front["dataset_info"][0]["features"]}  # type: ignore[index]
    assert features["images"] == {"name": "images", "sequence": "image"}
    assert features["negated"]["dtype"] == "bool"
    assert set(features) == set(columns.COLUMNS)
    assert front["license"] == "apache-2.0"


def test_datasets_reads_the_folder_with_its_card(split: Path, tmp_path: Path) -> None:
    import datasets

    rows = datasets.load_dataset(str(split), "b", split="test", cache_dir=str(tmp_path / "cache"))
    expected = {question.id: question for question in splits.read_questions(split, "b")}
    assert {row["id"] for row in rows} == set(expected)
    for row in rows:
        assert row["images"][0].size == (16, 16)
        assert row["question"] == expected[row["id"]].question


def test_the_benchmark_is_registered(split: Path) -> None:
    evaluation = yaml.safe_load((split / "eval.yaml").read_text())
    assert evaluation["evaluation_framework"] == "lmms-eval"
    assert evaluation["tasks"] == [{"id": c, "config": c, "split": "test"} for c in "ab"]


def test_mlcroissant_accepts_the_description(split: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=split / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    assert [record.name for record in dataset.metadata.record_sets] == ["a", "b"]
    assert {field.name for field in dataset.metadata.record_sets[0].fields} >= {"a/images", "a/answer"}


def test_the_card_is_no_fault_of_the_split(split: Path) -> None:
    assert splits.verify(split) == []


def test_words_from_data_stay_words(tmp_path: Path) -> None:
    rows = [
        replace(row, question=replace(row.question, task="<script>alert(1)</script>|x\n# y"))
        for row in ToyBuild(rows=2, shards=1).make(0)
        if hasattr(row, "question")
    ]
    rows[0] = replace(rows[0], question=replace(rows[0].question, task="[a](javascript:x)"))
    evil = Rejection("x", "</td><img src=x onerror=alert(1)>|")
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="1.0.0", seed=0, config={}, rejections=[evil])
    card.write_card(tmp_path / "ode")
    text = (tmp_path / "ode/README.md").read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert "[a](javascript:" not in text
    assert "\n# y" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\|x" in text


def test_the_changelog_grows_on_top(split: Path) -> None:
    manifest = replace(splits.read_manifest(split), version="1.1.0")
    first = card.changelog_entry(manifest, "More pairs.", "### 1.0.0\n\nFirst release.\n")
    assert first == "### 1.1.0\n\nMore pairs.\n\n### 1.0.0\n\nFirst release.\n"
    assert card.changelog_entry(manifest, "Better.", first).startswith("### 1.1.0\n\nBetter.\n\n### 1.0.0")


def test_two_writings_are_equal(split: Path) -> None:
    names = ("README.md", "CHANGELOG.md", "eval.yaml", "croissant.json", "contact_sheet.png")
    before = {name: (split / name).read_bytes() for name in names}
    card.write_card(split, repo_id="org/ode", picture=card.sheet(split))
    assert {name: (split / name).read_bytes() for name in names} == before
    json.loads(before["croissant.json"])


def test_every_paper_is_cited_in_full() -> None:
    assert {name for name, source in sources().items() if not source.cite} == {"scenes"}
    cited = {about.cite for about in BENCHMARKS.values()} | {source.cite for source in sources().values()}
    assert cited - {""} == set(references())
    entries = list(references().values())
    for entry in entries:
        assert re.match(r"@(inproceedings|article)\{[a-z]+20\d\d[a-z]+,\n", entry)
        assert all(re.search(rf"(?m)^  {field} += \{{", entry) for field in ("title", "author", "year"))
        assert "and others" not in entry
        assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        ("diffusers:FLUX.1-dev", "FLUX.1 [dev] Non-Commercial License"),
        ("diffusers:FLUX.1-Krea-dev", "FLUX.1 [dev] Non-Commercial License"),
        ("diffusers:FLUX.2-dev", "FLUX [dev] Non-Commercial License"),
        ("diffusers:FLUX.2-klein-4B", "not known to vhbench"),
        ("diffusers:stable-diffusion-xl-base-1.0", "Open RAIL++-M"),
        ("diffusers:sdxl-base-1.0", "Open RAIL++-M"),
        ("diffusers:sd-turbo", "Stability AI Community License"),
        ("diffusers:PixArt-XL-2-1024-MS", "Open RAIL++-M"),
        ("diffusers:PixArt-Sigma-XL-2-1024-MS", "Open RAIL++-M"),
        ("diffusers:PixArt-Sigma-XL-2-512-MS", "Open RAIL++-M"),
        ("diffusers:PixArt-Sigma-XL-2-2K-MS", "not known to vhbench"),  # its page says another licence
        ("diffusers:stable-diffusion-v1-5", "Open RAIL-M"),
        ("diffusers:stable-diffusion-2-1", "Open RAIL++-M"),
        ("diffusers:stable-diffusion-3-medium-diffusers", "Stability AI Community License"),
        ("diffusers:stable-diffusion-3.5-large", "Stability AI Community License"),
        ("diffusers:stable-diffusion-unheard-of", "not known to vhbench"),
        ("diffusers:Qwen-Image", "Apache-2.0"),
        ("diffusers:somebody", "not known to vhbench"),
    ],
)
def test_the_licence_of_generated_images_is_that_of_their_model(name: str, licence: str) -> None:
    assert licence in source(name).licence


def test_the_card_and_the_pages_cite_the_same_papers() -> None:
    root = Path(__file__).parents[3]
    readme = (root / "README.md").read_text() + (root / "docs/static.md").read_text()
    cited = [references()[key] for key in re.findall(r"(?m)^@\w+\{(\w+),$", readme)]
    assert len(cited) >= 5
    for entry in cited:
        for name in ("title", "author"):
            value = re.search(rf"{name} += {{(.+?)}},\n", entry, re.DOTALL)
            assert value
            assert " ".join(re.sub("[{}]", "", value[1]).split()) in readme


def edit(split: Path, **fields: object) -> None:
    file = split / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"extra": {"commitment": "x` <script>alert(1)</script> `"}},
            "commitment: expected 64 lower-case hexadecimal",
        ),
        ({"extra": {"commitment": {"a": 1}}}, "commitment: expected 64 lower-case hexadecimal"),
        ({"extra": {"commitment": "f" * 64 + "\n"}}, "commitment: expected 64 lower-case hexadecimal"),
        ({"rejections": {"x": "y"}}, r"rejections.* is \{'x': 'y'\}: expected `int`, got `str`"),
    ],
)
def test_a_manifest_that_no_build_writes_gets_no_card(split: Path, fields: dict[str, object], message: str) -> None:
    before = (split / "README.md").read_bytes()
    edit(split, **fields)
    with pytest.raises(VhbenchError, match=message) as refused:
        card.write_card(split)
    assert "\n" not in str(refused.value)
    assert (split / "README.md").read_bytes() == before


def test_a_commitment_is_shown(split: Path) -> None:
    edit(split, extra={"commitment": "ab" * 32}, config={"long": 10**15, "text": "x" * 9_000})
    card.write_card(split)
    assert f"HMAC-SHA-256 (`{'ab' * 32}`)" in (split / "README.md").read_text()


def test_a_received_changelog_stays_text(split: Path) -> None:
    evil = "### 1.0.0\n\n<script>x</script> **bold**, 1 < 2 </p><!-- <img src=x> [a](javascript:x) \\\\[b](data:x)\n"
    evil += "\\\\](javascript:x) [good](https://example.org)\n\n[r]: javascript:x\n"
    (split / "CHANGELOG.md").write_text(evil)
    card.write_card(split)
    written = (split / "CHANGELOG.md").read_text()
    readme = (split / "README.md").read_text()
    assert (readme.count(BEGIN), readme.count(END)) == (1, 1)
    for text in (written, readme.replace(BEGIN, "").replace(END, "")):
        assert not re.search(r"<(script|/p|!--|img)", text)
        assert "&lt;script>x&lt;/script> **bold**, 1 < 2" in text
        assert "[a\\](javascript" in text
        assert "[b\\](data" in text
        assert "\n\\\\\\](javascript" in text
        assert "[r\\]: javascript" in text
        assert "[good](https://example.org)" in text
    card.write_card(split)
    assert (split / "CHANGELOG.md").read_text() == written


def test_a_changelog_that_is_a_link_is_not_published(split: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("secret")
    (split / "CHANGELOG.md").unlink()
    (split / "CHANGELOG.md").symlink_to(tmp_path / "private")
    with pytest.raises(VhbenchError, match="leads out of the split directory"):
        card.write_card(split)


@pytest.mark.parametrize(
    "front", ["released: 2026-99-99", "number: " + "9" * 5000, "deep: " + "[" * 3000, "text: " + "x" * 300_000]
)
def test_metadata_that_cannot_be_read_are_asked_about(split: Path, front: str) -> None:
    former = f"---\n{front}\n---\n# Mine\n"
    assert replaced_metadata(former) == ["all, since it is no YAML mapping"]
    card.write_card(split, former=former)
    assert "\n# Mine\n" in (split / "README.md").read_text()


@pytest.mark.parametrize(
    "former", ["\ufeff---\nlicense: mit\n---\n# M", "\n--- \nlicense: mit\n--- \n", "---\nlicense: mit\n---"]
)
def test_metadata_are_found_where_the_hub_finds_them(split: Path, former: str) -> None:
    card.write_card(split, former=former)
    assert front_matter(split)["license"] == "mit"
    assert (split / "README.md").read_text().count("license: mit") == 1


def test_a_card_of_which_nobody_knows_what_is_ours_is_refused(split: Path) -> None:
    with pytest.raises(
        VhbenchError, match=r"README\.md: has '<!-- vhbench: generated .*, and lacks '<!-- vhbench: end"
    ):
        card.write_card(split, former=f"# Mine\n{BEGIN}\nours\n\n## An erratum of mine\n")
