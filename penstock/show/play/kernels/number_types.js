// The arithmetic of dtypes: arrays that hold them, rounding to 16-bit floats, and the limits of ints.

// kind: b bool, i signed int, u unsigned int, f float, c complex, s string, v variant (a tensor or a TensorArray inside an element).
const PLAY_DTYPES = {
  bool: { kind: "b", size: 1, array: Uint8Array },
  uint8: { kind: "u", size: 1, array: Uint8Array },
  uint16: { kind: "u", size: 2, array: Uint16Array },
  uint32: { kind: "u", size: 4, array: Uint32Array },
  uint64: { kind: "u", size: 8, array: BigUint64Array },
  int8: { kind: "i", size: 1, array: Int8Array },
  int16: { kind: "i", size: 2, array: Int16Array },
  int32: { kind: "i", size: 4, array: Int32Array },
  int64: { kind: "i", size: 8, array: BigInt64Array },
  float16: { kind: "f", size: 2, array: Float32Array },
  bfloat16: { kind: "f", size: 2, array: Float32Array },
  float32: { kind: "f", size: 4, array: Float32Array },
  float64: { kind: "f", size: 8, array: Float64Array },
  complex64: { kind: "c", size: 8, array: Float32Array },
  complex128: { kind: "c", size: 16, array: Float64Array },
  string: { kind: "s", size: 8, array: Array },
  variant: { kind: "v", size: 8, array: Array },
};

const kindOf = (dtype) => PLAY_DTYPES[dtype].kind;
const isFloatType = (dtype) => kindOf(dtype) === "f";
const isIntType = (dtype) => "iu".includes(kindOf(dtype));
const isComplexType = (dtype) => kindOf(dtype) === "c";
const isBigType = (dtype) => isIntType(dtype) && PLAY_DTYPES[dtype].size === 8;
const isHalfType = (dtype) => isFloatType(dtype) && PLAY_DTYPES[dtype].size === 2;
const realTypeOf = (dtype) => ({ complex64: "float32", complex128: "float64" })[dtype] || dtype;

// Numbers of the data array for one element: a complex number has two.
const partsOf = (dtype) => (isComplexType(dtype) ? 2 : 1);

// The fill of a new element: 0, false, "", nothing.
const zeroOf = (dtype) => (isBigType(dtype) ? 0n : kindOf(dtype) === "s" ? "" : kindOf(dtype) === "v" ? null : 0);

// The smallest and the largest int of a dtype, as BigInts.
function intRange(dtype) {
  const bits = BigInt(8 * PLAY_DTYPES[dtype].size);
  return kindOf(dtype) === "u" ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

const FLOAT_BITS = new Float32Array(1);
const INT_BITS = new Uint32Array(FLOAT_BITS.buffer);

// To nearest, ties to even: add half of the last kept bit, less one if that bit is 0.
function roundToBfloat16(number) {
  FLOAT_BITS[0] = number;
  if (Number.isNaN(number)) return NaN;
  const bits = INT_BITS[0];
  INT_BITS[0] = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000;
  return FLOAT_BITS[0];
}

// A float16 has steps of 2**(exponent - 10), and of 2**-24 below 2**-14.
function roundToFloat16(number) {
  const value = Math.fround(number);
  if (!Number.isFinite(value) || value === 0) return value;
  FLOAT_BITS[0] = value;
  const exponent = ((INT_BITS[0] >>> 23) & 0xff) - 127;
  const step = 2 ** (Math.max(exponent, -14) - 10);
  const rounded = roundHalfToEven(value / step) * step;
  if (rounded === 0) return value < 0 ? -0 : 0;
  return Math.abs(rounded) >= 65536 ? Math.sign(value) * Infinity : rounded;
}

function roundHalfToEven(number) {
  if (!Number.isFinite(number) || Math.abs(number) >= 2 ** 52) return number;
  const below = Math.floor(number);
  const rest = number - below;
  const rounded = rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  return rounded === 0 ? (number < 0 || Object.is(number, -0) ? -0 : 0) : rounded;
}

const sameNumber = (number) => number;

// What makes a number of the dtype out of the exact one. 16-bit floats are rounded to float32 first, as NumPy does.
function rounderOf(dtype) {
  if (dtype === "float16") return roundToFloat16;
  if (dtype === "bfloat16") return roundToBfloat16;
  return dtype === "float32" || dtype === "complex64" ? Math.fround : sameNumber;
}

// A float as an int of `dtype`: the fraction is dropped, NaN is 0, and what is out of range is the nearest one in range.
function floatToInt(number, dtype) {
  const [least, most] = intRange(dtype);
  const isBig = isBigType(dtype);
  if (Number.isNaN(number)) return isBig ? 0n : 0;
  if (number >= Number(most)) return isBig ? most : Number(most);
  if (number <= Number(least)) return isBig ? least : Number(least);
  return isBig ? BigInt(Math.trunc(number)) : Math.trunc(number);
}

// A 64-bit int as the nearest float32: through a double it would be rounded twice.
function bigToFloat32(value) {
  const near = Number(value);
  const rounded = Math.fround(near);
  if (BigInt(near) === value || rounded === near) return rounded;
  FLOAT_BITS[0] = rounded;
  const candidates = [rounded];
  for (const by of [-1, 1]) {
    FLOAT_BITS[0] = rounded;
    INT_BITS[0] += by;
    candidates.push(FLOAT_BITS[0]);
  }
  const distance = (float) => {
    const away = BigInt(float) - value;
    return away < 0n ? -away : away;
  };
  const isEven = (float) => ((FLOAT_BITS[0] = float), INT_BITS[0] % 2 === 0);
  return candidates.reduce((best, each) => {
    const by = distance(each) - distance(best);
    return by < 0n || (by === 0n && isEven(each)) ? each : best;
  });
}
