"""`tf.spectral`: older name of `tf.signal`."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.spectral.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from .ops.spectral.real_fourier import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d

__all__ = [
    "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
