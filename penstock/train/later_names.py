"""What `tf.train` imports at its first use: files, queues, hooks, servers.

The import lines of the same names, for type checkers, stand in the stub of the package.
"""

from ..graph.common.lazy_import import import_later

import_later(
    "penstock.train",
    {
        "interchange.checkpoints.meta_graph_messages": "CheckpointState SaverDef",
        "interchange.protos.model_protos": "MetaGraphDef",
        "interchange.protos.written_graph": "write_graph",
        "interchange.records.example_messages": (
            "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample"
        ),
        "queues.batches": "batch batch_join shuffle_batch shuffle_batch_join",
        "queues.coordinator": "Coordinator LooperThread",
        "queues.kept_batches": "maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join",
        "queues.matched_files": "match_filenames_once",
        "queues.producers": (
            "input_producer limit_epochs range_input_producer slice_input_producer string_input_producer"
        ),
        "queues.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
        "summary.event_iterator": "summary_iterator",
        "summary.file_writer": "SummaryWriter",
        "train.checkpoints.checkpoint_files": (
            "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state "
            "latest_checkpoint remove_checkpoint update_checkpoint_state"
        ),
        "train.checkpoints.checkpoint_reader": (
            "CheckpointReader NewCheckpointReader list_variables load_checkpoint load_variable"
        ),
        "train.checkpoints.initial_checkpoints": "init_from_checkpoint",
        "train.checkpoints.meta_graph": "export_meta_graph",
        "train.checkpoints.meta_graph_import": "import_meta_graph",
        "train.checkpoints.safetensors_exchange": "restore_safetensors save_safetensors",
        "train.checkpoints.saver": "Saver",
        "train.distributed.cluster_spec": "ClusterDef ClusterSpec JobDef",
        "train.distributed.device_setter": "replica_device_setter",
        "train.distributed.server": "Server ServerDef",
        "train.distributed.sync_replicas": "SyncReplicasOptimizer",
        "train.monitored.monitored_session": "ChiefSessionCreator MonitoredSession MonitoredTrainingSession",
        "train.monitored.further_hooks": "CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook",
        "train.monitored.saving_hooks": "CheckpointSaverHook StepCounterHook SummarySaverHook",
        "train.monitored.scaffold": "Scaffold",
        "train.monitored.session_manager": "SessionManager",
        "train.monitored.session_run_hooks": (
            "LoggingTensorHook NanLossDuringTrainingError NanTensorHook SecondOrStepTimer SessionRunArgs "
            "SessionRunContext SessionRunHook SessionRunValues StopAtStepHook"
        ),
        "train.monitored.singular_session": "SingularMonitoredSession",
        "train.monitored.supervisor": "Supervisor",
    },
)
