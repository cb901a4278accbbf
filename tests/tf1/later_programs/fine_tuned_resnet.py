"""A residual network of slim.nets: trained, saved, and taken up by a second graph that trains its last layer only."""
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.nets import resnet_v2
from tensorflow.contrib.slim.python.slim.nets import resnet_utils

images = np.random.RandomState(0).rand(12, 33, 33, 3).astype(np.float32)
images[:6, :, :, 0] += 1.0
labels = np.array([0] * 6 + [1] * 6)
BLOCKS = [
    resnet_v2.resnet_v2_block("block1", base_depth=4, num_units=2, stride=2),
    resnet_utils.Block("block2", resnet_v2.bottleneck, [{"depth": 24, "depth_bottleneck": 6, "stride": 1}]),
]


def network(classes, is_training):
    with slim.arg_scope(resnet_v2.resnet_arg_scope(weight_decay=1e-4, batch_norm_decay=0.9)):
        net, ends = resnet_v2.resnet_v2(tf.constant(images), BLOCKS, classes, is_training=is_training, scope="small")
    return tf.squeeze(net, [1, 2]), ends


def trained(loss, variables, steps, restored=None):
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(updates):
        train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, var_list=variables)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if restored is not None:
            tf.train.Saver(restored).restore(session, os.path.join(".", "resnet.ckpt"))
        losses = [session.run([loss, train])[0] for _ in range(steps)]
        tf.train.Saver().save(session, os.path.join(".", "resnet.ckpt"))
    return losses


tf.set_random_seed(3)
logits, ends = network(2, True)
tf.losses.sparse_softmax_cross_entropy(labels, logits)
losses = trained(tf.losses.get_total_loss(), None, 25)
print("%d variables, %d updates" % (len(slim.get_model_variables()), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))))
print([each.op.name for each in slim.get_variables(scope="small/block2")][:3])
print("small/block1" in ends, "predictions" in ends, "falls:", losses[-1] < 0.5 * losses[0])

tf.reset_default_graph()
logits, _ = network(3, False)
tf.losses.sparse_softmax_cross_entropy(labels * 2, logits)
others = slim.get_variables_to_restore(exclude=["small/logits"])
last = slim.get_trainable_variables("small/logits")
losses = trained(tf.losses.get_total_loss(), last, 25, others)
print("%d of %d trained, falls: %s" % (len(last), len(tf.trainable_variables()), losses[-1] < 0.7 * losses[0]))
