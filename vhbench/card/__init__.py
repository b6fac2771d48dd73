"""Dataset card and related files, generated from a split directory without manual input."""

from vhbench.card.dataset_card import (
    FRONT_MATTER,
    cell,
    changelog_entry,
    draw_sheet,
    replaced_metadata,
    sheet,
    write_card,
)

__all__ = ["FRONT_MATTER", "cell", "changelog_entry", "draw_sheet", "replaced_metadata", "sheet", "write_card"]
