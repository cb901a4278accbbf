"""Optimizers, learning rates, moving averages and checkpoints: the names of `tf.train`.

A program that trains needs an optimizer. The files, queues, hooks and servers wait for their first use: importing them
takes longer than the first hundred steps of a small program."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from ..queues.queue_classes import FIFOQueue
from collections.abc import Sequence
from typing import Any
from ..graph.model.nodes import Operation
from ..train.checkpoints.checkpoint_files import Path
from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from .monitored.step_counter import assert_global_step as assert_global_step
from .monitored.step_counter import create_global_step as create_global_step
from .monitored.step_counter import get_global_step as get_global_step
from .monitored.step_counter import get_or_create_global_step as get_or_create_global_step
from .monitored.step_counter import global_step as global_step
from .optimizers.adam import AdamOptimizer as AdamOptimizer
from .optimizers.formula_optimizer import AdadeltaOptimizer as AdadeltaOptimizer
from .optimizers.formula_optimizer import AdagradDAOptimizer as AdagradDAOptimizer
from .optimizers.formula_optimizer import AdagradOptimizer as AdagradOptimizer
from .optimizers.formula_optimizer import GradientDescentOptimizer as GradientDescentOptimizer
from .optimizers.formula_optimizer import MomentumOptimizer as MomentumOptimizer
from .optimizers.formula_optimizer import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from .optimizers.formula_optimizer import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from .optimizers.formula_optimizer import RMSPropOptimizer as RMSPropOptimizer
from .optimizers.ftrl import FtrlOptimizer as FtrlOptimizer
from .optimizers.learning_rates import exponential_decay as exponential_decay
from .optimizers.learning_rates import piecewise_constant as piecewise_constant
from .optimizers.learning_rates import piecewise_constant_decay as piecewise_constant_decay
from .optimizers.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from .optimizers.optimizer import Optimizer as Optimizer
from ..interchange.checkpoints.meta_graph_messages import CheckpointState as CheckpointState
from ..interchange.checkpoints.meta_graph_messages import SaverDef as SaverDef
from ..interchange.protos.model_protos import MetaGraphDef as MetaGraphDef
from ..interchange.protos.written_graph import write_graph as write_graph
from ..interchange.records.example_messages import BytesList as BytesList
from ..interchange.records.example_messages import Example as Example
from ..interchange.records.example_messages import Feature as Feature
from ..interchange.records.example_messages import FeatureList as FeatureList
from ..interchange.records.example_messages import FeatureLists as FeatureLists
from ..interchange.records.example_messages import Features as Features
from ..interchange.records.example_messages import FloatList as FloatList
from ..interchange.records.example_messages import Int64List as Int64List
from ..interchange.records.example_messages import SequenceExample as SequenceExample
from ..queues.batches import batch as batch
from ..queues.coordinator import Coordinator as Coordinator
from ..queues.coordinator import LooperThread as LooperThread
from ..queues.kept_batches import maybe_batch as maybe_batch
from ..queues.matched_files import match_filenames_once as match_filenames_once
from ..queues.producers import input_producer as input_producer
from ..queues.producers import limit_epochs as limit_epochs
from ..queues.producers import slice_input_producer as slice_input_producer
from ..queues.queue_runner import QueueRunner as QueueRunner
from ..queues.queue_runner import add_queue_runner as add_queue_runner
from ..queues.queue_runner import start_queue_runners as start_queue_runners
from ..summary.event_iterator import summary_iterator as summary_iterator
from ..summary.file_writer import SummaryWriter as SummaryWriter
from ..train.checkpoints.checkpoint_files import checkpoint_exists as checkpoint_exists
from ..train.checkpoints.checkpoint_files import get_checkpoint_mtimes as get_checkpoint_mtimes
from ..train.checkpoints.checkpoint_files import get_checkpoint_state as get_checkpoint_state
from ..train.checkpoints.checkpoint_files import latest_checkpoint as latest_checkpoint
from ..train.checkpoints.checkpoint_files import remove_checkpoint as remove_checkpoint
from ..train.checkpoints.checkpoint_files import update_checkpoint_state as update_checkpoint_state
from ..train.checkpoints.checkpoint_reader import CheckpointReader as CheckpointReader
from ..train.checkpoints.checkpoint_reader import NewCheckpointReader as NewCheckpointReader
from ..train.checkpoints.checkpoint_reader import list_variables as list_variables
from ..train.checkpoints.checkpoint_reader import load_checkpoint as load_checkpoint
from ..train.checkpoints.checkpoint_reader import load_variable as load_variable
from ..train.checkpoints.initial_checkpoints import init_from_checkpoint as init_from_checkpoint
from ..train.checkpoints.meta_graph import export_meta_graph as export_meta_graph
from ..train.checkpoints.meta_graph_import import import_meta_graph as import_meta_graph
from ..train.checkpoints.safetensors_exchange import restore_safetensors as restore_safetensors
from ..train.checkpoints.safetensors_exchange import save_safetensors as save_safetensors
from ..train.checkpoints.saver import Saver as Saver
from ..train.distributed.cluster_spec import ClusterDef as ClusterDef
from ..train.distributed.cluster_spec import ClusterSpec as ClusterSpec
from ..train.distributed.cluster_spec import JobDef as JobDef
from ..train.distributed.device_setter import replica_device_setter as replica_device_setter
from ..train.distributed.server import Server as Server
from ..train.distributed.server import ServerDef as ServerDef
from ..train.distributed.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from ..train.monitored.monitored_session import ChiefSessionCreator as ChiefSessionCreator
from ..train.monitored.monitored_session import MonitoredSession as MonitoredSession
from ..train.monitored.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
from ..train.monitored.further_hooks import CheckpointSaverListener as CheckpointSaverListener
from ..train.monitored.further_hooks import FeedFnHook as FeedFnHook
from ..train.monitored.further_hooks import FinalOpsHook as FinalOpsHook
from ..train.monitored.further_hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from ..train.monitored.saving_hooks import CheckpointSaverHook as CheckpointSaverHook
from ..train.monitored.saving_hooks import StepCounterHook as StepCounterHook
from ..train.monitored.saving_hooks import SummarySaverHook as SummarySaverHook
from ..train.monitored.scaffold import Scaffold as Scaffold
from ..train.monitored.session_manager import SessionManager as SessionManager
from ..train.monitored.session_run_hooks import LoggingTensorHook as LoggingTensorHook
from ..train.monitored.session_run_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from ..train.monitored.session_run_hooks import NanTensorHook as NanTensorHook
from ..train.monitored.session_run_hooks import SecondOrStepTimer as SecondOrStepTimer
from ..train.monitored.session_run_hooks import SessionRunArgs as SessionRunArgs
from ..train.monitored.session_run_hooks import SessionRunContext as SessionRunContext
from ..train.monitored.session_run_hooks import SessionRunHook as SessionRunHook
from ..train.monitored.session_run_hooks import SessionRunValues as SessionRunValues
from ..train.monitored.session_run_hooks import StopAtStepHook as StopAtStepHook
from ..train.monitored.singular_session import SingularMonitoredSession as SingularMonitoredSession
from ..train.monitored.supervisor import Supervisor as Supervisor

def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """`learning_rate` times half a cosine that falls from 1 to `alpha`.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps the rate is `alpha * learning_rate`.
        alpha: the portion of the rate that is left at the end.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.cosine_decay(1.0, 10, decay_steps=10, alpha=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.cosine_decay` (Loshchilov and Hutter 2016).
    """

def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """`cosine_decay` that begins again each time that it has reached its end.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        first_decay_steps: the length of the first period.
        t_mul: each period is so many times as long as the one before.
        m_mul: each period begins with so many times the rate of the one before.
        alpha: the portion of `learning_rate` that is left at the end of a period.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.cosine_decay_restarts(1.0, 10, first_decay_steps=10, m_mul=0.5)))
    0.5

    Source: TensorFlow 1.x, `tf.train.cosine_decay_restarts` (Loshchilov and Hutter 2016).
    """

def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps the divisor has grown by `decay_rate`.
        decay_rate: how fast it decays.
        staircase: True rounds `global_step / decay_steps` down.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.inverse_time_decay(1.0, 30, decay_steps=10, decay_rate=1.0)))
    0.25

    Source: TensorFlow 1.x, `tf.train.inverse_time_decay`.
    """

def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * ((alpha + 1 - t) * (1 + cos(2 * pi * num_periods * t)) / 2 + beta)`, `t` from 0 to 1.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps t is 1.
        num_periods: the periods of the cosine.
        alpha: see the formula.
        beta: the same.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.linear_cosine_decay(1.0, 10, decay_steps=10, beta=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.linear_cosine_decay` (Bello et al. 2017).
    """

def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps the rate has been multiplied by `exp(-decay_rate)`.
        decay_rate: how fast it decays.
        staircase: True rounds `global_step / decay_steps` down.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(round(float(session.run(tf.train.natural_exp_decay(1.0, 10, decay_steps=10, decay_rate=1.0))), 4))
    0.3679

    Source: TensorFlow 1.x, `tf.train.natural_exp_decay`.
    """

def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise: a normal number is added to its line.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps t is 1.
        initial_variance: the variance of the noise at step 0.
        variance_decay: the variance is `initial_variance / (1 + global_step) ** variance_decay`.
        num_periods: the periods of the cosine.
        alpha: as of `linear_cosine_decay`.
        beta: the same.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.noisy_linear_cosine_decay(1.0, 10, decay_steps=10, beta=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.noisy_linear_cosine_decay` (Bello et al. 2017).
    """

def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """`(learning_rate - end_learning_rate) * (1 - global_step / decay_steps) ** power + end_learning_rate`.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps the rate is `end_learning_rate`.
        end_learning_rate: the rate at the end.
        power: the exponent; 1 is a straight line.
        cycle: True doubles `decay_steps` each time that it is reached, and begins again from there; False stays at the
            end.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.polynomial_decay(1.0, 5, decay_steps=10, end_learning_rate=0.5)))
    0.75

    Source: TensorFlow 1.x, `tf.train.polynomial_decay`.
    """

def batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    dynamic_pad: builtins.bool = False,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of examples that are computed in several ways, each by a thread of its own.

    Args:
        tensors_list: an example for each thread.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        enqueue_many: whether each is several examples.
        shapes: the shapes of an example.
        dynamic_pad: whether examples of different shapes are padded.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of an example, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.batch_join([[tf.constant(1.0)], [tf.constant(2.0)]], 3).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.batch_join`.
    """

