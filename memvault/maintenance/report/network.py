"""Keywords as a map: the larger the more memories bear one, near each other where they stand together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, sin, sqrt

from memvault.maintenance.report.html import (
    Drawing,
    Markup,
    PlotSheet,
    draw_line,
    escape_text,
    join_markup,
    make_element,
)
from memvault.recall.keywords import KeywordMap, KeywordPair
from memvault.text.display import cell_width

MOST = {"wide": 32, "narrow": 16}
_HEIGHT = {"wide": 490.0, "narrow": 500.0}
_TURN = 2.399963229728653  # the golden angle: points laid round it never line up
_ROUNDS, _SETTLING = 220, 500
_LONGEST = 18


@dataclass(frozen=True, slots=True)
class KeywordNode:
    """One keyword as it is drawn, with half the room it takes up to either side, above and below."""

    label: str
    count: int
    radius: float
    type_size: float
    half_width: float
    half_height: float


Point = list[float]


def draw_keywords(sheet: PlotSheet, keywords: KeywordMap) -> Drawing:
    """Return the most frequent keywords, with threads between those that go together."""
    nodes = make_nodes(sheet, keywords)
    width, height = map_size(sheet, len(nodes))
    pairs = _strongest_pairs([pair for pair in keywords.pairs if pair.other < len(nodes)], len(nodes))
    points = place_nodes(nodes, pairs, width, height)
    return Drawing(
        height,
        join_markup(*_draw_threads(pairs, points), *(_draw_node(*pair) for pair in zip(nodes, points, strict=True))),
    )


def map_size(sheet: PlotSheet, nodes: int) -> tuple[float, float]:
    """Return how wide and high the map is: few keywords would be lost on the whole sheet."""
    return min(sheet.width, 160.0 + 36 * nodes), min(
        _HEIGHT[sheet.name], 100.0 + (26 if sheet.is_narrow else 14) * nodes
    )


def make_nodes(sheet: PlotSheet, keywords: KeywordMap) -> list[KeywordNode]:
    """Return the keywords as nodes, as large as their counts and as wide as their names."""
    chosen = keywords.words[: MOST[sheet.name]]
    most = max((word.count for word in chosen), default=1)
    largest = 17.0 if sheet.is_narrow else 25.0
    found = []
    for word in chosen:
        share = sqrt(word.count / most)
        radius, type_size = 3 + (largest - 3) * share, 11.5 + 5 * share
        label = escape_text(word.name, _LONGEST)
        width = cell_width(word.name[: 2 * _LONGEST]) if cell_width(word.name) <= _LONGEST else _LONGEST
        half_width = max(radius, width * type_size * 0.31) + 6
        found.append(KeywordNode(label, word.count, radius, type_size, half_width, radius + type_size * 0.75 + 3))
    return found


def _strongest_pairs(pairs: Sequence[KeywordPair], nodes: int) -> list[KeywordPair]:
    """Return the strongest threads alone: a map on which everything is tied to everything shows nothing."""
    kept: list[KeywordPair] = []
    degree = [0] * nodes
    for pair in pairs:
        if min(degree[pair.one], degree[pair.other]) < 2 and max(degree[pair.one], degree[pair.other]) < 7:
            kept.append(pair)
            degree[pair.one] += 1
            degree[pair.other] += 1
    return kept


# -- where everything lies


def place_nodes(nodes: Sequence[KeywordNode], pairs: Sequence[KeywordPair], width: float, height: float) -> list[Point]:
    """Return a place for each node: threads pull, all push each other off, and at last none covers another."""
    points = [
        [width / 2 + width * 0.09 * sqrt(n) * cos(n * _TURN), height / 2 + height * 0.09 * sqrt(n) * sin(n * _TURN)]
        for n in range(len(nodes))
    ]
    ideal = 0.75 * sqrt(width * height / max(1, len(nodes)))
    for number in range(_ROUNDS):
        _move_points(
            points, _compute_forces(points, pairs, ideal, (width, height)), ideal * (1 - number / _ROUNDS) * 0.35
        )
    _stretch_map(nodes, points, width, height)
    for _ in range(_SETTLING):
        if not _push_apart(nodes, points):
            break
        _keep_within(nodes, points, width, height)
    _keep_within(nodes, points, width, height)
    return points


def _compute_forces(
    points: list[Point], pairs: Sequence[KeywordPair], ideal: float, sheet: tuple[float, float]
) -> list[Point]:
    forces = [[0.0, 0.0] for _ in points]
    for one, (x1, y1) in enumerate(points):
        for other in range(one):
            x2, y2 = points[other]
            dx, dy = x1 - x2, y1 - y2
            push = ideal * ideal / max(dx * dx + dy * dy, 1.0)
            _add_force(forces, one, other, dx * push, dy * push)
    strongest = max((pair.count for pair in pairs), default=1)
    for pair in pairs:
        (x1, y1), (x2, y2) = points[pair.one], points[pair.other]
        pull = -hypot(x1 - x2, y1 - y2) / ideal * (0.4 + 0.6 * pair.count / strongest)
        _add_force(forces, pair.one, pair.other, (x1 - x2) * pull, (y1 - y2) * pull)
    for force, (x, y) in zip(forces, points, strict=True):
        force[0] += (sheet[0] / 2 - x) * 0.35
        force[1] += (sheet[1] / 2 - y) * 0.35 * sheet[0] / sheet[1]
    return forces


def _add_force(forces: list[Point], one: int, other: int, dx: float, dy: float) -> None:
    forces[one][0] += dx
    forces[one][1] += dy
    forces[other][0] -= dx
    forces[other][1] -= dy


def _move_points(points: list[Point], forces: list[Point], most: float) -> None:
    for point, (dx, dy) in zip(points, forces, strict=True):
        share = min(1.0, most / (hypot(dx, dy) or 1.0))
        point[0] += dx * share
        point[1] += dy * share


def _stretch_map(nodes: Sequence[KeywordNode], points: list[Point], width: float, height: float) -> None:
    """Stretch the map to fill its sheet."""
    for axis, room in ((0, width), (1, height)):
        halves = [node.half_width if axis == 0 else node.half_height for node in nodes]
        low = min((point[axis] - half for point, half in zip(points, halves, strict=True)), default=0)
        high = max((point[axis] + half for point, half in zip(points, halves, strict=True)), default=room)
        for point in points:
            point[axis] = (point[axis] - low) * room / ((high - low) or 1)


def _push_apart(nodes: Sequence[KeywordNode], points: list[Point]) -> bool:
    """Push overlapping nodes apart along the shorter axis; return whether there were any."""
    any_moved = False
    for one in range(len(nodes)):
        for other in range(one):
            dx, dy = points[one][0] - points[other][0], points[one][1] - points[other][1]
            lap_x = nodes[one].half_width + nodes[other].half_width - abs(dx)
            lap_y = nodes[one].half_height + nodes[other].half_height - abs(dy)
            if lap_x <= 0 or lap_y <= 0:
                continue
            any_moved = True
            axis, lap, way = (0, lap_x, dx) if lap_x < lap_y else (1, lap_y, dy)
            half = (lap / 2 + 0.5) * (1 if way >= 0 else -1)
            points[one][axis] += half
            points[other][axis] -= half
    return any_moved


def _keep_within(nodes: Sequence[KeywordNode], points: list[Point], width: float, height: float) -> None:
    for node, point in zip(nodes, points, strict=True):
        point[0] = min(max(point[0], node.half_width), width - node.half_width)
        point[1] = min(max(point[1], node.half_height), height - node.half_height)


# -- drawing it


def _draw_threads(pairs: Sequence[KeywordPair], points: Sequence[Point]) -> Iterator[Markup]:
    strongest = max((pair.count for pair in pairs), default=1)
    for pair in pairs:
        (x1, y1), (x2, y2) = points[pair.one], points[pair.other]
        grade = 1 + round(3 * pair.count / strongest)
        yield draw_line(x1, _circle_height(y1), x2, _circle_height(y2), f"tie tie-{grade}")


def _circle_height(y: float) -> float:
    return y - 8  # a node's label hangs below its circle


def _draw_node(node: KeywordNode, point: Point) -> Markup:
    x, y = point[0], _circle_height(point[1])
    tooltip = f"{node.count:,} {'memory' if node.count == 1 else 'memories'}"
    below = y + node.radius + node.type_size * 0.95
    label = make_element(
        "text", node.label, x=x, y=below, font_size=node.type_size, class_="word halo", text_anchor="middle"
    )
    return make_element(
        "g",
        make_element("title", node.label, f": {tooltip}"),
        make_element("circle", cx=x, cy=y, r=node.radius, class_="node"),
        label,
    )
