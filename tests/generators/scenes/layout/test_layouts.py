"""Layouts of whole scenes stay as they are; ``python tests/golden/renew.py`` after an intended change."""

import golden_drawings


def test_no_scene_changes() -> None:
    assert golden_drawings.scenes() == golden_drawings.golden("scenes")
