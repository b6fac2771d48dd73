"""What a footer says, read without pyarrow: the same as pyarrow reads, and no damaged one ends the process."""

import subprocess
import sys
from pathlib import Path

import odd_files
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vhbench.schema import VhbenchError
from vhbench.splits import footer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.parquet"
    table = pa.table({
        "id": [f"q{i}" for i in range(50)],
        "images": [[{"bytes": b"x" * i, "path": "a"}] for i in range(50)],
        "number": [i * 1.5 for i in range(50)],
        "right": [i % 2 == 0 for i in range(50)],
    })  # fmt: skip
    pq.write_table(table, path, row_group_size=20, column_encoding={"id": "DELTA_BYTE_ARRAY"}, use_dictionary=False)
    return path


def test_it_says_what_pyarrow_reads(file: Path) -> None:
    metadata, found = pq.read_metadata(file), footer.claims(file)
    assert len(found) == metadata.num_row_groups == 3
    for i, columns in enumerate(found):
        chunks = [metadata.row_group(i).column(j) for j in range(metadata.num_columns)]
        read = [(c.path_in_schema, c.num_values, c.total_uncompressed_size) for c in chunks]
        assert [(c.path, c.values, c.size) for c in columns] == read
        for column, chunk in zip(columns, chunks, strict=True):
            assert (footer.DELTA_BYTE_ARRAY in column.encodings) == ("DELTA_BYTE_ARRAY" in chunk.encodings)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"PAR1\x19\xfc\x02\0\0\0PAR1"])
def test_what_is_no_footer_is_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    (path := tmp_path / "odd.parquet").write_bytes(content)
    with pytest.raises(VhbenchError, match=r"odd\.parquet: not a readable Parquet file"):
        footer.claims(path)


def test_no_changed_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    """pyarrow's C++ does: a histogram of another length than the schema asks for is thrown, and caught nowhere."""
    odd_files.questions(path := tmp_path / "rows.parquet")
    code = """if True:
        import sys
        from pathlib import Path
        from vhbench.adapters import foreign_parquet
        from vhbench.schema import VhbenchError
        path, told = Path(sys.argv[1]), 0
        whole = path.read_bytes()
        size = int.from_bytes(whole[-8:-4], "little")
        for place in range(len(whole) - 8 - size, len(whole)):
            path.write_bytes(whole[:place] + bytes([(whole[place] + 16) % 256]) + whole[place + 1:])
            try:
                list(foreign_parquet.rows(path))
            except VhbenchError:
                told += 1
        print(told)
    """
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 100
