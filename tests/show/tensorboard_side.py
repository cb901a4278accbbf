"""Reads exported files with TensorBoard. Run by test_tools_read_them in an interpreter that can import tensorboard.

python tensorboard_side.py FOLDER FILE.pb... prints JSON: for each file the nodes that the graph plugin would send
to its page, and those of the .pbtxt beside it as protobuf's own reader sees them.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module  # inside functions: the tests' own interpreter has none of these packages
from pathlib import Path
from typing import Any


def part(module: str, name: str) -> Any:
    """Something of an installed package."""
    return getattr(import_module(module), name)


def parsed(text: str) -> Any:
    """The GraphDef that protobuf's own reader makes of a text."""
    return part("google.protobuf.text_format", "Parse")(text, part("tensorboard.compat.proto.graph_pb2", "GraphDef")())


def nodes(graph: Any) -> list[list[Any]]:
    """Name, op, inputs and output shapes of each node."""
    return [[n.name, n.op, list(n.input), shapes(n)] for n in graph.node]


def shapes(node: Any) -> list[list[int] | None]:
    """The shapes that TensorBoard writes on the edges: None where the rank is not known."""
    listed = node.attr["_output_shapes"].list.shape
    return [None if shape.unknown_rank else [dim.size for dim in shape.dim] for shape in listed]


def as_the_page_gets_it(content: bytes, folder: Path) -> Any:
    """The GraphDef that the plugin sends, from an event file that holds `content`."""
    board = "tensorboard"
    processing = f"{board}.backend.event_processing"
    writer = part(f"{board}.summary.writer.event_file_writer", "EventFileWriter")(str(folder / "run"))
    writer.add_event(part(f"{board}.compat.proto.event_pb2", "Event")(graph_def=content))
    writer.close()
    multiplexer = part(f"{processing}.plugin_event_multiplexer", "EventMultiplexer")()
    multiplexer.AddRunsFromDirectory(str(folder))
    multiplexer.Reload()
    data = part(f"{processing}.data_provider", "MultiplexerDataProvider")(multiplexer, str(folder))
    offered = part(f"{board}.plugins.base_plugin", "TBContext")(data_provider=data)
    plugin = part(f"{board}.plugins.graph.graphs_plugin", "GraphsPlugin")(offered)
    ctx = part(f"{board}.context", "RequestContext")()
    told = plugin.info_impl(ctx, "")
    assert told["run"]["run_graph"], told
    text, kind = plugin.graph_impl(ctx, "run", None, False, "", 1024, "_too_large_attrs")
    assert kind == "text/x-protobuf", kind
    return parsed(text)


def main() -> None:
    """Read every file named on the command line."""
    found = []
    for number, name in enumerate(sys.argv[2:]):
        path = Path(name)
        sent = as_the_page_gets_it(path.read_bytes(), Path(sys.argv[1]) / str(number))
        text = parsed(path.with_suffix(".pbtxt").read_text("utf-8"))
        found.append({"page": nodes(sent), "text": nodes(text)})
    print(json.dumps({"version": part("tensorboard.version", "VERSION"), "found": found}))


if __name__ == "__main__":
    main()
