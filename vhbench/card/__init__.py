"""The dataset card and its companions, made from a split directory: nothing in them is typed in by hand."""

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
