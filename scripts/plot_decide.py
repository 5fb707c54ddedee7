#!/usr/bin/env python3
"""Draws what `tutti decide --json` wrote, as SVG or PNG.

    scripts/plot_decide.py winner decided.json picture.svg
    scripts/plot_decide.py loss decided.json picture.svg         (of a table: with --against)
    scripts/plot_decide.py times decided.json picture.svg --ranks 64     (best with --all)

winner: which algorithm is best at each number of ranks and size; loss: what a table's choice loses
there; times: all algorithms over the size at one number of ranks, with their crossovers.
Debian: python3-matplotlib.
"""

import argparse
import itertools
import json
import math
import pathlib
import sys
import textwrap

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import colors, patches, pyplot, ticker
except ImportError as missing:
    sys.exit(f"plot_decide.py: {missing}; it draws with matplotlib (Debian: python3-matplotlib)")

# Okabe and Ito's colours, told apart with any kind of colour vision, and in print by the letters and
# hatches that go with them.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
HATCHES = ["", "//", "..", "\\\\", "--", "xx", "++", "oo"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Light to dark: the more is lost the darker, in grey too.
LOSSES = [0, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100]


def size_text(size):
    if size == 0:
        return "0"
    for unit in ["B", "KiB", "MiB", "GiB"]:
        if size < 1024 or unit == "GiB":
            return f"{size:.4g} {unit}"
        size /= 1024
    return ""


def time_text(seconds, _position=None):
    for unit, size in [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]:
        if seconds >= size * 0.999 or unit == "ns":
            return f"{seconds / size:.4g} {unit}"
    return ""


def caption(result, more=""):
    machine = result["machine"]
    if machine is None:
        text = "Measured times."
    else:
        text = (f"Platform: {machine['platform']}, {machine['ranks_per_host']} rank{'' if machine['ranks_per_host'] == 1 else 's'} per host, "
                f"ports: {machine['ports']}. alpha {time_text(machine['alpha_s'])} per message, beta "
                f"{machine['beta_s_per_byte'] * 1e9:.4g} ns per byte "
                f"({1 / machine['beta_s_per_byte'] / 1e9 if machine['beta_s_per_byte'] else 0:.4g} "
                f"GB/s), gamma {machine['gamma_s_per_byte'] * 1e9:.4g} ns per byte reduced. Times by "
                f"{result['by']}"
                + (f", {machine['engine']} engine" if machine["engine"] else "") + ".")
    return text + more


def start(result, height):
    columns = len(result["sizes_bytes"])
    width = max(7.5, 1.9 + 0.46 * columns)
    figure, axes = pyplot.subplots(figsize=(width, height))
    return figure, axes


def label_grid(axes, ranks, sizes):
    axes.set_xlim(0, len(sizes))
    axes.set_ylim(0, len(ranks))
    axes.set_xticks([i + 0.5 for i in range(len(sizes))], [size_text(s) for s in sizes],
                    rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_yticks([i + 0.5 for i in range(len(ranks))], ranks, fontsize=9)
    axes.set_xlabel("size n (bytes in the largest buffer of any rank)")
    axes.set_ylabel("ranks p")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def finish(figure, axes, result, picture, more="", below=0.0):
    width = int(figure.get_size_inches()[0] * 15.5)
    text = "\n".join(textwrap.wrap(caption(result, more), width))
    figure.tight_layout()
    low = axes.get_tightbbox(figure.canvas.get_renderer()).y0 / figure.bbox.height
    figure.text(0.01, low - 0.02 - below, text, ha="left", va="top", fontsize=8, color="#333333")
    matplotlib.rcParams["svg.hashsalt"] = "tutti"
    metadata = {"Date": None} if picture.endswith(".svg") else {}
    figure.savefig(picture, dpi=150, metadata=metadata, bbox_inches="tight", pad_inches=0.12)


def place(sizes, size):
    """Where a size lies on an axis on which the middle of each column is one of `sizes`."""
    if size <= sizes[0]:
        return 0
    for i in range(1, len(sizes)):
        if size <= sizes[i]:
            low = max(sizes[i - 1], 1)
            return i - 0.5 + math.log(max(size, 1) / low) / math.log(sizes[i] / low)
    return len(sizes)


def winner(result, picture, _arguments):
    ranks, sizes = result["ranks"], result["sizes_bytes"]
    names = [c["label"] for c in result["candidates"]]
    # What is decided, tolerance and all, each boundary where it is between two sizes.
    reigns = {rank: [d for d in result["decisions"] if d["ranks"] == rank] for rank in ranks}
    used = sorted({d["candidate"] for d in result["decisions"]})
    figure, axes = start(result, 1.9 + 0.36 * len(ranks))
    for y, rank in enumerate(ranks):
        merged = [next(group) for _, group in
                  itertools.groupby(reigns[rank], key=lambda d: d["candidate"])]
        begins = [place(sizes, d["from_bytes"]) for d in merged] + [len(sizes)]
        for decision, begin, end in zip(merged, begins, begins[1:]):
            index = used.index(decision["candidate"])
            axes.add_patch(patches.Rectangle(
                (begin, y), end - begin, 1, facecolor=COLOURS[index % len(COLOURS)],
                edgecolor="white", linewidth=1.5, alpha=0.85))
            axes.add_patch(patches.Rectangle(
                (begin, y), end - begin, 1, facecolor="none", edgecolor="#00000030", linewidth=0,
                hatch=HATCHES[index % len(HATCHES)]))
            axes.text((begin + end) / 2, y + 0.5, LETTERS[index % 26], ha="center", va="center",
                      fontsize=9, fontweight="bold",
                      bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none",
                            "alpha": 0.85})
    label_grid(axes, ranks, sizes)
    axes.set_title(f"{result['collective']}: the best algorithm", fontsize=11, loc="left", pad=30)
    handles = [patches.Patch(facecolor=COLOURS[i % len(COLOURS)], alpha=0.85,
                             edgecolor="#00000050", hatch=HATCHES[i % len(HATCHES)],
                             label=f"{LETTERS[i % 26]}  {names[which]}")
               for i, which in enumerate(used)]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.01), ncol=4, frameon=False,
                fontsize=8.5, borderaxespad=0)
    finish(figure, axes, result, picture,
           f" A choice is kept while it takes at most {100 * result['tolerance']:.3g} % longer than "
           "the best.")


