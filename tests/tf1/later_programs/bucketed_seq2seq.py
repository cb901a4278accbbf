"""Sequences are reversed by an encoder and a decoder, in buckets of lengths."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
sentences = [[3, 4], [5, 6, 7], [8], [3, 5, 7, 9], [4, 6], [9, 8, 7, 6, 5], [3, 3], [5]]


def gen():
    for s in sentences:
        yield s, s[::-1] + [1]


ds = tf.data.Dataset.from_generator(gen, (tf.int32, tf.int32), (tf.TensorShape([None]), tf.TensorShape([None])))
ds = ds.map(lambda src, tgt: (src, tf.concat([[2], tgt[:-1]], 0), tgt, tf.size(src), tf.size(tgt)))
ds = ds.repeat(30).apply(tf.contrib.data.group_by_window(
    key_func=lambda src, *rest: tf.to_int64(tf.minimum(tf.size(src) // 3, 1)),
    reduce_func=lambda key, d: d.padded_batch(4, ([None], [None], [None], [], [])), window_size=4))
src, tgt_in, tgt_out, src_len, tgt_len = ds.prefetch(1).make_one_shot_iterator().get_next()

emb = tf.get_variable("embedding", [10, 8], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3))
cell = tf.contrib.rnn.GRUCell(16, kernel_initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=4))
enc_out, enc_state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(emb, src), sequence_length=src_len, dtype=tf.float32)
attention = tf.contrib.seq2seq.LuongAttention(16, enc_out, memory_sequence_length=src_len)
dec_cell = tf.contrib.seq2seq.AttentionWrapper(tf.contrib.rnn.GRUCell(16), attention, attention_layer_size=16)
helper = tf.contrib.seq2seq.TrainingHelper(tf.nn.embedding_lookup(emb, tgt_in), tgt_len)
batch = tf.shape(src)[0]
decoder = tf.contrib.seq2seq.BasicDecoder(
    dec_cell, helper, dec_cell.zero_state(batch, tf.float32).clone(cell_state=enc_state),
    output_layer=tf.layers.Dense(10, use_bias=False))
outputs, _, lengths = tf.contrib.seq2seq.dynamic_decode(decoder)
weights = tf.sequence_mask(tgt_len, tf.reduce_max(tgt_len), dtype=tf.float32)
loss = tf.contrib.seq2seq.sequence_loss(outputs.rnn_output, tgt_out, weights)
step = tf.train.get_or_create_global_step()
train_op = tf.contrib.layers.optimize_loss(loss, step, 0.01, "Adam", clip_gradients=1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = last = None
    while True:
        try:
            _, last = sess.run([train_op, loss])
            first = last if first is None else first
        except tf.errors.OutOfRangeError:
            break
    print("steps", sess.run(step), "falls", bool(last < first * 0.7))
