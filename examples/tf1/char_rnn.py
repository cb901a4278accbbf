"""A character RNN: an LSTM over windows of a text with tf.nn.dynamic_rnn, clipped gradients, then a sample of it."""

import numpy as np
import tensorflow as tf

TEXT = "the queue runs the graph and the graph runs the queue. " * 12
HIDDEN, LENGTH, BATCH = 24, 16, 8
chars = sorted(set(TEXT))
char_to_ix = {c: i for i, c in enumerate(chars)}
data = np.array([char_to_ix[c] for c in TEXT])
vocab = len(chars)
random = np.random.RandomState(3)

inputs = tf.placeholder(tf.int32, [None, None], name="inputs")
targets = tf.placeholder(tf.int32, [None, None], name="targets")
cell = tf.contrib.rnn.BasicLSTMCell(HIDDEN)
batch = tf.shape(inputs)[0]
initial = cell.zero_state(batch, tf.float32)
with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=3)):
    outputs, state = tf.nn.dynamic_rnn(cell, tf.one_hot(inputs, vocab), initial_state=initial)
W = tf.Variable((0.1 * random.randn(HIDDEN, vocab)).astype(np.float32))
b = tf.Variable(tf.zeros([vocab]))
logits = tf.reshape(tf.matmul(tf.reshape(outputs, [-1, HIDDEN]), W) + b, [batch, -1, vocab])
loss = tf.contrib.seq2seq.sequence_loss(logits, targets, tf.ones_like(targets, dtype=tf.float32))

optimizer = tf.train.AdamOptimizer(0.02)
tvars = tf.trainable_variables()
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5.0)
train_op = optimizer.apply_gradients(zip(grads, tvars))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        starts = random.randint(0, len(data) - LENGTH - 1, BATCH)
        x = np.stack([data[s : s + LENGTH] for s in starts])
        y = np.stack([data[s + 1 : s + LENGTH + 1] for s in starts])
        value, _ = sess.run([loss, train_op], {inputs: x, targets: y})
        if step % 20 == 0:
            print("step %d loss %.3f" % (step, value))
    print("final loss is below 1.5:", bool(value < 1.5))

    current, text = None, "the "
    for c in text[:-1]:
        feed = {inputs: [[char_to_ix[c]]]}
        if current is not None:
            feed[initial] = current
        current = sess.run(state, feed)
    for _ in range(20):
        feed = {inputs: [[char_to_ix[text[-1]]]], initial: current}
        scores, current = sess.run([logits, state], feed)
        text += chars[int(np.argmax(scores[0, -1]))]
    print("sample of %d characters" % len(text))
