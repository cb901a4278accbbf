"""Pictures of predicted runs on a cluster: a box for each partition, in a group for each place, arrows with bytes."""

from __future__ import annotations

from ...cluster.placing.places import place_name
from ...cluster.placing.prediction import CutEdge, PartitionForecast, Prediction
from ...runtime.observe.run_record import byte_text, time_text
from .picture import Arrow, Box, BoxKind, Group, Picture

_FEEDS, _RESULTS = "feeds and variables", "results"


def picture_of_prediction(made: Prediction, title: str = "") -> Picture:
    """The partitions of a predicted run, with what they compute and what crosses from place to place."""
    boxes = []
    if any(cut.source < 0 for cut in made.cuts):
        boxes.append(Box(_FEEDS, _FEEDS, BoxKind.FED))
    boxes += [_box(each) for each in made.partitions]
    if any(cut.target < 0 for cut in made.cuts):
        boxes.append(Box(_RESULTS, _RESULTS, BoxKind.FETCHED))
    groups = [Group((name,)) for name in dict.fromkeys(place_name(each.place) for each in made.partitions)]
    return Picture(title or made.verdict, tuple(boxes), tuple([_arrow(cut) for cut in made.cuts]), tuple(groups))


def _id(number: int) -> str:
    return f"partition {number}"


def _box(each: PartitionForecast) -> Box:
    detail = [f"{each.operations:,} operations", f"{time_text(each.seconds)} expected"]
    if each.measured is not None:
        detail.append(f"{time_text(each.measured)} measured")
    detail.append(f"from {time_text(each.start)} to {time_text(each.end)}")
    return Box(_id(each.number), _id(each.number), BoxKind.FUSED, "Partition", tuple(detail), (place_name(each.place),))


def _arrow(cut: CutEdge) -> Arrow:
    source = _FEEDS if cut.source < 0 else _id(cut.source)
    target = _RESULTS if cut.target < 0 else _id(cut.target)
    label = byte_text(cut.size) if cut.crosses else ""
    return Arrow(source, target, label, tensors=cut.tensors)
