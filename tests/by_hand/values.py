"""Prints one line per row of a split: its config, id and a digest of every value, pixels included."""

import hashlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def by_vhbench(split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read with vhbench."""
    from PIL import Image

    from vhbench import splits
    from vhbench.splits.parquet import COLUMNS

    for row in splits.read_rows(Path(split)):
        values = {name: getattr(row.question, name) for name in COLUMNS}
        yield row.config, {**values, "images": [Image.open(io.BytesIO(data)) for data in values["images"]]}


def by_datasets(split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read with whatever version of datasets is installed."""
    import datasets

    for config in datasets.get_dataset_config_names(split):
        for row in datasets.load_dataset(split, config, split="test"):
            yield config, row


def line(config: str, row: dict[str, Any]) -> str:
    """Return a row's line."""
    values = {name: value for name, value in row.items() if name != "images"}
    pixels = [[image.size, hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()] for image in row["images"]]
    text = json.dumps([values, pixels], sort_keys=True)
    return f"{config} {row['id']} {hashlib.sha256(text.encode()).hexdigest()}"


if __name__ == "__main__":
    reader = {"vhbench": by_vhbench, "datasets": by_datasets}[sys.argv[1]]
    print("\n".join(sorted(line(*item) for item in reader(sys.argv[2]))))
