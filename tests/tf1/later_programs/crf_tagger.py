"""A conditional random field tags words."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
num_examples, num_words, num_features, num_tags = 10, 12, 20, 4
x = rng.rand(num_examples, num_words, num_features).astype(np.float32)
y = rng.randint(num_tags, size=[num_examples, num_words]).astype(np.int32)
lengths = np.full(num_examples, num_words - 1, dtype=np.int32)
with tf.Graph().as_default():
    with tf.Session() as session:
        x_t, y_t, lengths_t = tf.constant(x), tf.constant(y), tf.constant(lengths)
        weights = tf.get_variable("weights", [num_features, num_tags], initializer=tf.zeros_initializer())
        scores = tf.reshape(tf.matmul(tf.reshape(x_t, [-1, num_features]), weights), [num_examples, num_words, num_tags])
        log_likelihood, transition_params = tf.contrib.crf.crf_log_likelihood(scores, y_t, lengths_t)
        viterbi_sequence, viterbi_score = tf.contrib.crf.crf_decode(scores, transition_params, lengths_t)
        loss = tf.reduce_mean(-log_likelihood)
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(tf.global_variables_initializer())
        session.run(transition_params.assign(tf.zeros([num_tags, num_tags])))
        mask = np.expand_dims(np.arange(num_words), 0) < np.expand_dims(lengths, 1)
        for i in range(101):
            tags, value, _ = session.run([viterbi_sequence, loss, train_op])
            if i % 50 == 0:
                correct = np.sum((y == tags) * mask)
                print("Loss: %.4f Accuracy: %.2f%%" % (value, 100.0 * correct / float(np.sum(lengths))))
