"""A hidden edition says nothing about its seed, commits to it, and can be rebuilt by whoever learns the secret."""

import random
import stat
import time
from pathlib import Path

import pytest
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds import hidden_seed, sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.cli import app
from vhbench.schema import Rejection, VhbenchError
from vhbench.splits.stored_scenes import StoredScene

COMMITMENT = "d3cdf385174eedced75046852e195bc3d64fe7d116e58363aa240a14d587cc68"
SEED = 883740149861985075
KEY = "6cc3ac2007da35e286b95da6ab82756587ae112708d443e978b429901ade9177"


def edition(key: bytes, out: Path, **options: object) -> object:
    seed = hidden_seed.seed_of(key, "ode", "1.0.0")
    commitment = hidden_seed.commitment_of(key, "ode", "1.0.0")
    return sharding.run(ToyBuild(seed=seed, **options), out, commitment=commitment, progress=False)


def test_the_seed_is_derived_as_documented() -> None:
    # openssl: printf 'vhbench commitment ode 1.0.0' | openssl dgst -sha256 -hmac 0123456789abcdef
    assert hidden_seed.commitment_of(b"0123456789abcdef", "ode", "1.0.0") == COMMITMENT
    assert hidden_seed.seed_of(b"0123456789abcdef", "ode", "1.0.0") == SEED
    # openssl kdf -keylen 32 -kdfopt pass:0123456789abcdef -kdfopt 'salt:vhbench hidden test set' -kdfopt n:65536
    #     -kdfopt r:8 -kdfopt p:1 -kdfopt maxmem_bytes:134217728 SCRYPT
    assert hidden_seed.key_of(b"0123456789abcdef").hex() == KEY


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
    with pytest.raises(VhbenchError, match="row 'q5-4': reveals the seed of a hidden test set"):
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "got 0 characters in another format"),
        ("hunter2", "got 7 characters in another format"),
        ("a" * 16, "in another format"),
        ("correct horse battery staple correct horse battery staple", "in another format"),
        ("correct_horse_battery_staple_and_61_other_words_of_an_open_story", "got 64 characters in another format"),
        ("1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/", "in another format"),
        ("Tr0ub4dor&3" * 6, "in another format"),
        ("3" * 64, "got 64 characters with a pattern"),
        ("deadbeef" * 8, "with a pattern"),
        ("0123456789abcdef" * 4, "with a pattern"),
        ("fedcba98765432100123456789abcdef" * 2, "with a pattern"),
        ("00112233445566778899aabbccddeeff" * 2, "with a pattern"),
        (bytes(range(32)).hex(), "with a pattern"),
        ("8f3a91c07be24d56" * 4, "with a pattern"),  # 64 random bits
        ("4b47e28622189fa1f3a6357e53c2418" + "14b47e28622189fa1f3a6357e53c24182", "with a pattern"),
        ("3141592653589793238462643383279502884197169399375105820974944592", "with a pattern"),  # π
        ("deadbeefcafebabefeedfacebaadf00ddeadc0de8badf00d0defacedc0ffee00", "with a pattern"),
        (b"correct horse battery staple!!!!".hex(), "with a pattern"),
    ],
)
def test_a_secret_that_can_be_guessed_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "secret").write_text(text + "\n")
    with pytest.raises(VhbenchError, match=rf"expected 64 random hexadecimal .* {fault}, which can be guessed"):
        hidden_seed.read_secret(tmp_path / "secret")


def test_random_secrets_are_accepted() -> None:
    draws = (random.Random(seed).randbytes(32).hex().encode() for seed in range(3000))
    assert all(hidden_seed.is_random(secret) for secret in draws)


def test_a_secret_is_made_for_its_owner_alone_and_takes_long_to_guess(tmp_path: Path) -> None:
    file, other = tmp_path / "secret", tmp_path / "other"
    for path in (file, other):
        assert CliRunner().invoke(app, ["secret", str(path)]).exit_code == 0
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(VhbenchError, match="already exists; a secret is never replaced"):
        hidden_seed.write_secret(file)
    start = time.process_time()
    keys = {hidden_seed.read_secret(path) for path in (file, file, other)}
    assert len(keys) == 2
    assert 3 / (time.process_time() - start) < 50, "guesses per second; of an HMAC it would be 700,000"
    with pytest.raises(VhbenchError, match="No such file"):
        hidden_seed.read_secret(tmp_path / "none")


def test_scenes_and_what_was_left_out_tell_nothing_either() -> None:
    kept = hidden_seed.redacted_rejection(Rejection("r0", "too dark", {"render_seed": 4242, "area": 3}), 4242)
    assert kept == Rejection("r0", "too dark", {"area": 3})
    with pytest.raises(VhbenchError, match="rejection of 'r0': reveals the seed of a hidden test set"):
        hidden_seed.redacted_rejection(Rejection("r0", "too dark", {"made_by": "image 4242"}), 4242)
    with pytest.raises(VhbenchError, match="scene 's-4242': reveals the seed of a hidden test set"):
        hidden_seed.redacted(StoredScene("s-4242", "", '{"provenance": {"seed": 4242}}'), 4242)
