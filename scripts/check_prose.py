"""`scripts/check prose`: finds the sentences in comments, help and errors that are not
plain English: those with a pattern of the table below, and comments that a formatter has broken into
lines of ever larger indentation. Also finds types whose name ends in a participle, such as `Judged`: the
name of a type says what its values are.

    scripts/check prose [FILE|FOLDER...]

Prints one line for each finding, and exits with status 1 if there is one. Exchanging words to avoid a
pattern does not make a sentence clear: write a new one."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".cpp": "//", ".hpp": "//", ".ts": "//", ".mjs": "//", ".def": "//", ".py": "#", ".sh": "#",
            ".cmake": "#"}
SELF = Path(__file__).resolve()

# Words that must not begin a sentence, because a subject or a verb should.
OPENINGS = re.compile(
    r"(?:^|(?<=[.:;?!] ))(?:Of (?!course)|What (?!if\b)(?![^.]*\?)|That (?:the|a|an|is|are|no|each|what) |Whether "
    r"|To whom |Of which |Read are |Shown (?:is|are) |Said |Held (?:is|are) |None of (?:which|whom) )")
# Phrases to avoid anywhere in a sentence, with what to write instead.
PHRASES = {
    r"(?<!\bthere )(?<!\bThere )\bis no (?!longer\b|more\b|less\b|\w+er\b)": "is not a …, is invalid",
    r"(?<!\bthere )(?<!\bThere )\bare no (?!longer\b|more\b|less\b|\w+er\b)": "are not …, are invalid",
    r"\baccepted (?:is|are)\b": "accepted values: …",
    r"\bhangs? on\b": "depends on",
    r"\bso many\b": "the number; at most N",
    r"\b(?:are|is an?) others? now\b": "has changed",
    r"\bnobody\b": "no user, no rank, nothing",
    r"\b(?:holds?|held) against\b": "is compared with",
    r"\bleft to bury\b": "zombie process",
}
PHRASES = {re.compile(pattern): advice for pattern, advice in PHRASES.items()}

# Last words of types that are participles.
PARTICIPLE = re.compile(
    r"(?:\w*ed|Begun|Bought|Built|Chosen|Done|Drawn|Found|Given|Gone|Heard|Held|Hidden|Kept|Known|Left|Lost|Made|"
    r"Meant|Met|Ran|Said|Seen|Sent|Shown|Sold|Spent|Taken|Thought|Told|Won|Written)$")
# Nouns that look like participles, and public types, whose names programs of users contain.
NOUNS = {"Bed", "Feed", "Need", "Seed", "Shed", "Speed", "Thread"}
PUBLIC_TYPES = {"CheckFailed", "Interrupted", "NotProved", "Timed"}
TYPE_DEFINITION = {
    "//": re.compile(r"^[ \t]*(?:(?:struct|class|enum(?: class)?|union)[ \t]+([A-Z]\w*)[ \t]*(?:final[ \t]*)?(?=[:{]|$)"
                     r"|using[ \t]+([A-Z]\w*)[ \t]*=)", re.MULTILINE),
    "#": re.compile(r"^[ \t]*class[ \t]+([A-Z]\w*)()", re.MULTILINE),
}
LAST_WORD = re.compile(r"[A-Z][a-z0-9]*$")

STRING = r'"(?:\\.|[^"\\\n])*"'
C_TOKENS = re.compile(r'R"(\w*)\((?s:.*?)\)\1"|(?P<string>' + STRING + r")|'(?:\\.|[^'\\\n])+'"
                      r"|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)")
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!)[^\n]*")


def blocks_of_comments(text, mark):
    """Yields (line number, [lines of text]) for each block of comments that begin with `mark`."""
    block, start, column = [], 0, -1
    for number, line in enumerate(text.splitlines(), 1):
        at = comment_start(line, mark)
        alone = at >= 0 and not line[:at].strip()
        if block and (not alone or at != column):
            yield start, block
            block = []
        if at >= 0:
            if not block:
                start, column = number, at
            block.append(line[at + len(mark):])
            if not alone:
                column = at  # the block may go on in the next line, at the same column
    if block:
        yield start, block


def comment_start(line, mark):
    """Returns the column where the comment of a line begins, or -1 if there is none."""
    if mark == "#":
        if line.startswith("#!"):
            return -1
        found = re.search(r"^\s*#(?=\s|$)|\s#(?=\s)", line)
        return found.end() - 1 if found and line[:found.end() - 1].count('"') % 2 == 0 else -1
    for token in C_TOKENS.finditer(line):
        if token["comment"]:
            return token.start() if token["comment"].startswith("//") else -1
    return -1


def user_texts(text):
    """Yields (line number, text) for each string literal. Adjacent literals are joined."""
    start, parts, end = 0, [], 0
    for token in C_TOKENS.finditer(text):
        if not token["string"]:
            continue
        if parts and not text[end:token.start()].strip():
            parts.append(token["string"][1:-1])
        else:
            if parts:
                yield text.count("\n", 0, start) + 1, "".join(parts)
            start, parts = token.start(), [token["string"][1:-1]]
        end = token.end()
    if parts:
        yield text.count("\n", 0, start) + 1, "".join(parts)


def broken_by_formatter(lines):
    """Returns True if a line ends early in mid-sentence, and the next line is indented further."""
    for here, after in zip(lines, lines[1:]):
        if (len(here.strip()) < 30 and re.match(r"\s{3,}[a-z]", after) and
                re.search(r"[a-z]$", here) and len(after) - len(after.lstrip()) >
                len(here) - len(here.lstrip())):
            return True
    return False


def participles(text, mark):
    """Yields (line number, name) for each type whose name ends in a participle."""
    for found in TYPE_DEFINITION[mark].finditer(text):
        name = found[1] or found[2]
        last = LAST_WORD.search(name)
        if last and last[0] not in NOUNS and name not in PUBLIC_TYPES and PARTICIPLE.match(last[0]):
            yield text.count("\n", 0, found.start(1 if found[1] else 2)) + 1, name


def findings(path):
    text = path.read_text(errors="replace")
    mark = SUFFIXES.get(path.suffix, "#")
    for number, name in participles(text, mark):
        yield number, f"the type '{name}' ends in a participle", "name the thing"
    for number, lines in blocks_of_comments(text, mark):
        sentence = " ".join(line.strip() for line in lines)
        found = OPENINGS.search(sentence)
        if found:
            yield number, f"begins with '{found[0].strip()}'", sentence[found.start():]
        if broken_by_formatter(lines):
            yield number, "broken into steps by the formatter", sentence
        for pattern, advice in PHRASES.items():
            found = pattern.search(sentence)
            if found:
                yield number, f"'{found[0].strip()}': write {advice}", sentence[max(0, found.start() - 30):]
    if mark == "//":
        for number, sentence in user_texts(text):
            if sentence.count(" ") < 3:
                continue
            for pattern, advice in PHRASES.items():
                found = pattern.search(sentence)
                if found:
                    yield number, f"'{found[0].strip()}': write {advice}", sentence


def files_in(names):
    """Yields the source files below `names`; all source files of the tree if `names` is empty."""
    for name in names or [ROOT]:
        top = Path(name).resolve()
        for folder, folders, files in os.walk(top) if top.is_dir() else [(top.parent, [], [top.name])]:
            folders[:] = sorted(each for each in folders if not each.startswith(".") and
                                each not in ("build", "bundle", "node_modules", "corpus"))
            for path in (Path(folder) / each for each in sorted(files)):
                if path == SELF or path.name.startswith("."):
                    continue
                if (path.suffix in SUFFIXES or path.name == "CMakeLists.txt" or
                        path.parent == ROOT / "scripts"):
                    yield path


def main():
    count = 0
    for path in files_in(sys.argv[1:]):
        for number, what, sentence in findings(path):
            count += 1
            print(f"{path.relative_to(ROOT)}:{number}: {what}: {sentence[:90]}")
    print(f"check prose: {count} finding{'s' * (count != 1)}", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
