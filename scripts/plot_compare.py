#!/usr/bin/env python3
"""Draws what `tutti compare --csv` wrote, as SVG, PNG or PDF.

    scripts/plot_compare.py compare.csv [more.csv ...] picture.svg

Debian: python3-matplotlib. One panel per file and number of ranks: a line per algorithm, simulated
time over size; a dashed line in the same colour where the exact cost says otherwise. Algorithms that
take the same time everywhere have one line.
"""

import argparse
import csv
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker
except ImportError as missing:
    sys.exit(f"plot_compare.py: {missing}; it draws with matplotlib (Debian: python3-matplotlib)")

# Okabe and Ito's colours, told apart with any kind of colour vision; markers for the rest.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">"]
MOST_TICKS = 9
VISIBLE_GAP = 0.02  # smaller ones would only thicken the line


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if not row["refused"]]


def label(row, rows):
    """The algorithm; with its options where it was run in several ways."""
    ways = {r["options"] for r in rows if r["algorithm"] == row["algorithm"]}
    return row["algorithm"] if len(ways) == 1 else f"{row['algorithm']} {row['options']}"


def merge_equals(rows):
    """Gives one label to those that always take the same time, and the same by their formulas."""
    times = {}
    for row in rows:
        times.setdefault(row["label"], []).append(
            (row["platform"], row["ranks"], row["bytes"], row["simulated_s"], row["exact_s"]))
    together = {}
    for name, own in times.items():
        together.setdefault(tuple(sorted(own)), []).append(name)
    joined = {name: " = ".join(names) for names in together.values() for name in names}
    for row in rows:
        row["label"] = joined[row["label"]]


def size_text(size, _position=None):
    for unit in ["bytes", "KiB", "MiB", "GiB"]:
        if size < 1024 or unit == "GiB":
            return f"{size:g} {unit}"
        size /= 1024
    return ""


def time_text(seconds, _position=None):
    for unit, size in [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]:
        if seconds >= size * 0.999 or unit == "ns":
            return f"{seconds / size:g} {unit}"
    return ""


def draw(axes, rows, names):
    for index, name in enumerate(names):
        own = sorted((r for r in rows if r["label"] == name), key=lambda r: int(r["bytes"]))
        if not own:
            continue
        sizes = [int(r["bytes"]) for r in own]
        simulated = [float(r["simulated_s"]) for r in own]
        style = {"color": COLOURS[index % len(COLOURS)]}
        # A colour that comes again has another kind of line.
        axes.plot(sizes, simulated, marker=MARKERS[index % len(MARKERS)], markersize=4.5,
                  linewidth=1.6, linestyle=["-", "-.", ":"][index // len(COLOURS) % 3], label=name,
                  **style)
        exact = [float(r["exact_s"]) if r["exact_s"] else None for r in own]
        if any(e is not None and abs(e - s) > VISIBLE_GAP * s for e, s in zip(exact, simulated)):
            axes.plot(sizes, [float("nan") if e is None else e for e in exact], linestyle="--",
                      linewidth=1.2, **style)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    sizes = sorted({int(r["bytes"]) for r in rows})
    axes.set_xticks(sizes[::-(-len(sizes) // MOST_TICKS)])
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(size_text))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(time_text))
    axes.tick_params(axis="x", labelrotation=30)
    axes.set_xlabel("bytes in the vector")
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_title(f"{pathlib.Path(rows[0]['platform']).stem}, {rows[0]['ranks']} ranks",
                   fontsize=10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="+")
    parser.add_argument("picture")
    arguments = parser.parse_args()
    panels = []
    files = [read(path) for path in arguments.csv]
    for rows in files:
        for row in rows:
            row["label"] = label(row, rows)
    merge_equals([row for rows in files for row in rows])
    names = list(dict.fromkeys(row["label"] for rows in files for row in rows))
    for rows in files:
        for ranks in dict.fromkeys(r["ranks"] for r in rows):
            panels.append([r for r in rows if r["ranks"] == ranks])

    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.6), sharey=True,
                                   squeeze=False)
    for place, rows in zip(axes[0], panels):
        draw(place, rows, names)
    axes[0][0].set_ylabel("simulated time")
    handles, labels = axes[0][0].get_legend_handles_labels()
    handles.append(pyplot.Line2D([], [], color="#444444", linestyle="--", linewidth=1.2))
    labels.append("its formula, where off")
    figure.suptitle(panels[0][0]["collective"], fontsize=12)
    columns = 4
    lines = -(-len(labels) // columns)
    figure.legend(handles, labels, loc="lower center", ncol=columns, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.03 + 0.04 * lines, 1, 1))
    # No date and no random ids: the same figures give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "tutti"
    metadata = {"Date": None} if arguments.picture.endswith(".svg") else {}
    figure.savefig(arguments.picture, dpi=150, metadata=metadata)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"plot_compare.py: {error}")
