"""Points, rectangles and lines through points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle by its upper left corner; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower side."""
        return self.y + self.height

    def moved(self, x: float, y: float) -> Rect:
        """The same rectangle elsewhere."""
        return Rect(self.x + x, self.y + y, self.width, self.height)

    def turned(self) -> Rect:
        """The rectangle with x and y exchanged."""
        return Rect(self.y, self.x, self.height, self.width)

    def overlaps(self, other: Rect) -> bool:
        """Whether the two share more than a border."""
        return (
            self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom
        )

    def contains(self, other: Rect) -> bool:
        """Whether `other` lies within this rectangle."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


def rounded(rect: Rect) -> Rect:
    """The rectangle with two decimals, so that texts and equality do not depend on the last bits."""
    return Rect(round(rect.x, 2), round(rect.y, 2), round(rect.width, 2), round(rect.height, 2))


def simplified(points: Iterable[Point]) -> tuple[Point, ...]:
    """The line without repeated points and without points in the middle of a vertical or horizontal piece."""
    kept: list[Point] = []
    for x, y in points:
        point = (round(x, 2), round(y, 2))
        if kept and kept[-1] == point:
            continue
        if len(kept) >= 2 and (
            kept[-1][0] == kept[-2][0] == point[0] or kept[-1][1] == kept[-2][1] == point[1]
        ):
            kept[-1] = point
            continue
        kept.append(point)
    return tuple(kept)
