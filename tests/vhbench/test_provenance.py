"""Where a number comes from, as JSON and back, and the rules by which it is checked."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.provenance import (
    DataSource,
    Provenance,
    digest_of_prompts,
    from_json,
    hash_of_row,
    missing,
    one_of,
    provenance_in,
    safe_arguments,
)
from vhbench.schema import Record, VhbenchError

HUB = DataSource(kind="hub", release=f"hf://org/ode@v1.0.0#sha256:{'0' * 64}", revision="0" * 40)
TOLD = Provenance(
    task="ode_fictional_existence",
    benchmark="ode",
    version="1.0.0",
    content_hash="c" * 64,
    data=HUB,
    vhbench="0.1.0",
    lmms_eval="0.7.3",
    model="qwen3_vl",
    generation={"until": [], "temperature": 0.0},
    asked=20,
    of=60,
)


def test_it_comes_back_as_it_was_written() -> None:
    written = json.loads(json.dumps(TOLD.to_json()))
    assert written["data"] == {"kind": "hub", "release": HUB.release, "revision": "0" * 40}
    assert from_json(written, "here") == TOLD
    assert one_of([written, written], "here") == TOLD
    assert one_of([], "here") is one_of([None, None], "here") is None


def test_what_somebody_wrote_into_it_is_named_with_its_place() -> None:
    written = TOLD.to_json()
    with pytest.raises(VhbenchError, match=r"^here: provenance: asked is 'all': expected `int`, got `str`$"):
        from_json(written | {"asked": "all"}, "here")
    with pytest.raises(VhbenchError, match=r"^here, sample 2: is of another run .*\(model: 'qwen3_vl' and 'other'\)$"):
        one_of([written, written | {"model": "other"}], "here")
    with pytest.raises(VhbenchError, match="one of the two has no provenance"):
        one_of([written, None], "here")


def test_a_file_of_samples_has_the_provenance_of_its_first_one(tmp_path: Path) -> None:
    told, none = (
        {"doc_id": 0, "accuracy": {"id": "q", "provenance": TOLD.to_json()}},
        {"doc_id": 1, "accuracy": {"id": "r"}},
    )
    for rows, expected in (([told, none], TOLD), ([none, told], None), ([], None), (["no sample"], None)):
        file = tmp_path / "samples.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert provenance_in(file) == expected


def test_no_question_may_be_missing_without_a_word() -> None:
    """The case that scored 1.0000: 651 of 814 ids, all right."""
    assert missing(651, 814, 814) == "651 of 814 questions have an answer"
    assert missing(8_785, 8_786, 8_786) == "8,785 of 8,786 questions have an answer"
    assert missing(814, 814, 814) is None


@given(st.dictionaries(st.text(), st.text(), min_size=2), st.integers())
def test_the_digest_of_prompts_has_no_order_and_knows_each_of_them(prompts: dict[str, str], seed: int) -> None:
    names = list(prompts)
    random.Random(seed).shuffle(names)
    found = digest_of_prompts({name: prompts[name] for name in names})
    assert found == digest_of_prompts(prompts)
    assert found != digest_of_prompts(prompts | {names[0]: prompts[names[0]] + "x"})
    assert found != digest_of_prompts({name: prompts[name] for name in names[1:]})


def test_the_hash_of_a_row_is_that_of_its_record() -> None:
    row = {name: getattr(Record("q"), name) for name in Record.__dataclass_fields__}
    row |= {"question": "Is there a dog?", "scene_ids": ("s1", "s2")}
    as_loaded = row | {"scene_ids": ["s1", "s2"], "objects": []}
    assert hash_of_row(row, "c") == hash_of_row(as_loaded, "c")
    assert hash_of_row(row, "c") != hash_of_row(row, "d")
    assert hash_of_row(row, "c") != hash_of_row(row | {"question": "Is there a cat?"}, "c")


@pytest.mark.parametrize(
    "given",
    [
        "pretrained=org/x,api_key=s3cr3t,max_pixels=4",
        "pretrained=org/x,OPENAI_API_KEY=s3cr3t,max_pixels=4",
        "pretrained=org/x,hf_token=s3cr3t,max_pixels=4",
        "pretrained=org/x,password=s3cr3t,max_pixels=4",
        "pretrained=org/x,token=s3cr3t,max_pixels=4",
        "pretrained=org/x,apiKey=s3cr3t,max_pixels=4",
        "pretrained=org/x,key=s3cr3t,max_pixels=4",
        "pretrained=org/x,api-key=s3cr3t,max_pixels=4",
        "pretrained=org/x,hftoken=s3cr3t,max_pixels=4",
        "pretrained=org/x,accesskey=s3cr3t,max_pixels=4",
        "pretrained=org/x,aws_access_key_id=s3cr3t,max_pixels=4",
        "pretrained=org/x, credentials=s3cr3t,max_pixels=4",
        "pretrained=org/x,headers.Authorization=s3cr3t,max_pixels=4",
        {"pretrained": "org/x", "client_secret": "s3cr3t", "max_pixels": 4},
        "pretrained=org/x,base_url=https://me:s3cr3t@host/v1,max_pixels=4",
    ],
)
def test_secrets_among_the_arguments_stay_secret(given: object) -> None:
    found = safe_arguments(given)
    assert "s3cr3t" not in found
    assert found.startswith("pretrained=org/x,")
    assert found.endswith(",max_pixels=4")


@pytest.mark.parametrize(
    "given",
    [
        "pretrained=org/x,max_new_tokens=16,tokenizer=org/y",
        "pretrained=org/x,image_token_length=4,token_strategy=single,pad_token_id=0",
        "pretrained=org/x,max_tokens=4096,keyframes=8,use_monkey=True",
    ],
)
def test_settings_are_no_secrets(given: str) -> None:
    assert safe_arguments(given) == given
