"""Parts of a card whose facts are known, word by word."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from PIL import Image
from toy_build import ToyBuild

from vhbench import card, splits
from vhbench.builds import sharding
from vhbench.card.dataset_card import BEGIN, END, cell, draw_sheet, replaced_metadata
from vhbench.schema import VhbenchError


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("card")
    sharding.run(ToyBuild(rows=1, shards=2), folder, progress=False)
    return folder / "ode"


def written(split: Path, into: Path, former: str = "") -> tuple[dict[str, object], str]:
    """Return front matter and text of a split's card."""
    card.write_card(split, into=into, former=former)
    _, front, text = (into / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(front), text


def test_the_facts_of_the_files(split: Path, tmp_path: Path) -> None:
    front, text = written(split, tmp_path)
    manifest = splits.read_manifest(split)
    assert front["size_categories"] == ["n<1K"]
    assert front["configs"] == [
        {
            "config_name": "all",
            "data_files": [{"split": "test", "path": [f"{name}/test-*.parquet" for name in sorted(manifest.rows)]}],
            "default": True,
        },
        *(
            {"config_name": name, "data_files": [{"split": "test", "path": [f"{name}/test-*.parquet"]}]}
            for name in sorted(manifest.rows)
        ),
    ]
    sizes = {name: sum(file.stat().st_size for file in (split / name).iterdir()) for name in manifest.rows}
    counted = {
        info["config_name"]: (info["splits"][0]["num_bytes"], info["splits"][0]["num_examples"])
        for info in front["dataset_info"]  # type: ignore[attr-defined]
    }
    assert counted == {
        "all": (sum(sizes.values()), sum(manifest.rows.values())),
        **{name: (sizes[name], manifest.rows[name]) for name in manifest.rows},
    }
    assert text.startswith(f"\n{BEGIN}\n\n")
    assert text.endswith(f"\n\n{END}\n")
    assert "![Contact sheet" not in text


@pytest.mark.parametrize(
    ("former", "expected"),
    [
        ("---\nlicense: mit\ntags: mine\nsize_categories: [n>1M]\n---\n", ("mit", "mine", ["n<1K"])),
        (f"---\nlicense: other\ntags: [benchmark, mine]\n---\n{BEGIN}{END}", ("apache-2.0", "benchmark", ["n<1K"])),
        (f"---\nlicense: mit\n---\n{BEGIN}{END}", ("mit", "benchmark", ["n<1K"])),
        ("---\nlicense: other\n---\n", ("other", "benchmark", ["n<1K"])),
    ],
)
def test_metadata_of_a_former_card(split: Path, tmp_path: Path, former: str, expected: tuple[object, ...]) -> None:
    front, _ = written(split, tmp_path, former)
    tags = front["tags"]
    assert isinstance(tags, list)
    assert (front["license"], tags[0], front["size_categories"]) == expected
    assert len(tags) == len(set(tags)) == 5 + ("mine" in tags)


def test_text_around_the_generated_part_stays(split: Path, tmp_path: Path) -> None:
    _, text = written(split, tmp_path, f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    assert text.startswith(f"\n# Before\n\n{BEGIN}\n\n")
    assert text.endswith(f"\n\n{END}\n\nAfter.\n")
    assert "old" not in text.splitlines()
    assert written(split, tmp_path, "# Mine\n")[1].endswith(f"{END}\n\n# Mine\n")


def test_metadata_that_a_card_would_replace() -> None:
    assert replaced_metadata("---\nconfigs: []\ndataset_info: {}\nlicense: mit\n---\n") == ["configs", "dataset_info"]
    assert replaced_metadata(f"---\nconfigs: []\n---\n{BEGIN}{END}") == []
    assert replaced_metadata("---\n- a\n---\n") == ["all, since it is no YAML mapping"]
    assert replaced_metadata("---\n---\n") == replaced_metadata("# Mine") == []


def test_a_cell_is_plain_text() -> None:
    assert cell('a|b *c*\n <d> & "e"') == 'a\\|b \\*c\\* &lt;d&gt; &amp; "e"'


def test_an_entry_of_the_changelog_replaces_that_of_its_version(split: Path) -> None:
    manifest = replace(splits.read_manifest(split), version="1.1.0")
    former = "Preface.\n\n### 1.1.0\n\nOld.\n\n### 1.0.0\n\nFirst.\n"
    assert card.changelog_entry(manifest, " New. ", former) == (
        "### 1.1.0\n\nNew.\n\nPreface.\n\n### 1.0.0\n\nFirst.\n"
    )


def test_a_changelog_that_is_no_text_is_told(split: Path, tmp_path: Path) -> None:
    (split / "CHANGELOG.md").write_bytes(b"\xff")
    try:
        with pytest.raises(VhbenchError, match=r"CHANGELOG\.md: cannot be read as UTF-8: "):
            card.write_card(split, into=tmp_path)
    finally:
        (split / "CHANGELOG.md").unlink()


def edited(split: Path, folder: Path, **fields: object) -> Path:
    """Return a copy of a split with other fields in its manifest."""
    copy = shutil.copytree(split, folder / "edited")
    file = copy / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))
    return copy


def test_attacks_that_no_build_writes_are_told(split: Path, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"manifest\.json: extra\.attacks: expected method → counts, as a build"):
        card.write_card(edited(split, tmp_path, extra={"attacks": {"noise": 1}}))


def test_a_long_option_is_shortened(split: Path, tmp_path: Path) -> None:
    options = {"ids": ["x"] * 200, "text": "y" * 599, "edge": "z" * 598, "few": [1]}
    text = written(edited(split, tmp_path, config=options), tmp_path)[1]
    assert '  "edge": "' + "z" * 598 + '",\n  "few": [\n    1\n  ],\n' in text
    assert '  "ids": "… 200 entries, see manifest.json",\n  "text": "… see manifest.json"\n' in text


def test_a_contact_sheet_is_drawn(split: Path, tmp_path: Path) -> None:
    draw_sheet(split, tmp_path / "contact_sheet.png")
    with Image.open(tmp_path / "contact_sheet.png") as image:
        assert (image.format, image.mode) == ("PNG", "P")
    assert "![Contact sheet" in written(split, tmp_path)[1]
