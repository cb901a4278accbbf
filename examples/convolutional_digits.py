"""A convolutional network reads digits: two convolutions with pooling, then two dense layers.

The digits are drawn by the program: a font of 5 x 7 points, doubled, shifted and noisy, in images of 20 x 20. The first
size of the placeholders has a name, so that the shapes of the layers tell of it. docs/nn.md explains the parts.
"""

import numpy as np

import penstock as tf

FONT = (
    "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111", "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
)  # fmt: skip
DIGITS = np.array([[[int(point) for point in row] for row in digit.split()] for digit in FONT], np.float32)
SIZE = 20

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(2)
    image = tf.placeholder(tf.float32, ["images", SIZE, SIZE, 1], name="image")
    digit = tf.placeholder(tf.int32, ["images"], name="digit")
    first = tf.layers.conv2d(image, 8, 3, padding="same", activation=tf.nn.relu)
    first = tf.layers.max_pooling2d(first, 2, 2)
    second = tf.layers.conv2d(first, 16, 3, padding="same", activation=tf.nn.relu)
    second = tf.layers.max_pooling2d(second, 2, 2)
    hidden = tf.layers.dense(tf.layers.flatten(second), 32, tf.nn.relu)
    scores = tf.layers.dense(hidden, 10)
    print(first.shape, second.shape, scores.shape)

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(scores, digit))
    step = tf.train.AdamOptimizer(0.005).minimize(loss)
    is_right = tf.equal(tf.argmax(scores, 1), tf.cast(digit, tf.int64))
    accuracy = tf.reduce_mean(tf.cast(is_right, tf.float32))
    start = tf.global_variables_initializer()
    print([variable.name for variable in tf.trainable_variables()])

rng = np.random.default_rng(0)


def drawn(count: int) -> dict[tf.Tensor, np.ndarray]:
    """Images of random digits at random places, and which they are."""
    digits = rng.integers(0, 10, count)
    images = rng.normal(0, 0.3, (count, SIZE, SIZE, 1)).astype(np.float32)
    for one, number in zip(images, digits, strict=True):
        top, left = rng.integers(0, SIZE - 14 + 1), rng.integers(0, SIZE - 10 + 1)
        one[top : top + 14, left : left + 10, 0] += DIGITS[number].repeat(2, 0).repeat(2, 1)
    return {image: images, digit: digits}


test = drawn(500)
with tf.Session(graph=graph) as session:
    session.run(start)
    print("before: more than half are right:", bool(session.run(accuracy, test) > 0.5))
    for _ in range(400):
        session.run(step, drawn(64))
    print("after: more than 95 % are right:", bool(session.run(accuracy, test) > 0.95))
