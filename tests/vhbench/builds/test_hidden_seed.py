"""A hidden edition says nothing about its seed, commits to it, and can be rebuilt by whoever learns the secret."""

from pathlib import Path

import pytest
from toy_build import ToyBuild

from vhbench import splits
from vhbench.builds import hidden_seed, sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.schema import Rejection, VhbenchError
from vhbench.splits.stored_scenes import StoredScene

COMMITMENT = "d3cdf385174eedced75046852e195bc3d64fe7d116e58363aa240a14d587cc68"
SEED = 883740149861985075


def edition(key: bytes, out: Path, **options: object) -> object:
    seed = hidden_seed.seed_of(key, "ode", "1.0.0")
    commitment = hidden_seed.commitment_of(key, "ode", "1.0.0")
    return sharding.run(ToyBuild(seed=seed, **options), out, commitment=commitment, progress=False)


def test_the_seed_is_derived_as_documented() -> None:
    # openssl: printf 'vhbench commitment ode 1.0.0' | openssl dgst -sha256 -hmac 0123456789abcdef
    assert hidden_seed.commitment_of(b"0123456789abcdef", "ode", "1.0.0") == COMMITMENT
    assert hidden_seed.seed_of(b"0123456789abcdef", "ode", "1.0.0") == SEED


def test_a_secret_edition_keeps_its_seed_to_itself(tmp_path: Path) -> None:
    key = b"a secret that nobody guesses"
    manifest = edition(key, tmp_path)
    assert manifest.seed == splits.SECRET_SEED
    assert "seed" not in manifest.config
    seed = str(hidden_seed.seed_of(key, "ode", "1.0.0"))
    assert all(seed not in str(row) for row in splits.read_rows(tmp_path / "ode"))
    assert all("generator_seed" not in scene.provenance for scene in splits.read_scenes(tmp_path / "ode").values())
    assert all(seed.encode() not in path.read_bytes() for path in (tmp_path / "ode").rglob("*") if path.is_file())
    assert splits.verify(tmp_path / "ode") == []


def test_the_revealed_secret_rebuilds_the_split(tmp_path: Path) -> None:
    manifest = edition(b"a secret that nobody guesses", tmp_path / "1")
    assert hidden_seed.check(manifest, b"a secret that nobody guesses") == ""
    assert edition(b"a secret that nobody guesses", tmp_path / "2") == manifest
    assert hidden_seed.check(manifest, b"another secret, as long") == "the manifest commits to another secret"
    assert edition(b"another secret, as long", tmp_path / "3").content_hash != manifest.content_hash


def test_a_row_that_tells_the_seed_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="row 'q5-2': reveals the seed of a hidden test set"):
        edition(b"a secret that nobody guesses", tmp_path, tell=True)
    assert not (tmp_path / "ode").exists()


def test_drawn_scenes_whose_ids_end_with_the_seed_can_be_hidden(tmp_path: Path) -> None:
    key = b"a secret that nobody guesses"
    seed = hidden_seed.seed_of(key, "mioh", "2.0.0")
    build = MiohBuild(
        source=("scenes:40",), seed=seed, types=("E1",), cells="1", size=64, scratch=str(tmp_path), allow_missing=True
    )
    sharding.run(build, tmp_path, commitment=hidden_seed.commitment_of(key, "mioh", "2.0.0"), progress=False)
    split = tmp_path / "mioh"
    assert splits.verify(split) == []
    assert {name for q in splits.read_questions(split) for name in q.scene_ids} <= splits.read_scenes(split).keys()
    assert all(str(seed).encode() not in path.read_bytes() for path in split.rglob("*") if path.is_file())


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("hunter2\n")
    with pytest.raises(VhbenchError, match="has 7 bytes; it must have 16 to 4096"):
        hidden_seed.read_secret(file)
    file.write_text("0123456789abcdef\n")
    assert hidden_seed.read_secret(file) == b"0123456789abcdef"
    with pytest.raises(VhbenchError, match="No such file"):
        hidden_seed.read_secret(tmp_path / "none")


def test_scenes_and_what_was_left_out_tell_nothing_either() -> None:
    kept = hidden_seed.redacted_rejection(Rejection("r0", "too dark", {"render_seed": 4242, "area": 3}), 4242)
    assert kept == Rejection("r0", "too dark", {"area": 3})
    with pytest.raises(VhbenchError, match="rejection of 'r0': reveals the seed of a hidden test set"):
        hidden_seed.redacted_rejection(Rejection("r0", "too dark", {"made_by": "image 4242"}), 4242)
    with pytest.raises(VhbenchError, match="scene 's-4242': reveals the seed of a hidden test set"):
        hidden_seed.redacted(StoredScene("s-4242", "", '{"provenance": {"seed": 4242}}'), 4242)
