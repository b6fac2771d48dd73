"""What a shard says about itself, without a card beside it."""

import io
from pathlib import Path

from PIL import Image

from vhbench import splits
from vhbench.schema import Question, Row


def test_datasets_sees_images_in_a_bare_shard(tmp_path: Path) -> None:
    import datasets

    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    question = Question(
        id="q",
        images=(buffer.getvalue(),),
        question="Is there a dog in the image?",
        answer="no",
        kind="yes_no",
        benchmark="ode",
        benchmark_version="1.0.0",
        scene_ids=("s",),
        neutral=("puppy",),
    )
    splits.write_split(
        tmp_path / "ode", [Row("ode", question)], benchmark="ode", version="1.0.0", seed=0, config={}, sources={}
    )
    shards = {"test": str(tmp_path / "ode" / "*" / "test-*.parquet")}
    [doc] = datasets.load_dataset("parquet", data_files=shards, cache_dir=str(tmp_path / "cache"), split="test")
    assert doc["images"][0].size == (8, 8)
    assert doc["neutral"] == ["puppy"]
