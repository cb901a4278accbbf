"""A network that writes: an LSTM learns four lines letter by letter, then writes them from their first letter.

In training it sees the text and says at each letter what comes next; `tf.nn.dynamic_rnn` runs the cell over all letters
at once. To write, the same cell runs over one letter at a time: what it says is its next input, and its state goes from
call to call. docs/recurrent.md explains the parts.
"""

import numpy as np

import penstock as tf

TEXT = """\
Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date.
"""
UNITS = 64
letters = sorted(set(TEXT))
numbers = np.array([letters.index(letter) for letter in TEXT])

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(5)
    seen = tf.placeholder(tf.int32, ["texts", "letters"], name="seen")
    following = tf.placeholder(tf.int32, ["texts", "letters"], name="following")
    cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS)

    # The state is fed where a text goes on, and zeros where none is fed.
    texts = tf.shape(seen)[0]
    zeros = cell.zero_state(texts, tf.float32)
    state = tf.nn.rnn_cell.LSTMStateTuple(*[tf.placeholder_with_default(part, [None, UNITS]) for part in zeros])
    outputs, last_state = tf.nn.dynamic_rnn(cell, tf.one_hot(seen, len(letters), 1.0, 0.0), initial_state=state)
    scores = tf.layers.dense(outputs, len(letters))
    print("scores", scores.shape, "state", last_state.h.shape)

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.reshape(scores, [-1, len(letters)]), tf.reshape(following, [-1])
    ))  # fmt: skip
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    said = tf.argmax(scores, 2, name="said")
    start = tf.global_variables_initializer()
    print([variable.name for variable in tf.trainable_variables()])

with tf.Session(graph=graph) as session:
    session.run(start)
    feed = {seen: [numbers[:-1]], following: [numbers[1:]]}
    for number in range(301):
        _, error = session.run([step, loss], feed)
        if number in (0, 300):
            print(f"step {number}: the loss is {'above' if error > 0.1 else 'below'} 0.1")

    # Writing: one letter in, one letter out.
    written, memory = TEXT[0], session.run(zeros, {seen: [[0]]})
    while len(written) < len(TEXT):
        letter = letters.index(written[-1])
        words, memory = session.run([said, last_state], {seen: [[letter]], state.c: memory.c, state.h: memory.h})
        written += letters[words[0, 0]]
print(written)
