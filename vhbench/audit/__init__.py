"""Looks at a finished split with other eyes: answers its questions anew from their words and the scenes' truth.

Nothing here is shared with the generators: questions are read as English, so that a slip of a generator, in the words
or in the answer, does not repeat itself. What cannot be read or is not known is left open, and counted.
"""

from vhbench.audit.auditing import Audit, audit, imbalances

__all__ = ["Audit", "audit", "imbalances"]
