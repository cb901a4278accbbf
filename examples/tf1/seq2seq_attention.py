"""Sequence to sequence with tf.contrib.seq2seq: an encoder, Luong's attention, a decoder that reverses digits."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn, seq2seq
from tensorflow.python.layers.core import Dense

SYMBOLS, LENGTH, HIDDEN, BATCH = 8, 4, 24, 32
GO, EOS = SYMBOLS, SYMBOLS + 1
random = np.random.RandomState(8)
tf.set_random_seed(8)

source = tf.placeholder(tf.int32, [None, LENGTH], name="source")
target_in = tf.placeholder(tf.int32, [None, LENGTH + 1], name="target_in")
target_out = tf.placeholder(tf.int32, [None, LENGTH + 1], name="target_out")
batch = tf.shape(source)[0]

embedding = tf.get_variable("embedding", [SYMBOLS + 2, 12])
encoder_outputs, encoder_state = tf.nn.dynamic_rnn(
    rnn.GRUCell(HIDDEN), tf.nn.embedding_lookup(embedding, source), dtype=tf.float32, scope="encoder"
)
mechanism = seq2seq.LuongAttention(HIDDEN, encoder_outputs)
cell = seq2seq.AttentionWrapper(rnn.GRUCell(HIDDEN), mechanism, attention_layer_size=HIDDEN)
state = cell.zero_state(batch, tf.float32).clone(cell_state=encoder_state)
projection = Dense(SYMBOLS + 2, use_bias=False, name="projection")

with tf.variable_scope("decoder"):
    helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, target_in), tf.fill([batch], LENGTH + 1))
    decoder = seq2seq.BasicDecoder(cell, helper, state, projection)
    outputs, _, _ = seq2seq.dynamic_decode(decoder)
logits = outputs.rnn_output
loss = seq2seq.sequence_loss(logits, target_out, tf.ones([batch, LENGTH + 1]))

with tf.variable_scope("decoder", reuse=True):
    greedy = seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([batch], GO), EOS)
    inference = seq2seq.BasicDecoder(cell, greedy, state, projection)
    answer, _, _ = seq2seq.dynamic_decode(inference, maximum_iterations=LENGTH + 1)
train_op = tf.train.AdamOptimizer(0.01).minimize(loss)


def make_batch():
    digits = random.randint(0, SYMBOLS, [BATCH, LENGTH])
    back = digits[:, ::-1]
    go, eos = np.full([BATCH, 1], GO), np.full([BATCH, 1], EOS)
    return {source: digits, target_in: np.hstack([go, back]), target_out: np.hstack([back, eos])}


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([loss, train_op], make_batch())[0] for _ in range(150)]
    print("first loss is about log(%d): %s" % (SYMBOLS + 2, abs(losses[0] - np.log(SYMBOLS + 2)) < 0.5))
    print("last loss is below half of it:", bool(losses[-1] < losses[0] / 2))
    feed = make_batch()
    decoded = sess.run(answer.sample_id, {source: feed[source]})
    print("decoded", decoded.shape[0], "sequences of at most", LENGTH + 1)
