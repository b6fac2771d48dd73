"""A leaderboard that recomputes everything: a folder of plain files, and a site, exports and checks made of them.

A board is a folder that lives in git or on the Hub::

    board.yaml                                     which editions of which benchmarks, and the rules
    entries/<model>/<benchmark>-<version>/
        entry.yaml                                 who it is, how it was asked, which scores it claims
        answers.parquet                            what it said, in the order of the questions, without ids

No number of it is believed: :mod:`~vhbench.leaderboard.rescoring` makes each again from the answers and the split that
the edition's content hash names, whenever an entry is added, checked or shown.
"""
