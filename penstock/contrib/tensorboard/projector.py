"""The file that tells TensorBoard's projector which variables of a checkpoint are embeddings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...errors import ValueRuleError

PROJECTOR_FILENAME = "projector_config.pbtxt"
_T = TypeVar("_T")


class AddedMessages(list[_T], Generic[_T]):
    """A list of messages; `add()` appends a new one and gives it."""

    def __init__(self, kind: type[_T]) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **fields: Any) -> _T:
        """Appends a new message and gives it."""
        self.append(self._kind(**fields))
        return self[-1]


@dataclass
class SpriteMetadata:
    """An image of many small images, one for each row of an embedding: its path, and the width and height of each."""

    image_path: str = ""
    single_image_dim: list[int] = field(default_factory=list)


@dataclass
class EmbeddingInfo:
    """One embedding: the name of its variable, and files about its rows."""

    tensor_name: str = ""
    metadata_path: str = ""
    bookmarks_path: str = ""
    tensor_shape: list[int] = field(default_factory=list)
    sprite: SpriteMetadata = field(default_factory=SpriteMetadata)
    tensor_path: str = ""


@dataclass
class ProjectorConfig:
    """The embeddings of a folder of checkpoints.

    >>> import penstock as tf
    >>> config = tf.contrib.tensorboard.plugins.projector.ProjectorConfig()
    >>> embedding = config.embeddings.add()
    >>> embedding.tensor_name, embedding.metadata_path = "words:0", "words.tsv"
    >>> print(config)
    embeddings {
      tensor_name: "words:0"
      metadata_path: "words.tsv"
    }

    Source: TensorFlow 1.x, `tf.contrib.tensorboard.plugins.projector.ProjectorConfig`.
    """

    model_checkpoint_path: str = ""
    embeddings: AddedMessages[EmbeddingInfo] = field(default_factory=lambda: AddedMessages(EmbeddingInfo))
    model_checkpoint_dir: str = ""

    def __str__(self) -> str:
        return "\n".join(_text(self, ""))


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes `projector_config.pbtxt` into the folder of a `tf.summary.FileWriter`, or into a folder by its path.

    Args:
        summary_writer: the writer, or the path of its folder.
        config: a ProjectorConfig.

    Raises:
        ValueError: the writer has no folder.

    >>> import tempfile, pathlib
    >>> import penstock as tf
    >>> projector = tf.contrib.tensorboard.plugins.projector
    >>> config = projector.ProjectorConfig(model_checkpoint_path="m")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.summary.FileWriter(folder) as writer:
    ...         projector.visualize_embeddings(writer, config)
    ...     pathlib.Path(folder, "projector_config.pbtxt").read_text().strip()
    'model_checkpoint_path: "m"'

    Source: TensorFlow 1.x, `tf.contrib.tensorboard.plugins.projector.visualize_embeddings`.
    """
    folder = summary_writer.get_logdir() if hasattr(summary_writer, "get_logdir") else summary_writer
    if folder is None:
        raise ValueRuleError("Summary writer must have a logdir")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / PROJECTOR_FILENAME).write_text(f"{config}\n", "utf-8")


def _text(message: Any, indent: str) -> Iterator[str]:
    """The lines of a message in protobuf's text format; fields with their default are left out."""
    for name in message.__dataclass_fields__:
        value = getattr(message, name)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, EmbeddingInfo | SpriteMetadata):
                inner = list(_text(each, f"{indent}  "))
                if inner or isinstance(each, EmbeddingInfo):
                    yield from (f"{indent}{name} {{", *inner, f"{indent}}}")
            elif each != "":
                yield f"{indent}{name}: {json.dumps(each)}"


__all__ = ["PROJECTOR_FILENAME", "EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]
