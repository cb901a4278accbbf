"""`tf.signal`: the Fourier transforms."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.spectral.fourier import fft as fft
from .ops.spectral.fourier import fft2d as fft2d
from .ops.spectral.fourier import fft3d as fft3d
from .ops.spectral.fourier import ifft as ifft
from .ops.spectral.fourier import ifft2d as ifft2d
from .ops.spectral.fourier import ifft3d as ifft3d
from .ops.spectral.real_fourier import irfft as irfft
from .ops.spectral.real_fourier import irfft2d as irfft2d
from .ops.spectral.real_fourier import irfft3d as irfft3d
from .ops.spectral.real_fourier import rfft as rfft
from .ops.spectral.real_fourier import rfft2d as rfft2d
from .ops.spectral.real_fourier import rfft3d as rfft3d

__all__ = [
    "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
