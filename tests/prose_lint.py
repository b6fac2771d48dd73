"""Flag stilted phrases, jargon and vague names in Markdown and in Python comments, docstrings, messages.

    .venv/bin/python tests/prose_lint.py --diff main           # what a change adds, names included
    .venv/bin/python tests/prose_lint.py --most 0 README.md docs/*.md

``make check`` holds the pages to no hit.
"""

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PHRASES = r"""
(tells?|told|telling) (apart|\w+ apart) => distinguish ;; (?<!not\x20)(tells?|told|telling)(?! me) => report, print,
show ;; says? (what|whether|which|how(?! m)|why|so|nothing|where|of|something|that it|it) => describe, report, state ;;
said (of|by|at|first|in|to|so|before|here|behind|about)|(is|are|was|be) said => reported; response ;; what (a |the |its
|one |each |any )?(\w+'s )?(models?|captions?|answers?|words) (said|says?|got|gets?) => response; score ;;
(split|edition|questions?|tasks?|run) (that|which) (was|were|is|are) asked => the evaluated split ;; what (is|was|were)
asked|not asked => the prompt; not evaluated ;; (is|are|was|were) asked for => requested ;; (is|are|was|were) asked
(about|of|once|how|often|after|by|with) => question about; evaluated ;; (no|some|every|any)body('s)? => the user,
third-party, passive ;; anew => again, re- ;; for certain|certainly|(is|are|be) certain|certain (of|among) =>
statistically significant ;; beside => next to, given ;; shall => should, must ;; (?<!there\x20)(is|are|was|were) no
(?!longer|more|less|fewer|one|doubt|need|\w+er\b|such|known)[a-z]{3,} => is not a ;; (?<!there\x20)(is|are|was|were)
none\b(?! of) => there is no ;; in little room => compactly ;; stands?
(beside|behind|before|above|below|side|together|around|at|on|by) => precedes, is next to ;; an? [a-z]+ of
(its|their|your|our|one's) own => its own ;; (come|comes|came) of (it|this|that|them) => result ;; h(olds?|eld)
(apart|to|against) => separate, check ;; tak(es?|en) apart => decompose, parse ;; look(s|ed)? after => handle ;; word
floor|words alone => text-only baseline ;; blind level => permutation baseline ;; giv(es?|en|ing) (\w+ ){0,2}away|gave
away => leak ;; imagin(e|es|ed|ings?) => hallucinate(d) ;; pictures? => image (data), figure (results) ;; too few
differ => n/a (n discordant < 6) ;; drawn (scenes?|images?|pools?|things?|objects?|places?|splits?) => synthetic scenes
;; paints? (nothing|anew)|(once|was|were|been|is) painted|models? that paint => generate, render ;; there already =>
existing ;; (of|in) (any|that|this|other|another) forms? => format ;; go(es|ing)? on (where|with) => resume ;; costs?
(\w+ )?(anything|nothing)|what (an?|each|every|the) [a-z]+ costs? => accuracy drop under ;; in (the|its|their) place
of(?! another) => instead of ;; dealt => assigned, permuted ;; (perfect|other) eyes => oracle ;; ground floor|floors?
below|on floors|rooms? (is|stand|up to|on)|the house => layer, package ;; kin => family ;; yes-?sayers? => always-yes
baseline ;; turn(s|ed)? (wrong|(the )?answers?|many answers?)|have turned => flip ;; made (before|anew|again) =>
cached, regenerated ;; right answers? => correct (or reference) answer ;; rightly|answers? right => correctly ;;
faults? => error, problem ;; un-?read answers?|(was|were|are|is) not read|were read => unparsed, parsed ;; than in
general => than its base rate ;; alike => identical, the same way ;; (model's|its|their) (own |very )?words => response
text, wording ;; former => previous ;; by itself => automatically, separately ;; (is|are) wanted => is requested ;;
([.:;,(]\s|one |that |of |so |as )[Ww]ho \w+s => a model that ;; below (a|the|this|one) folder => in a folder
"""
NAMES = """found=result,matches told=report,verdict said=response,text asked=questions,prompts made=generated,built
looks=similarity who=owner how=method,options one=item what=target place=index,location wanted=requested theirs=other
ours=own ones=items gained=delta lost=missing wish=request imagined=hallucinated lures=distractors lessons=examples
sight=view tell=print_analysis Told=AssentMatch Asked=QuestionBase Found=Match Eyes=DetectionModels Looks=ImageIndex
Again=TiedQuestion Lesson=TrainingExample Lures=DistractorSampler Wanted=SelectionOptions Standings=Rankings"""
DATA = """judge calibration_forms negation rewriting question_parts paraphrases examples rationales nouns scopes claims
cleaning ode_source_vocabulary text_only""".split()
"""Modules with strings that are data: prompts, templates, word lists."""
RULES = [
    (re.compile(rf"\b(?:{phrase})\b".replace(" ", r"\s{1,90}")), advice)
    for phrase, _, advice in (rule.partition(" => ") for rule in " ".join(PHRASES.split()).split(" ;; "))
]
RENAMED = dict(pair.split("=") for pair in NAMES.split())
CODE = r"^```.*?^```|^ {4,12}\w+: |^ *(?:>>>|\.\.\. )[^\n]*|``[^`]+``|`[^`\n]+`|\]\([^)\s]*\)|https?://\S+|<[^>\n]+>|\{[^{}\n]*\}"
CODE_OR_QUOTATION = re.compile(CODE + r"|\"[^\"\n]{1,60}\"", re.MULTILINE | re.DOTALL)
QUOTES = re.compile(r"""^\w*(?:"{3}|'{3}|"|')|(?:"{3}|'{3}|"|')$|^\#""")


