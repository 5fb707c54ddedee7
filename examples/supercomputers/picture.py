"""Draws an SVG of the ratio of simulated to measured time by bytes, with one panel per machine."""

import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 260, 56, 48, 26
LOW, HIGH = 1 / 8, 8  # ratios of simulated to measured time
COLOURS = {"allreduce": "#0072b2", "reduce_scatter": "#e69f00", "allgather": "#009e73", "bcast": "#cc79a7",
           "reduce": "#d55e00", "alltoall": "#56b4e9", "gather": "#f0e442", "scatter": "#000000"}  # Okabe and Ito
RATIOS = [0.125, 0.25, 0.5, 1, 2, 4, 8]
SIZES = {5: "32 B", 10: "1 KiB", 15: "32 KiB", 20: "1 MiB", 25: "32 MiB", 30: "1 GiB"}
TITLES = {"leonardo": "Leonardo", "lumi": "LUMI", "mare_nostrum": "MareNostrum 5"}


def text(x, y, words, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{words}</text>'


def x_of(left, size, least, most):
    return left + WIDTH * (math.log2(size) - least) / (most - least)


def y_of(ratio):
    share = math.log2(min(max(ratio, LOW), HIGH) / LOW) / math.log2(HIGH / LOW)
    return TOP + HEIGHT * (1 - share)


def panel(machine, points, place, least, most):
    left = LEFT + place * (WIDTH + GAP)
    # The range of ratios from 1/2 to 2.
    out = [f'<rect x="{left}" y="{y_of(2):.1f}" width="{WIDTH}" height="{y_of(0.5) - y_of(2):.1f}" '
           'fill="#f0f0f0"/>']
    for ratio in RATIOS:
        y = y_of(ratio)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" '
                   f'stroke="{"#555" if ratio == 1 else "#ddd"}"/>')
        if place == 0:
            label = f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}"
            out.append(text(left - 6, y + 4, label, text_anchor="end"))
    for power, label in SIZES.items():
        if least <= power <= most:
            out.append(text(x_of(left, 2 ** power, least, most), TOP + HEIGHT + 16, label,
                            text_anchor="middle"))
    out.append(text(left, TOP - 8, f"{TITLES.get(machine, machine)}: {len(points)} times",
                    font_weight="bold"))
    for point in points:
        ratio = point["predicted_over_measured"]
        words = (f'{point["cell"]} {point["algorithm"]}: measured {point["measured_s"] * 1e6:.4g} us, '
                 f'simulated {point["predicted_s"] * 1e6:.4g} us')
        out.append(f'<circle cx="{x_of(left, point["bytes"], least, most):.1f}" cy="{y_of(ratio):.1f}" '
                   f'r="3" fill="{COLOURS.get(point["collective"], "#000")}" fill-opacity="0.55">'
                   f"<title>{words}</title></circle>")
    out.append(f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
               'stroke="#555"/>')
    return out


def draw(points, file):
    """Writes the picture. `points` come from `tutti score --json`."""
    machines = sorted({point["machine"] for point in points})
    powers = [math.log2(point["bytes"]) for point in points]
    least, most = min(powers) - 0.7, max(powers) + 0.7
    width = LEFT + len(machines) * (WIDTH + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HEIGHT + 48}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{TOP + HEIGHT + 48}" fill="#fff"/>',
           text(LEFT, 18, "Simulated over measured time, by the bytes of the largest buffer; grey: "
                          "within a factor of 2", font_size=13)]
    for place, machine in enumerate(machines):
        out += panel(machine, [point for point in points if point["machine"] == machine], place,
                     least, most)
    x = LEFT
    for collective, colour in COLOURS.items():
        y = TOP + HEIGHT + 36
        out.append(f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{colour}"/>')
        out.append(text(x + 12, y, collective))
        x += 110
    out.append("</svg>")
    file.write_text("\n".join(out) + "\n", encoding="utf-8")
