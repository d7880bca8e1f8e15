"""Draws line charts as SVG, without a library."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 40, 100, 60
COLOURS = ["#1864ab", "#e8590c", "#2b8a3e", "#862e9c", "#c92a2a", "#495057"]


def steps(highest, count=5):
    """Returns about `count` round tick values from 0 to at least `highest`."""
    if highest <= 0:
        return [0, 1]
    rough = highest / count
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    return [step * i for i in range(math.ceil(highest / step - 1e-9) + 1)]


def label(number):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


class Axis:
    """Axis that maps a value to a coordinate. Its scale is logarithmic if the maximum exceeds 100 times the minimum,
    unless `from_zero`."""

    def __init__(self, numbers, begin, end, from_zero):
        self._begin, self._end = begin, end
        positive = [number for number in numbers if number > 0]
        self._log = not from_zero and bool(positive) and min(numbers) > 0 and max(numbers) / min(numbers) > 100
        if self._log:
            self.ticks = sorted(set(numbers))
            self._low, self._high = math.log(min(numbers)), math.log(max(numbers))
        else:
            self.ticks = steps(max(numbers))
            self._low, self._high = 0, self.ticks[-1]

    def place(self, number):
        at = math.log(number) if self._log else number
        share = (at - self._low) / (self._high - self._low) if self._high > self._low else 0.5
        return self._begin + share * (self._end - self._begin)


def line_chart(title, across, upwards, series):
    """Returns the SVG text of a chart. `series` is {name: [(x, y), …]}; the legend lists the names in this order."""
    points = [point for line in series.values() for point in line]
    if not points:
        raise ValueError(f"nothing to draw: {title}")
    x_axis = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, from_zero=False)
    y_axis = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, from_zero=True)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(WIDTH / 2, 22, title, "middle", 15)]
    for tick in y_axis.ticks:
        y = y_axis.place(tick)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#dee2e6"/>')
        parts.append(text(LEFT - 8, y + 4, label(tick), "end"))
    for tick in x_axis.ticks:
        parts.append(text(x_axis.place(tick), HEIGHT - BOTTOM + 18, label(tick), "middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18, across, "middle"))
    parts.append(f'<g transform="rotate(-90 20 {HEIGHT / 2})">{text(20, HEIGHT / 2, upwards, "middle")}</g>')
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = LEFT + (WIDTH - LEFT - RIGHT) / 2 * (number % 2), 46 + 18 * (number // 2)
        parts.append(f'<text x="{x:.0f}" y="{y}" fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def text(x, y, words, anchor, size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'
