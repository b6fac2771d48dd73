"""Starter splits are built wherever a temporary folder lies."""

import multiprocessing
from multiprocessing import forkserver

import pytest

from vhbench.builds import starter


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="there is no such process")
def test_where_the_socket_of_workers_has_no_room_they_are_started_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr(forkserver, "set_forkserver_preload", lambda modules: None)
    monkeypatch.setattr(forkserver, "ensure_running", refused)
    assert starter._prepare_workers("vhbench.builds.ode") == "spawn"
    monkeypatch.setattr(forkserver, "ensure_running", lambda: None)
    assert starter._prepare_workers("vhbench.builds.ode") == "forkserver"
