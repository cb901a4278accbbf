// Random numbers that a seed of two ints, or a key and a counter, decide alone: the formulas of random_numbers.js from a
// place in a stream (ops/random/stateless_random.py, ops/random/keyed_random.py).

function streamOfSeed(seed) {
  if (!sameShape(seed.shape, [2])) throw new PlayError(`seed must have shape [2], not ${listed(seed.shape)}`);
  const [low, high] = Array.from(seed.data, (each) => BigInt(each) & MASK_64);
  const [a, b, c, d] = randomWords([0x02461e293ec8f720n, low | (high << 64n)], 4).map(BigInt);
  return [a | (b << 32n), ((c | (d << 32n)) << 64n)];
}

function streamOfKey(key, counter, alg) {
  if (![1, 3].includes(Number(alg.data[0]))) throw new PlayError(`the random algorithm ${alg.data[0]} is not here: 1 (Philox) is`);
  if (!sameShape(key.shape, [1]) || !sameShape(counter.shape, [2]))
    throw new PlayError(`key must have shape [1] and counter [2], but have ${listed(key.shape)} and ${listed(counter.shape)}`);
  return [BigInt(key.data[0]), BigInt(counter.data[0]) | (BigInt(counter.data[1]) << 64n)];
}

function playStateless(type, run) {
  playOp(type, { run([dims, seed, ...rest]) { return run([dims, ...rest], { stream: streamOfSeed(seed) }); } });
}

function playKeyed(type, run) {
  playOp(type, { run([dims, key, counter, alg, ...rest]) { return run([dims, ...rest], { stream: streamOfKey(key, counter, alg) }); } });
}

playStateless("StatelessRandomUniform", PLAY_KERNELS.get("RandomUniform").run);
playStateless("StatelessRandomUniformInt", PLAY_KERNELS.get("RandomUniformInt").run);
playStateless("StatelessRandomNormal", PLAY_KERNELS.get("RandomStandardNormal").run);
playStateless("StatelessTruncatedNormal", PLAY_KERNELS.get("TruncatedNormal").run);
playKeyed("StatelessRandomUniformV2", PLAY_KERNELS.get("RandomUniform").run);
playKeyed("StatelessRandomUniformIntV2", PLAY_KERNELS.get("RandomUniformInt").run);
playKeyed("StatelessRandomNormalV2", PLAY_KERNELS.get("RandomStandardNormal").run);
playKeyed("StatelessTruncatedNormalV2", PLAY_KERNELS.get("TruncatedNormal").run);

playOp("StatelessMultinomial", {
  run: ([logits, number, seed, dtype]) => PLAY_KERNELS.get("Multinomial").run([logits, number, dtype], { stream: streamOfSeed(seed) }),
});

playOp("StatelessRandomGetKeyCounter", {
  run([seed]) {
    const [key, counter] = streamOfSeed(seed), words = [counter & MASK_64, counter >> 64n];
    return [tensorOf("uint64", [1], BigUint64Array.of(key)), tensorOf("uint64", [2], BigUint64Array.from(words))];
  },
});