def shuffle_batch(
    tensors: Any,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of examples in random order.

    Args:
        tensors: an example.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        min_after_dequeue: how many stay to choose from.
        num_threads: how many threads compute examples.
        seed: an op seed.
        enqueue_many: whether `tensors` are several examples.
        shapes: the shapes of an example.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of `tensors`, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.shuffle_batch([tf.constant([1.0, 2.0])], 3, 20, 5).shape)
    (3, 2)

    Source: TensorFlow 1.x, `tf.train.shuffle_batch`.
    """

def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of examples that are computed in several ways, each by a thread of its own.

    Args:
        tensors_list: an example for each thread.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        min_after_dequeue: how many stay to choose from.
        seed: an op seed.
        enqueue_many: whether each is several examples.
        shapes: the shapes of an example.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of an example, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.shuffle_batch_join([[tf.constant(1.0)], [tf.constant(2.0)]], 3, 20, 5).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.shuffle_batch_join`.
    """

def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: TensorLike,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    dynamic_pad: builtins.bool = False,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch_join`, of those examples for which `keep_input` is true.

    Args:
        tensors_list: an example for each thread.
        keep_input: a bool scalar, or a vector with `enqueue_many`: one for each example.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        enqueue_many: whether each is several examples, which have a first dimension more.
        shapes: the shapes of an example.
        dynamic_pad: whether examples of different shapes are padded.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of an example, with a first dimension more.

    Raises:
        ValueError: a shape is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_batch_join([[tf.constant(1.0)]], tf.constant(True), 3).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.maybe_batch_join`.
    """

def maybe_shuffle_batch(
    tensors: Any,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of those examples for which `keep_input` is true.

    Args:
        tensors: an example, a tensor, or a list or dict of tensors.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        min_after_dequeue: how many stay to choose from.
        keep_input: a bool scalar, or a vector with `enqueue_many`: one for each example.
        num_threads: how many threads compute examples.
        seed: an op seed.
        enqueue_many: whether `tensors` are several examples, which have a first dimension more.
        shapes: the shapes of an example.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of `tensors`, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_shuffle_batch([tf.constant(1.0)], 3, 20, 5, tf.constant(True)).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.maybe_shuffle_batch`.
    """

