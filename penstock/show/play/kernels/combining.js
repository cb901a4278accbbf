// Elements combined one after the other in the arithmetic of their dtype: what scatters, segments and reductions share.

// (target, i, source, j): target[i] becomes target[i] op source[j], `type` being the op of two elements.
function combinerOf(type, dtype) {
  const { law } = PLAY_KERNELS.get(type);
  const call = lawFor(law, dtype), round = innerRounding(law, dtype), last = rounderOf(dtype);
  if (isComplexType(dtype))
    return (target, i, source, j) => {
      [target[2 * i], target[2 * i + 1]] = call(target[2 * i], target[2 * i + 1], source[2 * j], source[2 * j + 1], round);
    };
  if (isHalfType(dtype)) return (target, i, source, j) => (target[i] = last(call(target[i], source[j], round)));
  return (target, i, source, j) => (target[i] = call(target[i], source[j], round));
}

// The dtype in which sums of a dtype are added up: 16-bit floats widen.
const widenedType = (dtype) => (isHalfType(dtype) ? "float32" : dtype);

const widened = (tensor) => (isHalfType(tensor.dtype) ? tensorOf("float32", tensor.shape, tensor.data) : tensor);

// A widened result in the dtype that it shall have.
function narrowed(tensor, dtype) {
  if (tensor.dtype === dtype) return tensor;
  if (!isHalfType(dtype)) throw new Error(`${tensor.dtype} is not what ${dtype} widens to`);
  return tensorOf(dtype, tensor.shape, tensor.data.map(rounderOf(dtype)));
}

// The value that changes nothing: 0, 1, or the far end of the dtype.
function neutralOf(type, dtype) {
  if (type === "Add") return isBigType(dtype) ? 0n : 0;
  if (type === "Mul") return isBigType(dtype) ? 1n : 1;
  const isMost = type === "Minimum";
  if (isFloatType(dtype)) return isMost ? Infinity : -Infinity;
  const end = intRange(dtype)[isMost ? 1 : 0];
  return isBigType(dtype) ? end : Number(end);
}

// The largest finite number of a float dtype.
const LARGEST_FLOATS = { float16: 65504, bfloat16: 3.3895313892515355e38, float32: 3.4028234663852886e38, float64: Number.MAX_VALUE };

function filledTensor(dtype, shape, value) {
  const made = zerosOf(dtype, shape);
  if (isComplexType(dtype)) for (let i = 0; i < made.data.length; i += 2) made.data[i] = value;
  else made.data.fill(value);
  return made;
}

// An int of 64 bits, as NumPy's arithmetic leaves it.
const wrapped64 = (value, isUnsigned) => (isUnsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value));
