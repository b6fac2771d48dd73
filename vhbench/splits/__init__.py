"""Split directories: Parquet shards and a manifest, validated when read back.

A split directory is one built benchmark::

    ode/
      fictional/test-00000-of-00002.parquet     questions with their images, one folder per config
      fictional/test-00001-of-00002.parquet
      scenes.parquet                            ground truth of the images, without the images
      digests.parquet                           hash of each row, and of its images
      rejections.jsonl                          rejected samples with reasons
      manifest.json                             written last: a directory without it is unfinished
      README.md                                 dataset card, generated from the manifest

Readers open only the files that the manifest lists, after checking every path in it.
"""

from vhbench.splits.checked_rows import CheckedRows
from vhbench.splits.manifests import SECRET_SEED, check_no_strays, read_manifest
from vhbench.splits.reading import (
    choose,
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
    "SECRET_SEED", "CheckedRows", "check_no_strays", "check_place", "choose", "damage", "locked", "packed_scenes",
    "read_columns", "read_ids", "read_manifest", "read_questions", "read_rejections", "read_rows", "read_scenes",
    "read_truths", "recompute_content_hash", "recompute_scenes_hash", "verify", "write_split",
]  # fmt: skip
