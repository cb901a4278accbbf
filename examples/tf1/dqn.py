"""Deep Q-learning in a corridor: replay, a target network that is copied by tf.assign, epsilon-greedy steps."""

import collections

import numpy as np
import tensorflow as tf

LENGTH, ACTIONS, GAMMA = 6, 2, 0.9
random = np.random.RandomState(7)


class Corridor(object):
    """Walk right to the goal."""

    def reset(self):
        self.place = 0
        return self.state()

    def state(self):
        return np.eye(LENGTH, dtype=np.float32)[self.place]

    def step(self, action):
        self.place = max(0, self.place + (1 if action else -1))
        done = self.place == LENGTH - 1
        return self.state(), 1.0 if done else -0.05, done


def q_network(state, scope):
    with tf.variable_scope(scope):
        start1, start2 = 0.3 * random.randn(LENGTH, 12), 0.3 * random.randn(12, ACTIONS)
        w1 = tf.get_variable("w1", initializer=tf.constant(start1.astype(np.float32)))
        w2 = tf.get_variable("w2", initializer=tf.constant(start2.astype(np.float32)))
        return tf.matmul(tf.nn.relu(tf.matmul(state, w1)), w2)


states = tf.placeholder(tf.float32, [None, LENGTH], "states")
actions = tf.placeholder(tf.int32, [None], "actions")
returns = tf.placeholder(tf.float32, [None], "returns")
q = q_network(states, "online")
q_target = q_network(states, "target")
chosen = tf.reduce_sum(q * tf.one_hot(actions, ACTIONS), axis=1)
loss = tf.reduce_mean(tf.square(returns - chosen))
online_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="online")
target_vars = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target")
train_op = tf.train.RMSPropOptimizer(0.01).minimize(loss, var_list=online_vars)
copy = tf.group(*[tf.assign(t, o) for t, o in zip(target_vars, online_vars)])

world, memory = Corridor(), collections.deque(maxlen=200)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    losses = []
    for episode in range(30):
        state = world.reset()
        for step in range(30):
            greedy = int(np.argmax(sess.run(q, {states: state[None]})[0]))
            action = greedy if random.rand() > max(0.1, 1 - episode / 12.0) else random.randint(ACTIONS)
            after, reward, done = world.step(action)
            memory.append((state, action, reward, after, done))
            state = after
            batch = [memory[i] for i in random.randint(0, len(memory), 16)]
            s, a, r, s2, d = map(np.array, zip(*batch))
            best = sess.run(q_target, {states: s2}).max(1)
            value, _ = sess.run([loss, train_op], {states: s, actions: a, returns: r + GAMMA * best * (1 - d)})
            losses.append(value)
            if done:
                break
        if episode % 3 == 0:
            sess.run(copy)
        if episode == 0:
            print("first losses", " ".join("%.4f" % each for each in losses[:5]))
    policy = sess.run(q, {states: np.eye(LENGTH)[:-1]}).argmax(1)
    print("walks right everywhere:", bool(policy.all()))
