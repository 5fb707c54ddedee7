#!/usr/bin/env python3
"""Makes a site of HTML pages from the manual that opens from the disk, or checks its links.

    docs/site.py FOLDER     writes the site; FOLDER/index.html is its first page
    docs/site.py --check    exits with 1 if a link leads to no file, or to no heading

The site has README.md, docs/README.md, and every file of the project that they link to, directly or
through other pages. Source files become pages too, since browsers would download them. Needs cmark-gfm."""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST = ("README.md", "docs/README.md")
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
PICTURES = (".svg", ".png")
STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #8882; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --link: #6cb2ff; } }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0; display: flex; }
nav { flex: 0 0 15rem; padding: 1rem; border-right: 1px solid var(--line); font-size: 14px;
      height: calc(100vh - 2rem); overflow: auto; position: sticky; top: 0; }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem; }
nav h2 { font-size: 14px; margin: 0.8rem 0 0.2rem; }
nav a[aria-current] { font-weight: bold; }
main { flex: 1; min-width: 0; max-width: 54rem; padding: 1rem 2rem 4rem; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
pre { background: var(--quiet); padding: 0.7rem; overflow-x: auto; font-size: 13px; line-height: 1.4; }
code { font-size: 0.9em; } :not(pre) > code { background: var(--quiet); padding: 0 0.2em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; background: white; }
@media (max-width: 50rem) {
  body { flex-direction: column; }
  nav { order: 1; height: auto; position: static; border: 0; border-top: 1px solid var(--line); }
  main { padding: 1rem; }
}
"""


def prose(text):
    """The text without code, in which brackets are no links."""
    return CODE.sub("", FENCE.sub("", text))


def slug(heading):
    """The name that GitHub gives a heading."""
    words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return words.replace(" ", "-")


def slugs(text):
    return {slug(line.lstrip("#")) for line in FENCE.sub("", text).splitlines() if line.startswith("#")}


def linked(page, text):
    """(path, anchor) of each link of a page into the project; the path is relative to the root."""
    for link in LINK.findall(prose(text)):
        address, _, anchor = link[1].partition("#")
        if re.match(r"[a-z]+:", link[1]):
            continue
        target = page if not address else os.path.normpath(page.parent / address)
        yield pathlib.PurePosixPath(target), anchor


def pages():
    """Every page that the manual reaches: its path, and its text if it is Markdown."""
    found, waiting = {}, [pathlib.PurePosixPath(name) for name in FIRST]
    while waiting:
        page = waiting.pop()
        if (ROOT / page).is_dir():
            page = page / "README.md" if (ROOT / page / "README.md").exists() else page
        if page in found or not (ROOT / page).exists():
            continue
        found[page] = (ROOT / page).read_text(encoding="utf-8") if page.suffix == ".md" else None
        if found[page] is not None:
            waiting += [target for target, _ in linked(page, found[page])]
    return found


def check():
    wrong = []
    found = pages()
    for page, text in found.items():
        for target, anchor in linked(page, text or ""):
            if not (ROOT / target).exists():
                wrong.append(f"{page}: no file {target}")
            elif anchor and target.suffix == ".md" and anchor not in slugs(found[target]):
                wrong.append(f"{page}: no heading #{anchor} in {target}")
    for manual in sorted((ROOT / "docs").rglob("*.md")):
        if manual.relative_to(ROOT) not in map(pathlib.Path, found):
            wrong.append(f"{manual.relative_to(ROOT)}: no page links to it")
    print("\n".join(wrong) or f"{len(found)} pages, all links lead somewhere")
    return 1 if wrong else 0


def address_of(page):
    """Where the page of a path is in the site."""
    if page.name == "README.md":
        return page.parent / "index.html"
    if page.suffix == ".md":
        return page.with_suffix(".html")
    return page if page.suffix in PICTURES else page.parent / (page.name + ".html")


def body_of(page, text, found):
    def relinked(link):
        if re.match(r"[a-z]+:|#", link[2]):
            return link[0]
        path, _, anchor = link[2].partition("#")
        target = pathlib.PurePosixPath(os.path.normpath(page.parent / path))
        if (ROOT / target).is_dir():
            target = target / "README.md" if target / "README.md" in found else target
        to = os.path.relpath(address_of(target), page.parent)
        return link[1] + to + (f"#{anchor}" if anchor else "") + link[3]

    kept = []  # code, in which nothing is a link

    def keep(match):
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    hidden = CODE.sub(keep, FENCE.sub(keep, text))
    linked_text = LINK.sub(relinked, hidden)
    while "\0" in linked_text:
        linked_text = re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], linked_text)
    made = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table"], input=linked_text, check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"<(h[1-6])>(.*?)</\1>", lambda match: "<{0} id=\"{1}\">{2}</{0}>".format(
        match[1], slug(html.unescape(re.sub("<[^>]*>", "", match[2]))), match[2]), made, flags=re.S)


def navigation(index, page):
    """The manual's index as it is seen from a page."""
    def moved(link):
        here = os.path.normpath(pathlib.PurePosixPath("docs") / link[1])
        current = ' aria-current="page"' if pathlib.PurePosixPath(here) == address_of(page) else ""
        return f'href="{os.path.relpath(here, page.parent)}"{current}'

    home = os.path.relpath("index.html", page.parent)
    return f'<a href="{home}"><b>tutti</b></a>\n' + re.sub(r'href="([^":]+)"', moved, index)


def write(folder):
    found = pages()
    manual = pathlib.PurePosixPath("docs/README.md")
    index = "\n".join(re.findall(r"<h2.*?</h2>|<ul>.*?</ul>", body_of(manual, found[manual], found), re.S))
    for page, text in found.items():
        target = folder / address_of(page)
        if (ROOT / page).is_dir():
            target = folder / page / "index.html"
            body = "<ul>" + "".join(f"<li>{html.escape(each.name)}</li>"
                                    for each in sorted((ROOT / page).iterdir())) + "</ul>"
        elif page.suffix in PICTURES:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / page, target)
            continue
        elif text is None:
            body = f"<h1>{html.escape(str(page))}</h1>\n<pre>" + html.escape(
                (ROOT / page).read_text(encoding="utf-8", errors="replace")) + "</pre>"
        else:
            body = body_of(page, text, found)
        title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
        name = re.sub("<[^>]*>", "", title[1]) if title else str(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n<link rel="icon" href="data:,">\n'
            f"<title>{name}{'' if name == 'tutti' else ' - tutti'}</title>\n<style>{STYLE}</style>\n"
            f"<nav>{navigation(index, page)}</nav>\n<main>\n{body}</main>\n</html>\n", encoding="utf-8")
    print(f"{len(found)} pages in {folder}; begin with {folder}/index.html")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(check() if sys.argv[1] == "--check" else write(pathlib.Path(sys.argv[1])))
