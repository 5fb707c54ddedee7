#!/usr/bin/env python3
"""Draws a timeline that `tutti simulate --timeline` wrote, as PNG, SVG or PDF.

    scripts/plot_timeline.py ring.json ring.png

Debian: python3-matplotlib. One bar per slice, one row per thread, one arrow per message.
"""

import argparse
import json
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as missing:
    sys.exit(f"plot_timeline.py: {missing}; it draws with matplotlib (Debian: python3-matplotlib)")

COLOURS = {"send": "#4477aa", "receive": "#66ccee", "compute": "#ee6677"}
MAX_ARROWS = 400  # more would hide the bars


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("timeline")
    parser.add_argument("picture")
    arguments = parser.parse_args()
    with open(arguments.timeline, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]

    title = next(e["args"]["name"] for e in events if e["name"] == "process_name")
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    order = {e["tid"]: e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
    rows = {tid: row for row, tid in enumerate(sorted(names, key=order.get))}

    figure, axes = pyplot.subplots(figsize=(12, max(2.5, 0.22 * len(rows) + 1)))
    for lane, colour in COLOURS.items():
        pieces = [e for e in events if e["ph"] == "X" and names[e["tid"]].split()[2] == lane]
        axes.barh([rows[e["tid"]] for e in pieces], [e["dur"] for e in pieces],
                  left=[e["ts"] for e in pieces], height=0.8, color=colour, edgecolor="white",
                  linewidth=0.4, label=lane)
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    if len(starts) <= MAX_ARROWS:
        for flow, start in starts.items():
            end = ends[flow]
            axes.annotate("", xy=(end["ts"], rows[end["tid"]]),
                          xytext=(start["ts"], rows[start["tid"]]),
                          arrowprops={"arrowstyle": "->", "color": "#444444", "linewidth": 0.5})
    axes.set_yticks(range(len(rows)), [names[tid] for tid in rows], fontsize=7)
    axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
    axes.set_xlabel("microseconds")
    axes.set_title(title, loc="left")
    if rows:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=3, frameon=False)
    figure.tight_layout()
    figure.savefig(arguments.picture, dpi=150)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"plot_timeline.py: {error}")
