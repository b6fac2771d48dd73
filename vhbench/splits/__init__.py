"""Split directories: rows in, Parquet shards and a manifest out; and back again, with nothing taken on trust.

A split directory holds one built benchmark::

    ode/
      fictional/test-00000-of-00002.parquet     questions with their images, one folder per config
      fictional/test-00001-of-00002.parquet
      scenes.parquet                            the truth behind the images, without the images
      rejections.jsonl                          what was left out, and why
      manifest.json                             written last: a directory without it is unfinished
      README.md                                 the dataset card, made from the manifest

Whoever reads a split reads the files that its manifest lists and no others, and finds every path in it checked.
"""

from vhbench.splits.manifests import SECRET_SEED, check_no_strays, read_manifest
from vhbench.splits.reading import (
    choose,
    chosen,
    packed_scenes,
    read_columns,
    read_ids,
    read_questions,
    read_rejections,
    read_rows,
    read_scenes,
    read_truths,
    recompute_content_hash,
    recompute_scenes_hash,
)
from vhbench.splits.replacing import check_place, locked
from vhbench.splits.verifying import damage, verify
from vhbench.splits.writing import write_split

__all__ = [
    "SECRET_SEED",
    "check_no_strays",
    "check_place",
    "choose",
    "chosen",
    "damage",
    "locked",
    "packed_scenes",
    "read_columns",
    "read_ids",
    "read_manifest",
    "read_questions",
    "read_rejections",
    "read_rows",
    "read_scenes",
    "read_truths",
    "recompute_content_hash",
    "recompute_scenes_hash",
    "verify",
    "write_split",
]
