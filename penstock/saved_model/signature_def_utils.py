"""Signatures of models: `tf.saved_model.signature_def_utils`."""

from ..train.saved_models.signatures import build_signature_def as build_signature_def
from ..train.saved_models.signatures import classification_signature_def as classification_signature_def
from ..train.saved_models.signatures import is_valid_signature as is_valid_signature
from ..train.saved_models.signatures import predict_signature_def as predict_signature_def
from ..train.saved_models.signatures import regression_signature_def as regression_signature_def
