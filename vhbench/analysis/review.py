"""Human verification, as MIOH's paper had it: three annotators, majority vote, disagreements dropped and listed."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from vhbench.schema import Question, VhbenchError, read_image

ALLOWED: Final = ("yes", "no", *"ABCDE", "unclear")

_KINDS: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


def page(questions: Sequence[Question], content_hash: str) -> str:
    """Return a page with everything inside: images as data, no server, no network, no answers.

    Texts reach the page as JSON with ``<``, ``>`` and ``&`` escaped, and are put in as text, never as HTML.
    """
    images: dict[str, int] = {}
    items = []
    for q in questions:
        numbers = [images.setdefault(_data_url(read_image(image), q.id), len(images)) for image in q.images]
        choices = list(q.choices) if q.kind == "multiple_choice" else ["yes", "no"]
        items.append({"id": q.id, "text": q.question, "kind": q.kind, "choices": choices, "images": numbers})
    data = {"hash": content_hash, "images": list(images), "questions": items}
    text = orjson.dumps(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _PAGE.replace("__DATA__", text)


def _data_url(image: bytes, place: str) -> str:
    kind = next((kind for head, kind in _KINDS.items() if image.startswith(head)), None)
    if kind is None:
        raise VhbenchError(f"question {place}: image of unknown kind: must be PNG, JPEG, WebP or GIF")
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def read_judgments(path: Path, content_hash: str) -> dict[str, str]:
    """Read what one annotator saved: question id → "yes", "no", a letter or "unclear".

    Raises:
        VhbenchError: if the file is malformed or belongs to another split.
    """
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise VhbenchError(f"cannot read judgments {path}: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("judgments"), dict):
        raise VhbenchError(f"{path}: not a file saved from a review page")
    if found.get("hash") != content_hash:
        raise VhbenchError(f"{path}: judges a split with another content hash ({str(found.get('hash'))[:12]}…)")
    for key, value in found["judgments"].items():
        if value not in ALLOWED:
            raise VhbenchError(f"{path}: question {key}: judgment {value!r} must be one of {', '.join(ALLOWED)}")
    return dict(found["judgments"])


def tally(votes: Sequence[Mapping[str, str]], answers: Mapping[str, str]) -> dict[str, Any]:
    """Keep the questions whose answer most annotators gave, of all who were asked.

    Returns:
        ``kept``: ids; ``dropped``: id, the split's answer, the votes and why; ``agreement``: share of votes for the
        split's answer.

    Raises:
        VhbenchError: for a judgment of a question that the split does not have.
    """
    judged: dict[str, list[str]] = {}
    for annotator in votes:
        for key, value in annotator.items():
            if key not in answers:
                raise VhbenchError(f"judged question {key!r} is not in the split")
            judged.setdefault(key, []).append(value)
    kept, dropped = [], []
    for key in sorted(judged):
        most, number = max(Counter(judged[key]).items(), key=lambda item: (item[1], item[0]))
        if 2 * number <= len(judged[key]):
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": "no majority"})
        elif most != answers[key]:
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": f"majority says {most}"})
        else:
            kept.append(key)
    said = [value == answers[key] for key, values in judged.items() for value in values]
    return {"annotators": len(votes), "kept": kept, "dropped": dropped, "agreement": sum(said) / len(said) if said else None}


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>vhbench review</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>
body { font: 17px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 1100px; padding: 0 1rem; color: #1a1a1e }
#images { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 12px }
figure { margin: 0 } figure img { width: 100%; border-radius: 4px } figcaption { color: #666; font-size: .85em }
button { font: inherit; margin: 4px 8px 4px 0; padding: 6px 14px; border: 1px solid #bbb; border-radius: 6px; background: #fff }
button[aria-pressed=true] { background: #0a6; color: #fff; border-color: #0a6 }
header { display: flex; justify-content: space-between; color: #666 } h1 { font-size: 1.25rem }
</style></head><body>
<header><span id="place"></span><label>Annotator <input id="name" size="12"></label></header>
<h1 id="text"></h1><div id="choices"></div><div id="images"></div>
<p><button id="back">← back</button><button id="next">next →</button><button id="save">save (S)</button></p>
<script type="application/json" id="data">__DATA__</script>
<script>
const data = JSON.parse(document.getElementById("data").textContent);
const key = "vhbench-review-" + data.hash, by = id => document.getElementById(id);
let judgments = {}, at = 0;
try { judgments = JSON.parse(localStorage.getItem(key)) || {} } catch (_) {}
const options = q => (q.kind === "yes_no"
  ? [["y", "yes", "Y  yes"], ["n", "no", "N  no"]]
  : q.choices.map((c, i) => ["abcde"[i], "ABCDE"[i], "ABCDE"[i] + "  " + c])).concat([["u", "unclear", "U  unclear"]]);
function show() {
  const q = data.questions[at];
  by("place").textContent = `${at + 1} of ${data.questions.length}, ${Object.keys(judgments).length} answered`;
  by("text").textContent = q.text;
  by("choices").replaceChildren(...options(q).map(([, value, label]) => {
    const b = document.createElement("button");
    b.textContent = label; b.setAttribute("aria-pressed", judgments[q.id] === value);
    b.onclick = () => answer(value); return b;
  }));
  by("images").replaceChildren(...q.images.map((n, i) => {
    const f = document.createElement("figure"), img = document.createElement("img"), c = document.createElement("figcaption");
    img.src = data.images[n]; img.alt = c.textContent = "Image " + (i + 1); f.append(img, c); return f;
  }));
}
function go(step) { at = Math.max(0, Math.min(data.questions.length - 1, at + step)); show(); }
function answer(value) {
  judgments[data.questions[at].id] = value;
  try { localStorage.setItem(key, JSON.stringify(judgments)) } catch (_) {}
  go(1);
}
function save() {
  const name = by("name").value.trim() || "annotator", a = document.createElement("a");
  const text = JSON.stringify({hash: data.hash, annotator: name, judgments}, null, 1);
  a.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  a.download = "judgments-" + name.replace(/[^A-Za-z0-9_-]/g, "_") + ".json"; a.click();
}
by("back").onclick = () => go(-1); by("next").onclick = () => go(1); by("save").onclick = save;
document.addEventListener("keydown", e => {
  if (e.target.tagName === "INPUT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const k = e.key.toLowerCase(), found = options(data.questions[at]).find(o => o[0] === k);
  if (found) answer(found[1]);
  else if (e.key === "ArrowLeft") go(-1); else if (e.key === "ArrowRight") go(1); else if (k === "s") save();
});
show();
</script></body></html>
"""
