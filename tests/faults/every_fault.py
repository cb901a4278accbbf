"""All planted faults, by the name of their list."""

from . import (
    in_cluster,
    in_control_flow,
    in_cuda,
    in_data,
    in_debugger,
    in_derivatives,
    in_interchange,
    in_ops,
    in_pictures,
    in_play,
    in_recurrent,
    in_runtime,
    in_sessions,
    in_training,
    in_variables,
)
from .planted_fault import Fault

FAULTS: dict[str, list[Fault]] = {
    "derivatives": in_derivatives.FAULTS,
    "control flow": in_control_flow.FAULTS,
    "variables": in_variables.FAULTS,
    "training": in_training.FAULTS,
    "ops": in_ops.FAULTS,
    "debugger": in_debugger.FAULTS,
    "cluster": in_cluster.FAULTS,
    "play": in_play.FAULTS,
    "data": in_data.FAULTS,
    "recurrent": in_recurrent.FAULTS,
    "pictures": in_pictures.FAULTS,
    "interchange": in_interchange.FAULTS,
    "runtime": in_runtime.FAULTS,
    "sessions": in_sessions.FAULTS,
    "cuda": in_cuda.FAULTS,
}
