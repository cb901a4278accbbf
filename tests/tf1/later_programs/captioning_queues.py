"""Captions of images, read from records by queues."""
import os
import tempfile
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(2)
path = os.path.join(tempfile.mkdtemp(), "captions.tfrecords")
writer = tf.python_io.TFRecordWriter(path)
for i in range(12):
    ctx = tf.train.Features(feature={
        "image": tf.train.Feature(float_list=tf.train.FloatList(value=rng.rand(6)))})
    words = [1] + [2 + (i + k) % 5 for k in range(1 + i % 4)] + [0]
    lists = tf.train.FeatureLists(feature_list={"caption_ids": tf.train.FeatureList(
        feature=[tf.train.Feature(int64_list=tf.train.Int64List(value=[w])) for w in words])})
    writer.write(tf.train.SequenceExample(context=ctx, feature_lists=lists).SerializeToString())
writer.close()

filename_queue = tf.train.string_input_producer([path], num_epochs=20, shuffle=False)
_, serialized = tf.TFRecordReader().read(filename_queue)
context, sequence = tf.parse_single_sequence_example(
    serialized, context_features={"image": tf.FixedLenFeature([6], dtype=tf.float32)},
    sequence_features={"caption_ids": tf.FixedLenSequenceFeature([], dtype=tf.int64)})
caption = sequence["caption_ids"]
caption_length = tf.shape(caption)[0]
input_length = tf.expand_dims(tf.subtract(caption_length, 1), 0)
input_seq = tf.slice(caption, [0], input_length)
target_seq = tf.slice(caption, [1], input_length)
indicator = tf.ones(input_length, dtype=tf.int32)
images, input_seqs, target_seqs, mask = tf.train.batch_join(
    [[context["image"], input_seq, target_seq, indicator]], batch_size=4, capacity=20, dynamic_pad=True,
    name="batch_and_pad")
init = tf.random_uniform_initializer(minval=-0.3, maxval=0.3, seed=1)
with tf.variable_scope("seq_embedding"), tf.device("/cpu:0"):
    embedding_map = tf.get_variable("map", shape=[7, 8], initializer=init)
    seq_embeddings = tf.nn.embedding_lookup(embedding_map, input_seqs)
image_embeddings = tf.contrib.layers.fully_connected(images, 8, activation_fn=None, weights_initializer=init,
                                                     biases_initializer=None, scope="image_embedding")
lstm_cell = tf.contrib.rnn.BasicLSTMCell(num_units=8, state_is_tuple=True)
lstm_cell = tf.contrib.rnn.DropoutWrapper(lstm_cell, input_keep_prob=1.0, output_keep_prob=1.0)
with tf.variable_scope("lstm", initializer=init) as lstm_scope:
    zero_state = lstm_cell.zero_state(batch_size=image_embeddings.get_shape()[0], dtype=tf.float32)
    _, initial_state = lstm_cell(image_embeddings, zero_state)
    lstm_scope.reuse_variables()
    sequence_length = tf.reduce_sum(mask, 1)
    lstm_outputs, _ = tf.nn.dynamic_rnn(cell=lstm_cell, inputs=seq_embeddings, sequence_length=sequence_length,
                                        initial_state=initial_state, dtype=tf.float32, scope=lstm_scope)
lstm_outputs = tf.reshape(lstm_outputs, [-1, lstm_cell.output_size])
with tf.variable_scope("logits") as logits_scope:
    logits = tf.contrib.layers.fully_connected(lstm_outputs, 7, activation_fn=None, weights_initializer=init,
                                               scope=logits_scope)
targets, weights = tf.reshape(target_seqs, [-1]), tf.to_float(tf.reshape(mask, [-1]))
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
batch_loss = tf.div(tf.reduce_sum(tf.multiply(losses, weights)), tf.reduce_sum(weights), name="batch_loss")
tf.losses.add_loss(batch_loss)
total_loss = tf.losses.get_total_loss()
global_step = tf.Variable(0, name="global_step", trainable=False, collections=[tf.GraphKeys.GLOBAL_STEP, tf.GraphKeys.GLOBAL_VARIABLES])
train_op = tf.contrib.layers.optimize_loss(loss=total_loss, global_step=global_step, learning_rate=1.0, optimizer="SGD",
                                           clip_gradients=5.0)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            _, value, step = sess.run([train_op, total_loss, global_step])
            if step % 20 == 0:
                print("step %d loss %.3f" % (step, value))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
