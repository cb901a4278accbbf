"""`ExportOptions`: the options of `Graph.export`, `Plan.export`, `RunRecord.export` and `show.export`, in
one record.

A new option is a field here and a named parameter of those functions (tests/show/test_export_calls.py compares them).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..content.picture import DIRECTIONS, Direction

if TYPE_CHECKING:
    from ...runtime.session.session import Session
    from ..content.constant_labels import Constants
    from ..content.from_graph import Context
    from ..content.repeated_scopes import Repetition


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of an export.

    Attributes:
        call: the call that errors name, such as "Graph.export".
        fetches: what is marked as fetched, and what a run on the page fetches.
        feeds: what that run is fed: a feed_dict; or a list of tensors, which shows the stages without a run.
        session: the session of that run.
        depth: scopes nested deeper than this are closed.
        hide: glob patterns of names that are left out.
        repeats: what a still picture does with rows of equal scopes: "fold", "each", or None for the usual.
        title: the title of the picture; "" for the usual one.
        colour: the meaning of the colours.
        constants: "labels" or "boxes"; None for the usual one of the form.
        direction: the way in which arrows point: "auto", "down" or "right".
        full_names: whether a text tree (.txt) shows full names.
        scale: the pixels for one unit of the SVG, for .png.
        play: whether a page computes.
        context: what becomes of nodes that no fetch needs: "cut" or "dim"; None for the usual one of the form.
        opset: the version of ONNX's operators, for .onnx; None for the usual one.
    """

    call: str = "export"
    fetches: Any = None
    feeds: Any = None
    session: Session | None = None
    depth: int | None = None
    hide: str | Iterable[str] = ()
    repeats: Repetition | None = None
    title: str = ""
    colour: str = "kind"
    constants: Constants | None = None
    direction: Direction = "auto"
    full_names: bool = False
    scale: float | None = None
    play: bool = False
    context: Context | None = None
    opset: int | None = None

    @property
    def fetched(self) -> Any:
        """The fetches as `picture_of` takes them."""
        return () if self.fetches is None else self.fetches

    @property
    def drawing(self) -> dict[str, Any]:
        """The options of any drawing."""
        constants = self.constants or "labels"
        return {"depth": self.depth, "hide": self.hide, "colour": self.colour, "constants": constants}

    @property
    def usual_context(self) -> Context:
        """What becomes of nodes that no fetch needs in a drawing."""
        return self.context or "cut"

    def checked(self) -> ExportOptions:
        """These options, with `hide` as a tuple.

        Raises:
            TypeError: an option is of another type.
            ValueError: the depth is negative, or there is no such way to draw repetition.
        """
        for name in ("title", "colour"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise TypeError(f"{self.call}({name}={value!r}): it must be a text, not {type(value).__name__}")
        if not isinstance(self.play, bool):
            found = type(self.play).__name__
            raise TypeError(f"{self.call}(play={self.play!r}): it must be True or False, not {found}")
        if self.constants not in (None, "labels", "boxes"):
            raise ValueError(f"{self.call}(constants={self.constants!r}): it must be 'labels', 'boxes' or None")
        if self.repeats not in (None, "fold", "each"):
            raise ValueError(f"{self.call}(repeats={self.repeats!r}): it must be 'fold', 'each' or None")
        if self.context not in (None, "cut", "dim"):
            raise ValueError(f"{self.call}(context={self.context!r}): it must be 'cut', 'dim' or None")
        if self.direction not in DIRECTIONS:
            raise ValueError(f"{self.call}(direction={self.direction!r}): it must be 'auto', 'down' or 'right'")
        depth = self.depth
        if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int)):
            raise TypeError(f"{self.call}(depth={depth!r}): it must be an int or None, not {type(depth).__name__}")
        if depth is not None and depth < 0:
            raise ValueError(f"{self.call}(depth={depth}): it must be None or at least 0; depth=0 closes every scope")
        try:
            hide = (self.hide,) if isinstance(self.hide, str) else tuple(self.hide)
        except TypeError:
            hide = (None,)  # type: ignore[assignment]  # refused below
        if not all(isinstance(pattern, str) for pattern in hide):
            raise TypeError(f"{self.call}(hide={self.hide!r}): it must be a list of patterns such as 'tower/*'")
        return replace(self, hide=hide)