def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: builtins.bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: builtins.bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch_join`, of those examples for which `keep_input` is true.

    Args:
        tensors_list: an example for each thread.
        batch_size: how many examples a batch has.
        capacity: how many examples wait at most.
        min_after_dequeue: how many stay to choose from.
        keep_input: a bool scalar, or a vector with `enqueue_many`: one for each example.
        seed: an op seed.
        enqueue_many: whether each is several examples, which have a first dimension more.
        shapes: the shapes of an example.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of an example, with a first dimension more.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_shuffle_batch_join([[tf.constant(1.0)]], 3, 20, 5, tf.constant(True)).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.maybe_shuffle_batch_join`.
    """

def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: builtins.bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the numbers from 0 to `limit` - 1, again and again; a queue runner fills it.

    Args:
        limit: an int32 scalar.
        num_epochs: how many times each number comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether they come in another random order each time.
        seed: an op seed.
        capacity: that of the queue.
        shared_name: that of the queue.
        name: the name of the queue.

    Returns:
        A `FIFOQueue`.

    Raises:
        ValueError: `num_epochs` is below 1.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.range_input_producer(5).dtypes
    [tf.int32]

    Source: TensorFlow 1.x, `tf.train.range_input_producer`.
    """

def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: builtins.bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Operation | None = None,
) -> FIFOQueue:
    """A queue of strings, such as names of files, again and again; a queue runner fills it.

    Args:
        string_tensor: a vector of strings, or a list.
        num_epochs: how many times each string comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether they come in another random order each time.
        seed: an op seed.
        capacity: that of the queue.
        shared_name: that of the queue.
        name: the name of the queue.
        cancel_op: that of the queue runner.

    Returns:
        A `FIFOQueue`.

    Raises:
        ValueError: there are no strings.
        InvalidArgumentError (when run): there are no strings.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.string_input_producer(["a.csv", "b.csv"]).dtypes
    [tf.string]

    Source: TensorFlow 1.x, `tf.train.string_input_producer`.
    """

def generate_checkpoint_state_proto(
    save_dir: Path,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """The `CheckpointState` that `update_checkpoint_state` writes: paths below a relative folder are relative to it.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the prefix of the latest checkpoint.
        all_model_checkpoint_paths: the prefixes of all that are there, the latest last.
        all_model_checkpoint_timestamps: when each was written, in seconds since 1970.
        last_preserved_timestamp: when the last one that is kept for ever was written.

    Returns:
        A `CheckpointState`.

    Raises:
        ValueError: there are not as many times as paths.

    >>> import penstock as tf
    >>> tf.train.generate_checkpoint_state_proto("models", "models/m-1").model_checkpoint_path
    'm-1'

    Source: TensorFlow 1.x, `tf.train.generate_checkpoint_state_proto`.
    """
