"""What AMBER's report adds: the reference's own numbers of the part that was asked."""

from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.schema import Record
from vhbench.tasks import static_captions


@pytest.mark.parametrize(("kind", "part"), [("caption", "g"), ("yes_no", "d")])
def test_captions_are_ambers_generative_part(kind: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = SimpleNamespace(config={"relation": {"dog": ["puppy"]}})
    monkeypatch.setattr(static_captions.datasets, "resolve", lambda name: SimpleNamespace(manifest=manifest))

    def score(records: list[Record], **options: Any) -> dict[str, Any]:
        assert options == {"compat": True, "relation": {"dog": ["puppy"]}, "evaluation_type": part}
        return {"printed": "CHAIR: 1.0", "counters": {}, "tools": "builtin", "other": 1}

    monkeypatch.setattr(static_captions.amber, "score_records", score)
    result = static_captions.amber_reference([Record("q", kind=kind)])
    assert result == {"printed": "CHAIR: 1.0", "counters": {}, "tools": "builtin"}
