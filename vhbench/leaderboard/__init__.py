"""Leaderboard with recomputed scores: a folder of plain files, from which site, exports and checks are derived.

A board is a folder in git or on the Hub::

    board.yaml                                     editions (dataset versions) and rules
    entries/<model>/<benchmark>-<version>/
        entry.yaml                                 model, provenance, claimed scores
        answers.parquet                            responses in the order of the questions, without ids

Claimed scores are not trusted: :mod:`~vhbench.leaderboard.rescoring` recomputes each from the responses and the split
with the edition's content hash, whenever an entry is added, checked or shown.
"""
