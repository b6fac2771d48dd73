"""Original parsers of POPE, ODE, AMBER, VHTest and lmms-eval, errors included."""


def pope(text: str) -> str:
    """Parse as POPE's evaluate.py: "no" if the first sentence has No, not or no, else "yes"."""
    tokens = text.split(".")[0].replace(",", "").split(" ")
    return "no" if {"No", "not", "no"} & set(tokens) else "yes"


def ode(text: str) -> str:
    """Parse as ODE's inference.py: the text before a comma, line break or full stop.

    Otherwise any "no" inside any word counts.
    """
    for end in (",", "\n", "."):
        head = text.split(end)[0]
        if head in ("Yes", "yes", "No", "no"):
            return head.lower()
    return "no" if any(part in text for part in ("No", "not", "no")) else ""


def amber(text: str) -> str:
    """Parse as AMBER's inference.py: exactly "Yes" or "No"."""
    return {"Yes": "yes", "No": "no"}.get(text, "")


def vhtest(text: str) -> str:
    """Parse as VHTest's script: by the beginning of the text ("North" is no)."""
    start = text[:3].lower()
    return "yes" if start == "yes" else "no" if start.startswith("no") else ""


def lmms_eval(text: str) -> str:
    """Parse as lmms-eval's POPE task: the whole text."""
    answer = text.lower().strip()
    return answer if answer in ("yes", "no") else ""
