// Local response normalization and its gradient, as ops/pooling/response_normalization.py computes them.

// Each number and those at most `radius` channels away, added in Python's order.
function channelSums({ dtype, shape, data }, radius) {
  const channels = shape[3], round = rounderOf(dtype), reach = Math.min(radius, channels - 1);
  return tensorOf(dtype, shape, data.map((number, i) => {
    const c = i % channels;
    let sum = number;
    for (let step = 1; step <= reach; step++) {
      if (c >= step) sum = round(sum + data[i - step]);
      if (c + step < channels) sum = round(sum + data[i + step]);
    }
    return sum;
  }));
}

// bias + alpha * the sum of squares, and that to the power -beta.
function normsAndPowers({ dtype, shape, data }, radius, [bias, alpha, beta]) {
  const round = rounderOf(dtype), squares = tensorOf(dtype, shape, data.map((number) => round(number * number)));
  const norms = channelSums(squares, radius).data.map((sum) => round(round(sum * round(alpha)) + round(bias)));
  const power = (norm) => (beta === 1 ? 1 / norm : beta === 0.5 ? 1 / round(Math.sqrt(norm)) : Math.exp(round(round(Math.log(norm)) * round(-beta))));
  return [norms, norms.map((norm) => round(power(norm)))];
}

function responseAttributes(x, radius, numbers) {
  if (rankOf(x) !== 4) throw new PlayError(`in must be 4-dimensional: ${listed(x.shape)}`);
  if (Number(radius) < 0) throw new PlayError(`depth_radius must not be negative, but is ${radius}`);
  return [Number(radius), numbers.map(Number)];
}

// For each element those of each operand that are at most so many channels away.
function fromNeighbours({ shape, data }, distances) {
  const channels = shape[3];
  return [Array.from(data, (_, i) => distances.flatMap((distance, operand) => {
    const reach = Math.min(distance, channels - 1), near = Array.from({ length: 2 * reach + 1 }, (_, k) => i + k - reach);
    return near.filter((at) => Math.floor(at / channels) === Math.floor(i / channels)).map((at) => [operand, at]);
  }))];
}

playOp("LRN", {
  run([given, depth, ...attrs]) {
    const [radius, numbers] = responseAttributes(given, depth, attrs), x = widened(given), round = rounderOf(x.dtype);
    const [, powers] = normsAndPowers(x, radius, numbers);
    return [narrowed(tensorOf(x.dtype, x.shape, x.data.map((number, i) => round(number * powers[i]))), given.dtype)];
  },
  moves: ([x, radius]) => fromNeighbours(x, [Number(radius)]),
});

playOp("LRNGrad", {
  run([g, x, y, depth, ...attrs]) {
    const [radius, numbers] = responseAttributes(g, depth, attrs);
    if (!sameShape(g.shape, x.shape) || !sameShape(x.shape, y.shape))
      throw new PlayError(`input_grads, input_image and output_image should have the same shape, but have ${listed(g.shape)}, ${listed(x.shape)}, ${listed(y.shape)}`);
    const [gradients, images, outputs] = [g, x, y].map(widened), { dtype, shape } = images, round = rounderOf(dtype);
    const [norms, powers] = normsAndPowers(images, radius, numbers), factor = round(-2 * numbers[1] * numbers[2]);
    const parts = gradients.data.map((number, i) => round(round(number * outputs.data[i]) / norms[i]));
    const shared = channelSums(tensorOf(dtype, shape, parts), radius).data.map((sum, i) => round(round(sum * images.data[i]) * factor));
    return [narrowed(tensorOf(dtype, shape, gradients.data.map((number, i) => round(round(number * powers[i]) + shared[i]))), x.dtype)];
  },
  moves: ([g, , , radius]) => fromNeighbours(g, [1, 2, 1].map((times) => times * Number(radius))), // the norm of a neighbour is of its neighbours
});
