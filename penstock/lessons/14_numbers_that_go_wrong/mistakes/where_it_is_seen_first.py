# seen-is-made

import penstock as tf

SCORES = [[200.0, 0.0, -10.0], [1.0, 2.0, 3.0]]
TRUTH = [1, 2]

scores = tf.placeholder(tf.float32, ["rows", 3], name="scores")
truth = tf.placeholder(tf.int32, ["rows"], name="truth")

weights = tf.exp(scores, name="weights")
total = tf.reduce_sum(weights, 1, keepdims=True, name="total")
share = tf.divide(weights, total, name="share")
chosen = tf.reduce_sum(tf.multiply(share, tf.one_hot(truth, 3), name="masked"), 1, name="chosen")
logs = tf.log(chosen, name="logs")
cost = tf.negative(tf.reduce_mean(logs), name="cost")

session = tf.Session()
run = session.debug(cost, {scores: SCORES, truth: TRUTH})
print(run.go())

first_inf = "total"
first_nan = "share"
top = tf.reduce_max(scores, 1, keepdims=True)
log_total = top + tf.log(tf.reduce_sum(tf.exp(scores - top), 1, keepdims=True))
log_share = scores - log_total
safe = -tf.reduce_mean(tf.reduce_sum(log_share * tf.one_hot(truth, 3), 1))

print(session.run([cost, safe, tf.gradients(safe, scores)[0]], {scores: SCORES, truth: TRUTH}))
