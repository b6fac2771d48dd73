"""Independent audit of a split: questions are parsed and answered from the scenes.

It shares no code with the generators: questions are parsed as English, so a generator's error in text or answer is not
repeated. Unparsed or unknown questions stay open, and are counted.
"""

from vhbench.audit.auditing import Audit, audit, imbalances

__all__ = ["Audit", "audit", "imbalances"]
