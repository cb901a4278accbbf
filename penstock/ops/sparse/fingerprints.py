"""FarmHash's Fingerprint64 of byte strings: the hash that TensorFlow spreads strings over buckets with.

Source: the published algorithm farmhashna::Hash64 (Google's FarmHash). All arithmetic is modulo 2**64.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def fingerprint64(text: bytes) -> int:
    """A number in [0, 2**64) that depends on nothing but the bytes.

    >>> fingerprint64(b"") == 0x9AE16A3B2F90404F
    True
    """
    size = len(text)
    if size <= 16:
        return _up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    if size <= 64:
        return _up_to_64(text, size)
    return _longer(text, size)


def _word(text: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _rotated(value: int, shift: int) -> int:
    return ((value >> shift) | (value << (64 - shift))) & _MASK if shift else value


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _hash_of_two(u: int, v: int, factor: int) -> int:
    a = ((u ^ v) * factor) & _MASK
    a ^= a >> 47
    b = ((v ^ a) * factor) & _MASK
    b ^= b >> 47
    return (b * factor) & _MASK


def _up_to_16(text: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        a, b = (_word(text, 0) + _K2) & _MASK, _word(text, size - 8)
        c = (_rotated(b, 37) * factor + a) & _MASK
        d = ((_rotated(a, 25) + b) * factor) & _MASK
        return _hash_of_two(c, d, factor)
    if size >= 4:
        factor = _K2 + size * 2
        return _hash_of_two((size + (_word(text, 0, 4) << 3)) & _MASK, _word(text, size - 4, 4), factor)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[size - 1] << 2)
        return (_mixed((y * _K2 ^ z * _K0) & _MASK) * _K2) & _MASK
    return _K2


def _up_to_32(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = (_word(text, 0) * _K1) & _MASK, _word(text, 8)
    c, d = (_word(text, size - 8) * factor) & _MASK, (_word(text, size - 16) * _K2) & _MASK
    first = (_rotated((a + b) & _MASK, 43) + _rotated(c, 30) + d) & _MASK
    return _hash_of_two(first, (a + _rotated((b + _K2) & _MASK, 18) + c) & _MASK, factor)


def _up_to_64(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = (_word(text, 0) * _K2) & _MASK, _word(text, 8)
    c, d = (_word(text, size - 8) * factor) & _MASK, (_word(text, size - 16) * _K2) & _MASK
    y = (_rotated((a + b) & _MASK, 43) + _rotated(c, 30) + d) & _MASK
    z = _hash_of_two(y, (a + _rotated((b + _K2) & _MASK, 18) + c) & _MASK, factor)
    e, f = (_word(text, 16) * factor) & _MASK, _word(text, 24)
    g, h = ((y + _word(text, size - 32)) * factor) & _MASK, ((z + _word(text, size - 24)) * factor) & _MASK
    first = (_rotated((e + f) & _MASK, 43) + _rotated(g, 30) + h) & _MASK
    return _hash_of_two(first, (e + _rotated((f + a) & _MASK, 18) + g) & _MASK, factor)


def _block(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two words that depend on 32 bytes and two seeds."""
    w, x, y, z = (_word(text, at + place) for place in (0, 8, 16, 24))
    a = (a + w) & _MASK
    b = _rotated((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _rotated(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def _longer(text: bytes, size: int) -> int:
    seed = 81
    x = seed
    y = (seed * _K1 + 113) & _MASK
    z = (_mixed((y * _K2 + 113) & _MASK) * _K2) & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + _word(text, 0)) & _MASK
    end = (size - 1) // 64 * 64
    last = end + ((size - 1) & 63) - 63
    at = 0
    while True:
        x = (_rotated((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * _K1) & _MASK
        y = (_rotated((y + v[1] + _word(text, at + 48)) & _MASK, 42) * _K1) & _MASK
        x ^= w[1]
        y = (y + v[0] + _word(text, at + 40)) & _MASK
        z = (_rotated((z + w[0]) & _MASK, 33) * _K1) & _MASK
        v = _block(text, at, (v[1] * _K1) & _MASK, (x + w[0]) & _MASK)
        w = _block(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
        z, x = x, z
        at += 64
        if at == end:
            break
    factor = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = last
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = (_rotated((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * factor) & _MASK
    y = (_rotated((y + v[1] + _word(text, at + 48)) & _MASK, 42) * factor) & _MASK
    x ^= (w[1] * 9) & _MASK
    y = (y + v[0] * 9 + _word(text, at + 40)) & _MASK
    z = (_rotated((z + w[0]) & _MASK, 33) * factor) & _MASK
    v = _block(text, at, (v[1] * factor) & _MASK, (x + w[0]) & _MASK)
    w = _block(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
    z, x = x, z
    first = (_hash_of_two(v[0], w[0], factor) + _mixed(y) * _K0 + z) & _MASK
    return _hash_of_two(first, (_hash_of_two(v[1], w[1], factor) + x) & _MASK, factor)
