"""Rows of response files of other harnesses, in any format."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vhbench.adapters.table_rows import READERS
from vhbench.files import quote_value
from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

FORMS = "JSON, JSON lines, {id: answer}, .csv, .tsv, .xlsx and .parquet"
"""Supported formats, in words."""

TABLES = frozenset(READERS)
"""Suffixes of formats other than JSON."""

_JSON = (".json", ".jsonl", ".ndjson")


def rows(path: Path, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file unchanged.

    Args:
        path: CSV, TSV, Excel or Parquet by its suffix; other files are read as JSON.
        names: see :func:`vhbench.json_rows.each_row`.

    Raises:
        VhbenchError: if it cannot be read; for an unknown format, with the supported ones.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        raise VhbenchError(f"{path}: expected a folder written by lmms-eval, or a file ({FORMS})")
    if not path.exists():
        raise VhbenchError(f"cannot read {path}: No such file or directory")
    count = 0
    try:
        for row in READERS[suffix](path) if suffix in READERS else each_row(path, names):
            count += 1
            yield dict(row)
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise VhbenchError(f"{path}: {error}") from error
    except VhbenchError as error:
        if count or suffix in READERS or suffix in _JSON or not suffix:
            raise
        raise VhbenchError(f"{error}; unsupported format {quote_value(suffix)}, expected {FORMS}") from error
    if not count:
        raise VhbenchError(f"{path}: expected at least one row")
