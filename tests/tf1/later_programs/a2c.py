"""An actor and a critic learn to walk, in a monitored session."""
import tempfile
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
N_STATES, N_ACTIONS, GAMMA = 5, 2, 0.9


class Walk(object):
    def reset(self):
        self.s = 2
        return self.s

    def step(self, a):
        self.s += 1 if a == 1 else -1
        done = self.s in (0, N_STATES - 1)
        return self.s, 1.0 if self.s == N_STATES - 1 else 0.0, done


class ActorCritic(object):
    def __init__(self):
        self.states = tf.placeholder(tf.int32, [None], "states")
        self.actions = tf.placeholder(tf.int32, [None], "actions")
        self.returns = tf.placeholder(tf.float32, [None], "returns")
        onehot = tf.one_hot(self.states, N_STATES)
        self.logits = tf.layers.dense(onehot, N_ACTIONS, kernel_initializer=tf.zeros_initializer(), name="policy")
        self.value = tf.squeeze(tf.layers.dense(onehot, 1, kernel_initializer=tf.zeros_initializer(), name="value"), 1)
        self.probs = tf.nn.softmax(self.logits)
        advantage = self.returns - tf.stop_gradient(self.value)
        neglogp = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=self.logits, labels=self.actions)
        entropy = -tf.reduce_sum(self.probs * tf.log(self.probs + 1e-8), 1)
        self.pg_loss = tf.reduce_mean(advantage * neglogp)
        self.vf_loss = tf.reduce_mean(tf.square(self.returns - self.value))
        loss = self.pg_loss + 0.5 * self.vf_loss - 0.01 * tf.reduce_mean(entropy)
        self.global_step = tf.train.get_or_create_global_step()
        opt = tf.train.RMSPropOptimizer(0.05, decay=0.99, epsilon=1e-5)
        grads, variables = zip(*opt.compute_gradients(loss))
        grads, _ = tf.clip_by_global_norm(grads, 0.5)
        self.train_op = opt.apply_gradients(zip(grads, variables), global_step=self.global_step)
        tf.summary.scalar("loss", loss)


model, env = ActorCritic(), Walk()
hooks = [tf.train.StopAtStepHook(last_step=150)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=tempfile.mkdtemp(), hooks=hooks, save_summaries_steps=50) as sess:
    total, count = 0.0, 0
    while not sess.should_stop():
        s, done, episode = env.reset(), False, []
        while not done:
            p = sess.run_step_fn(lambda step_context: step_context.session.run(model.probs, {model.states: [s]}))[0]
            a = int(rng.rand() < p[1])
            s2, r, done = env.step(a)
            episode.append((s, a, r))
            s = s2
        g, returns = 0.0, []
        for _, _, r in reversed(episode):
            g = r + GAMMA * g
            returns.insert(0, g)
        total += returns[-1]
        count += 1
        _, value_loss = sess.run([model.train_op, model.vf_loss], {
            model.states: [e[0] for e in episode], model.actions: [e[1] for e in episode], model.returns: returns})
        if count % 50 == 0:
            print("step %d total %.1f value loss %.3f" % (count, total, value_loss))
