"""Coefficients of sounds by tf.signal, and a small classifier with moving averages written by hand."""
import numpy as np
import tensorflow as tf

RATE = 8000
time = np.arange(2000) / float(RATE)
sounds = np.array([np.sin(2 * np.pi * (220 + 40 * n) * time) * np.exp(-3 * time) for n in range(8)], np.float32)
labels = np.array([n // 4 for n in range(8)])

waves = tf.placeholder(tf.float32, [None, 2000])
wanted = tf.placeholder(tf.int32, [None])
spectrograms = tf.abs(tf.signal.stft(waves, frame_length=256, frame_step=128))
to_mel = tf.signal.linear_to_mel_weight_matrix(20, 129, RATE, 80.0, 3600.0)
log_mel = tf.log(tf.tensordot(spectrograms, to_mel, 1) + 1e-3)
features = tf.reduce_mean(tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :8], 1)
mean, variance = tf.nn.moments(features, [0])
w = tf.get_variable("w", [8, 2], initializer=tf.zeros_initializer())
logits = tf.matmul((features - mean) / tf.sqrt(variance + 1e-3), w)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
back = tf.signal.inverse_stft(tf.signal.stft(waves, 256, 64), 256, 64,
                              window_fn=tf.signal.inverse_stft_window_fn(64))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feed = {waves: sounds, wanted: labels}
    print("features", np.round(session.run(features, feed)[0, :3], 2).tolist())
    for number in range(31):
        value, _ = session.run([loss, train], feed)
        if number % 10 == 0:
            print("step %d loss %.4f" % (number, value))
    print("back %.1e" % (np.abs(session.run(back, feed)[:, 256:1700] - sounds[:, 256:1700]).max() < 1e-4))