def loss(result, picture, _arguments):
    against = result["against"]
    if against is None:
        raise SystemExit("the file has no table that was judged: run tutti decide with --against")
    ranks, sizes = result["ranks"], result["sizes_bytes"]
    cells = {(c["ranks"], c["bytes"]): c for c in against["cells"]}
    shades = pyplot.get_cmap("cividis_r")(
        [0.02 + 0.96 * i / (len(LOSSES) - 2) for i in range(len(LOSSES) - 1)])
    shades[0] = colors.to_rgba("#ffffff")
    shade = colors.ListedColormap(shades)
    scale = colors.BoundaryNorm(LOSSES, shade.N)
    figure, axes = start(result, 1.6 + 0.36 * len(ranks))
    for y, rank in enumerate(ranks):
        for x, size in enumerate(sizes):
            cell = cells.get((rank, size))
            if cell is None or cell["loss"] is None:
                axes.add_patch(patches.Rectangle((x, y), 1, 1, facecolor="#eeeeee", hatch="xxx",
                                                 edgecolor="#bbbbbb", linewidth=0))
                continue
            value = max(cell["loss"], 0)
            colour = shade(scale(min(value, LOSSES[-1] * 0.999)))
            axes.add_patch(patches.Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="#dddddd",
                                             linewidth=0.5))
            bright = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]
            text = (f"{100 * value:.0f}" if value < 0.995 else f"{1 + value:.0f}x"
                    if value >= 9.5 else f"{1 + value:.1f}x")
            axes.text(x + 0.5, y + 0.5, text + ("*" if cell["refused"] else ""), ha="center",
                      va="center", fontsize=7, color="black" if bright > 0.5 else "white")
    label_grid(axes, ranks, sizes)
    axes.set_title(f"{result['collective']}: what the table loses against the best, in % (2.0x: takes "
                   "twice as long)\n" + textwrap.shorten(against["name"] or against["file"], 95),
                   fontsize=10, loc="left")
    worst = against["worst"]
    finish(figure, axes, result, picture,
           f" Mean loss {100 * against['mean_loss']:.1f} % over {against['judged']} cells; worst "
           f"{1 + worst['loss']:.4g} times as long, at {worst['ranks']} ranks and "
           f"{size_text(worst['bytes'])}. *: the table's choice cannot run there, and the library runs "
           "another. Hatched: its choice is one that is not simulated here.")


def times(result, picture, arguments):
    ranks = arguments.ranks or result["ranks"][-1]
    cells = sorted((c for c in result["cells"] if c["ranks"] == ranks), key=lambda c: c["bytes"])
    if not cells:
        raise SystemExit(f"no cells of {ranks} ranks; there are {result['ranks']}")
    figure, axes = pyplot.subplots(figsize=(8.2, 5.2))
    shown = 0
    for index, candidate in enumerate(result["candidates"]):
        points = [(c["bytes"], c["times"][index]["seconds"]) for c in cells
                  if c["bytes"] > 0 and c["times"][index]["state"] == "timed"]
        if not points:
            continue
        style = ["-", "--", ":"][shown // len(COLOURS) % 3]
        axes.plot(*zip(*points), color=COLOURS[shown % len(COLOURS)], linestyle=style,
                  marker=MARKERS[shown % len(MARKERS)], markersize=4, linewidth=1.5,
                  label=candidate["label"])
        shown += 1
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    decisions = [d for d in result["decisions"] if d["ranks"] == ranks]
    for before, after in zip(decisions, decisions[1:]):
        if before["candidate"] == after["candidate"]:
            continue
        axes.axvline(after["from_bytes"], color="#444444", linewidth=1, linestyle=(0, (2, 2)))
        axes.text(after["from_bytes"], high * 0.93,
                  f" {size_text(after['from_bytes'])}\n {result['candidates'][after['candidate']]['label']}",
                  fontsize=8, va="top", ha="left",
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})
    axes.set_ylim(low, high)
    ticks = [s for s in result["sizes_bytes"] if s > 0]
    ticks = ticks[::max(1, math.ceil(len(ticks) / 11))]
    axes.set_xticks(ticks, [size_text(t) for t in ticks], rotation=30, fontsize=8)
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(time_text))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_xlabel("size n (bytes in the largest buffer of any rank)")
    axes.set_ylabel("time")
    axes.set_title(f"{result['collective']} on {ranks} ranks: time over size, and where the choice "
                   "changes", fontsize=11, loc="left")
    axes.legend(fontsize=8, frameon=False, ncol=1, loc="upper left", bbox_to_anchor=(1.01, 1))
    finish(figure, axes, result, picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["winner", "loss", "times"])
    parser.add_argument("json")
    parser.add_argument("picture", nargs="+")
    parser.add_argument("--ranks", type=int, help="of times [the largest]")
    arguments = parser.parse_args()
    result = json.loads(pathlib.Path(arguments.json).read_text(encoding="utf-8"))
    draw = {"winner": winner, "loss": loss, "times": times}[arguments.what]
    for picture in arguments.picture:
        draw(result, picture, arguments)
        pyplot.close("all")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"plot_decide.py: {error}")
