"""`tf.contrib.slim.nets`: the networks whose checkpoints programs load: AlexNet, VGG, ResNet v1 and v2, Inception v3.

Variables have the names that TensorFlow gave them. Each function returns the logits and a dict of what its layers give.
"""

from . import alexnet as alexnet
from . import inception as inception
from . import inception_v3 as inception_v3
from . import resnet_utils as resnet_utils
from . import resnet_v1 as resnet_v1
from . import resnet_v2 as resnet_v2
from . import vgg as vgg
