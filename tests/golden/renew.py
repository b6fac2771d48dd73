"""``python tests/golden/renew.py``: compute the golden numbers anew, and print which changed."""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
EDITIONS = HERE.parents[1] / "editions"
sys.path.insert(0, str(HERE.parent / "support"))


def main() -> None:
    """Write the golden file; starter splits come from the user's cache."""
    import golden_drawings
    import golden_options
    import golden_prompts
    import golden_rows
    from golden_documents import digest, flattened, nested, numbers

    golden_drawings.renew()
    golden_options.renew()
    golden_prompts.renew()
    golden_rows.renew()

    file = HERE / "numbers.json"
    former = flattened(json.loads(file.read_text())) if file.exists() else {}
    with TemporaryDirectory() as folder:
        found = digest(numbers(Path(folder)))
    for path in sorted(former.keys() | found.keys()):
        if former.get(path, "none") != found.get(path, "none"):
            print(f"{path}: {former.get(path, 'none')} → {found.get(path, 'none')}")
    file.write_text(json.dumps(nested(found), indent=0, sort_keys=True) + "\n")
    for recipe in EDITIONS.glob("*_drawn.yaml"):  # they are the starter splits
        content = found[f"hash/{recipe.stem.removesuffix('_drawn')}"]
        recipe.write_text(re.sub(r"(?m)^content_hash: .*", f"content_hash: {content}", recipe.read_text()))


if __name__ == "__main__":
    main()