def without_code(text: str) -> str:
    """Replace code, addresses and quotations by NULs, which no phrase spans, and keep every line end."""
    return CODE_OR_QUOTATION.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)


def python_prose(text: str, *, messages: bool) -> str:
    """Return a module with everything blanked but comments, docstrings and, on request, messages."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    prose, before = list(re.sub(r"\S", "\0", text)), "NEWLINE"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        begin, end = (starts[line - 1] + column for line, column in (token.start, token.end))
        message = messages and kind in ("STRING", "FSTRING_MIDDLE") and text[begin] != "r" and " " in token.string
        if kind == "COMMENT" or (kind == "STRING" and before in ("NEWLINE", "INDENT", "DEDENT")) or message:
            prose[begin:end] = without_code(QUOTES.sub(lambda match: " " * len(match[0]), text[begin:end]))
        before = before if kind in ("COMMENT", "NL") else kind
    return "".join(prose)


def hits(path: Path, *, names: bool) -> Iterator[tuple[int, str, str]]:
    """Yield line, phrase and suggestion: first of the prose, then of the names that a module binds."""
    text, seen, module = path.read_text(encoding="utf-8"), set[int](), path.suffix == ".py"
    messages = "tests" not in path.parts and path.stem not in DATA
    prose = python_prose(text, messages=messages) if module else without_code(text)
    for rule, advice in RULES:
        for match in rule.finditer(prose):
            if seen.isdisjoint(span := range(*match.span())):
                seen.update(span)
                yield prose.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), advice
    for node in ast.walk(ast.parse(text)) if module and names else ():
        name = next((vars(node)[key] for key in ("name", "arg", "id") if key in vars(node)), None)
        stored = isinstance(getattr(node, "ctx", None), ast.Store)
        if name in RENAMED and (stored or isinstance(node, ast.arg | ast.FunctionDef | ast.ClassDef)):
            yield getattr(node, "lineno", 0), f"name {name}", RENAMED[name]


def git(*arguments: str) -> list[str]:
    """Return the lines that a git command prints."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.splitlines()


def main() -> None:
    """Print one line per hit, then their number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--diff", metavar="BASE", help="report only lines added since this git revision")
    parser.add_argument("--prose", action="store_true", help="skip the names of modules")
    parser.add_argument("--most", type=int, metavar="N", help="exit with 1 above this number of hits")
    options, count, name = parser.parse_args(), 0, ""
    added: dict[str, set[int]] = {}
    for line in git("diff", "-U0", "--no-prefix", "--relative", options.diff) if options.diff else ():
        name = line[4:] if line.startswith("+++ ") else name
        if match := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))?", line):
            added.setdefault(name, set()).update(range(int(match[1]), int(match[1]) + int(match[2] or 1)))
    names = options.files or (added if options.diff else git("ls-files", "*.py", "*.md"))
    for name in (name for name in names if name.endswith((".py", ".md"))):
        with suppress(OSError, SyntaxError, tokenize.TokenError):
            for number, phrase, advice in sorted(set(hits(Path(name), names=not options.prose))):
                if not options.diff or number in added.get(name, ()):
                    count += 1
                    print(f'{name}:{number}: "{phrase}" -> {advice}')
    print(f"{count} hits")
    if options.most is not None and count > options.most:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
