"""Optimizers, learning rates, moving averages and checkpoints: the names of `tf.train`.

A program that trains needs an optimizer. The files, queues, hooks and servers wait for their first use: importing them
takes longer than the first hundred steps of a small program.
"""

from typing import TYPE_CHECKING

from . import later_names as _later_names  # noqa: F401  # it lists names that are imported later
from .monitored.step_counter import assert_global_step as assert_global_step
from .monitored.step_counter import create_global_step as create_global_step
from .monitored.step_counter import get_global_step as get_global_step
from .monitored.step_counter import get_or_create_global_step as get_or_create_global_step
from .monitored.step_counter import global_step as global_step
from .optimizers.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from .optimizers.adagrad import AdagradDAOptimizer as AdagradDAOptimizer
from .optimizers.adagrad import AdagradOptimizer as AdagradOptimizer
from .optimizers.adagrad import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from .optimizers.adam import AdamOptimizer as AdamOptimizer
from .optimizers.ftrl import FtrlOptimizer as FtrlOptimizer
from .optimizers.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from .optimizers.gradient_descent import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from .optimizers.learning_rates import cosine_decay as cosine_decay
from .optimizers.learning_rates import cosine_decay_restarts as cosine_decay_restarts
from .optimizers.learning_rates import exponential_decay as exponential_decay
from .optimizers.learning_rates import inverse_time_decay as inverse_time_decay
from .optimizers.learning_rates import linear_cosine_decay as linear_cosine_decay
from .optimizers.learning_rates import natural_exp_decay as natural_exp_decay
from .optimizers.learning_rates import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from .optimizers.learning_rates import piecewise_constant as piecewise_constant
from .optimizers.learning_rates import piecewise_constant_decay as piecewise_constant_decay
from .optimizers.learning_rates import polynomial_decay as polynomial_decay
from .optimizers.momentum import MomentumOptimizer as MomentumOptimizer
from .optimizers.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from .optimizers.optimizer import Optimizer as Optimizer
from .optimizers.rms_prop import RMSPropOptimizer as RMSPropOptimizer

if TYPE_CHECKING:
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
    from ..queues.batches import batch_join as batch_join
    from ..queues.batches import shuffle_batch as shuffle_batch
    from ..queues.batches import shuffle_batch_join as shuffle_batch_join
    from ..queues.coordinator import Coordinator as Coordinator
    from ..queues.coordinator import LooperThread as LooperThread
    from ..queues.kept_batches import maybe_batch as maybe_batch
    from ..queues.kept_batches import maybe_batch_join as maybe_batch_join
    from ..queues.kept_batches import maybe_shuffle_batch as maybe_shuffle_batch
    from ..queues.kept_batches import maybe_shuffle_batch_join as maybe_shuffle_batch_join
    from ..queues.matched_files import match_filenames_once as match_filenames_once
    from ..queues.producers import input_producer as input_producer
    from ..queues.producers import limit_epochs as limit_epochs
    from ..queues.producers import range_input_producer as range_input_producer
    from ..queues.producers import slice_input_producer as slice_input_producer
    from ..queues.producers import string_input_producer as string_input_producer
    from ..queues.queue_runner import QueueRunner as QueueRunner
    from ..queues.queue_runner import add_queue_runner as add_queue_runner
    from ..queues.queue_runner import start_queue_runners as start_queue_runners
    from ..summary.event_iterator import summary_iterator as summary_iterator
    from ..summary.file_writer import SummaryWriter as SummaryWriter
    from .checkpoints.checkpoint_files import checkpoint_exists as checkpoint_exists
    from .checkpoints.checkpoint_files import generate_checkpoint_state_proto as generate_checkpoint_state_proto
    from .checkpoints.checkpoint_files import get_checkpoint_mtimes as get_checkpoint_mtimes
    from .checkpoints.checkpoint_files import get_checkpoint_state as get_checkpoint_state
    from .checkpoints.checkpoint_files import latest_checkpoint as latest_checkpoint
    from .checkpoints.checkpoint_files import remove_checkpoint as remove_checkpoint
    from .checkpoints.checkpoint_files import update_checkpoint_state as update_checkpoint_state
    from .checkpoints.checkpoint_reader import CheckpointReader as CheckpointReader
    from .checkpoints.checkpoint_reader import NewCheckpointReader as NewCheckpointReader
    from .checkpoints.checkpoint_reader import list_variables as list_variables
    from .checkpoints.checkpoint_reader import load_checkpoint as load_checkpoint
    from .checkpoints.checkpoint_reader import load_variable as load_variable
    from .checkpoints.initial_checkpoints import init_from_checkpoint as init_from_checkpoint
    from .checkpoints.meta_graph import export_meta_graph as export_meta_graph
    from .checkpoints.meta_graph_import import import_meta_graph as import_meta_graph
    from .checkpoints.safetensors_exchange import restore_safetensors as restore_safetensors
    from .checkpoints.safetensors_exchange import save_safetensors as save_safetensors
    from .checkpoints.saver import Saver as Saver
    from .distributed.cluster_spec import ClusterDef as ClusterDef
    from .distributed.cluster_spec import ClusterSpec as ClusterSpec
    from .distributed.cluster_spec import JobDef as JobDef
    from .distributed.device_setter import replica_device_setter as replica_device_setter
    from .distributed.server import Server as Server
    from .distributed.server import ServerDef as ServerDef
    from .distributed.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
    from .monitored.monitored_session import ChiefSessionCreator as ChiefSessionCreator
    from .monitored.monitored_session import MonitoredSession as MonitoredSession
    from .monitored.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
    from .monitored.saving_hooks import CheckpointSaverHook as CheckpointSaverHook
    from .monitored.saving_hooks import StepCounterHook as StepCounterHook
    from .monitored.saving_hooks import SummarySaverHook as SummarySaverHook
    from .monitored.scaffold import Scaffold as Scaffold
    from .monitored.session_manager import SessionManager as SessionManager
    from .monitored.session_run_hooks import LoggingTensorHook as LoggingTensorHook
    from .monitored.session_run_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
    from .monitored.session_run_hooks import NanTensorHook as NanTensorHook
    from .monitored.session_run_hooks import SecondOrStepTimer as SecondOrStepTimer
    from .monitored.session_run_hooks import SessionRunArgs as SessionRunArgs
    from .monitored.session_run_hooks import SessionRunContext as SessionRunContext
    from .monitored.session_run_hooks import SessionRunHook as SessionRunHook
    from .monitored.session_run_hooks import SessionRunValues as SessionRunValues
    from .monitored.session_run_hooks import StopAtStepHook as StopAtStepHook
    from .monitored.singular_session import SingularMonitoredSession as SingularMonitoredSession
    from .monitored.supervisor import Supervisor as Supervisor
