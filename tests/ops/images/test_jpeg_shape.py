"""`is_jpeg` and `extract_jpeg_shape`: what the head of a JPEG file says; TensorFlow 2.21 gives the same."""

from __future__ import annotations

import base64

import pytest

import penstock as tf

GREY = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDA"
    "sKDAkKCgr/wgALCAAFAAcBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABf/aAAgBAQAAAAEz/8QAFhABAQEAAAAAAAAAAAAAAAAABQME/9oACAEB"
    "AAEFAsNkV1f/xAAcEAACAgMBAQAAAAAAAAAAAAACAwEEERIhBXH/2gAIAQEABj8CpWKV6KTW+xZpyakAWsgkz3HaJx2HfBYI5wHf/8QAFxABAQ"
    "EBAAAAAAAAAAAAAAAAEQEAMf/aAAgBAQABPyHsfb60Ucg0aHf/2gAIAQEAAAAQ/wD/xAAWEAEBAQAAAAAAAAAAAAAAAAABABH/2gAIAQEAAT8Q"
    "KM2JwhYGW8w7/9k="
)
"""A grey progressive image of 5 x 7 pixels, as `tf.image.encode_jpeg` of TensorFlow writes it."""
HEAD = GREY.index(b"\xff\xda") + 2 + GREY[GREY.index(b"\xff\xda") + 3]
"""Where the first pixels begin."""


@pytest.fixture
def session() -> tf.Session:
    return tf.Session(graph=tf.Graph())


def test_height_width_and_channels(session: tf.Session) -> None:
    with session.graph.as_default():
        assert session.run(tf.image.extract_jpeg_shape(GREY)).tolist() == [5, 7, 1]
        wide = tf.image.extract_jpeg_shape(GREY, tf.int64)
        assert wide.dtype is tf.int64 and session.run(wide).tolist() == [5, 7, 1]


def test_what_ends_before_the_pixels_is_an_error(session: tf.Session) -> None:
    with session.graph.as_default():
        contents = tf.placeholder(tf.string, [])
        sizes = tf.image.extract_jpeg_shape(contents)
        for count in range(HEAD):
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"Invalid JPEG data, size {count}"):
                session.run(sizes, {contents: GREY[:count]})
        assert session.run(sizes, {contents: GREY[:HEAD]}).tolist() == [5, 7, 1]


@pytest.mark.parametrize("text", [b"", b"\xff\xd8", b"GIF89a", b"\xff\xd8\xfe\xff"])
def test_other_strings_are_no_jpeg_files(session: tf.Session, text: bytes) -> None:
    with session.graph.as_default():
        assert not session.run(tf.image.is_jpeg(text))
        assert session.run(tf.image.is_jpeg(GREY))
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.image.extract_jpeg_shape(text))


def test_wrong_arguments(session: tf.Session) -> None:
    with session.graph.as_default():
        with pytest.raises(ValueError, match="rank 0"):
            tf.image.extract_jpeg_shape([GREY])
        with pytest.raises(TypeError, match="int32 or int64"):
            tf.image.extract_jpeg_shape(GREY, tf.float32)
        assert not [op for op in session.graph.get_operations() if op.type == "ExtractJpegShape"]
