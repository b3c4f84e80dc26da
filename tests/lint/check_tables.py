"""Checks that each cell of a table in *.md and docs/*.md holds one sentence of at most
300 characters (code spans count for the length, not for the sentences).

Called as: check_tables.py ROOT, ROOT the source tree. Prints FILE:LINE: and the cell's beginning for each
cell at fault, and then exits with 1.
"""
import pathlib
import re
import sys

LONGEST = 300
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs)\.", re.IGNORECASE)
# A sentence ends at . ! or ? (a bracket or emphasis may close behind it), a blank, and what begins another.
NEXT_SENTENCE = re.compile(r"(?<!\.)[.!?][)\]*_\"”]* +[*_(\[\"“]*[A-Z`]")


def cells(line):
    """The cells of a table's row; a bar in a code span or behind a backslash does not part two."""
    masked = re.sub(r"\\\||`+[^`]*`+", lambda m: "x" * len(m.group()), line)
    bars = [i for i, c in enumerate(masked) if c == "|"] + [len(masked)]  # the last bar may be left out
    return [line[a + 1:b].strip() for a, b in zip(bars, bars[1:])]


def fault(cell):
    words = ABBREVIATION.sub(r"\1", re.sub(r"`+[^`]*`+", "`code`", cell))
    if NEXT_SENTENCE.search(words):
        return "more than one sentence"
    return f"{len(cell)} characters" if len(cell) > LONGEST else None


def check(root):
    faults = 0
    for path in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            if fenced or not line.lstrip().startswith("|"):
                continue
            for cell in cells(line):
                why = fault(cell)
                if why:
                    print(f"{path.relative_to(root)}:{number}: {why}: {cell[:60]}")
                    faults += 1
    return faults


if __name__ == "__main__":
    sys.exit(1 if check(pathlib.Path(sys.argv[1])) else 0)
