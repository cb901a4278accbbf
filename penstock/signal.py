"""`tf.signal`: the Fourier transforms and spectrograms."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.spectral.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from .ops.spectral.real_fourier import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d
from .ops.spectral.spectrograms import (
    frame, hamming_window, hann_window, inverse_stft, inverse_stft_window_fn, linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms, overlap_and_add, stft,
)

__all__ = [
    "fft", "fft2d", "fft3d", "frame", "hamming_window", "hann_window", "ifft", "ifft2d", "ifft3d", "inverse_stft",
    "inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d", "linear_to_mel_weight_matrix",
    "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d", "stft",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
