"""The dataset card and its companions, made from a split directory: nothing in them is typed in by hand."""

from vhbench.card.dataset_card import cell, changelog_entry, draw_sheet, replaced_metadata, sheet, write_card

__all__ = ["cell", "changelog_entry", "draw_sheet", "replaced_metadata", "sheet", "write_card"]
