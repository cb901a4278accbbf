// Sums in NumPy's order: pairs of halves, in blocks of up to 128 elements that are added in eight rows. So a page shows the
// last bits that Python shows.

const PAIRWISE_BLOCK = 128;

// The sum of `count` elements of `data` from element `first`, each sum rounded by `round`; of floats only.
function pairwiseSum(data, first, count, round) {
  if (count < 8) {
    let sum = -0;
    for (let i = 0; i < count; i++) sum = round(sum + data[first + i]);
    return sum;
  }
  if (count <= PAIRWISE_BLOCK) {
    const rows = Array.from({ length: 8 }, (_, k) => data[first + k]);
    const whole = count - (count % 8);
    for (let i = 8; i < whole; i += 8) for (let k = 0; k < 8; k++) rows[k] = round(rows[k] + data[first + i + k]);
    const add = (a, b) => round(a + b);
    let sum = add(add(add(rows[0], rows[1]), add(rows[2], rows[3])), add(add(rows[4], rows[5]), add(rows[6], rows[7])));
    for (let i = whole; i < count; i++) sum = round(sum + data[first + i]);
    return sum;
  }
  const half = Math.floor(count / 2);
  const left = half - (half % 8);
  return round(pairwiseSum(data, first, left, round) + pairwiseSum(data, first + left, count - left, round));
}

// The same for complex numbers: [real, imaginary]. Eight rows hold four numbers.
function pairwiseComplexSum(data, first, count, round) {
  const add = (a, b) => [round(a[0] + b[0]), round(a[1] + b[1])];
  const at = (i) => [data[2 * (first + i)], data[2 * (first + i) + 1]];
  if (count < 4) {
    let sum = [-0, -0];
    for (let i = 0; i < count; i++) sum = add(sum, at(i));
    return sum;
  }
  if (2 * count <= PAIRWISE_BLOCK) {
    const rows = [at(0), at(1), at(2), at(3)], whole = count - (count % 4);
    for (let i = 4; i < whole; i += 4) for (let k = 0; k < 4; k++) rows[k] = add(rows[k], at(i + k));
    let sum = add(add(rows[0], rows[1]), add(rows[2], rows[3]));
    for (let i = whole; i < count; i++) sum = add(sum, at(i));
    return sum;
  }
  const left = (count - (count % 8)) / 2; // in numbers; NumPy halves 2 * count, and keeps a multiple of 8
  return add(pairwiseComplexSum(data, first, left, round), pairwiseComplexSum(data, first + left, count - left, round));
}

// Adds elements `members` of `data`, of which each run of `run` lies together, to target[to]: a run is added up by itself.
function addRuns(target, to, dtype, data, members, run) {
  if (!isFloatType(dtype) && !isComplexType(dtype)) {
    const add = combinerOf("Add", dtype);
    for (const member of members) add(target, to, data, member);
    return;
  }
  const round = rounderOf(dtype);
  for (let i = 0; i < members.length; i += run) {
    if (isComplexType(dtype)) {
      const [real, imaginary] = pairwiseComplexSum(data, members[i], run, round);
      target[2 * to] += real;
      target[2 * to + 1] += imaginary;
    } else target[to] = round(target[to] + pairwiseSum(data, members[i], run, round));
  }
}
