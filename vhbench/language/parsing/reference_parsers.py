"""The parsers of POPE, ODE, AMBER, VHTest and lmms-eval, as those benchmarks have them, faults included."""


def pope(text: str) -> str:
    """Read as POPE's evaluate.py: "no" where the first sentence has the token No, not or no, otherwise "yes"."""
    tokens = text.split(".")[0].replace(",", "").split(" ")
    return "no" if {"No", "not", "no"} & set(tokens) else "yes"


def ode(text: str) -> str:
    """Read as ODE's inference.py: the text before a comma, line break or full stop; else any "no" inside any word."""
    for end in (",", "\n", "."):
        head = text.split(end)[0]
        if head in ("Yes", "yes", "No", "no"):
            return head.lower()
    return "no" if any(part in text for part in ("No", "not", "no")) else ""


def amber(text: str) -> str:
    """Read as AMBER's inference.py: exactly "Yes" or "No"."""
    return {"Yes": "yes", "No": "no"}.get(text, "")


def vhtest(text: str) -> str:
    """Read as VHTest's script: how the text begins ("North" is no)."""
    start = text[:3].lower()
    return "yes" if start == "yes" else "no" if start.startswith("no") else ""


def lmms_eval(text: str) -> str:
    """Read as lmms-eval's POPE task: the whole text."""
    answer = text.lower().strip()
    return answer if answer in ("yes", "no") else ""
