// Candidate samplers by weights: those that a program states, and those that the calls before have counted. See
// ops/candidates/range_samplers.py.

// By ints: the class in whose part of the sum a draw lies.
function countedClasses(weights) {
  let total = 0;
  const ends = weights.map((weight) => (total += weight));
  return { draw: (stream) => { const drawn = stream.below(total, 32); return ends.findIndex((end) => end > drawn); }, probability: (each) => Math.fround(weights[each]) / Math.fround(total) };
}

// By floats: a class has a share of its bucket, and another class the rest (Walker's aliases).
function weightedClasses(weights) {
  const { fround } = Math, count = weights.length, exactTotal = weights.reduce((sum, weight) => sum + weight, 0);
  const total = weights.reduce((sum, weight) => fround(sum + weight), 0);
  const shares = weights.map((weight) => fround(weight * count) / exactTotal), aliases = weights.map((_, i) => i);
  const low = aliases.filter((i) => shares[i] < 1), high = aliases.filter((i) => !(shares[i] < 1));
  while (high.length && low.length) {
    const smaller = low.pop(), larger = high.pop();
    aliases[smaller] = larger;
    shares[larger] -= 1 - shares[smaller];
    (shares[larger] < 1 ? low : high).push(larger);
  }
  for (const i of [...high, ...low]) [shares[i], aliases[i]] = [1, i];
  const draw = (stream) => { const share = stream.float(), bucket = stream.below(count, 32); return share < fround(shares[bucket]) ? bucket : aliases[bucket]; };
  return { draw, probability: (each) => fround(weights[each] / total) };
}

playOp("LearnedUnigramCandidateSampler", {
  run([classes, numTrue, numSampled, unique, most, ...seeds], call) {
    requireClasses(classes, Number(numTrue), Number(numSampled), unique, Number(most));
    const weights = keptOf(call) || Array.from({ length: Number(most) }, () => 1), after = [...weights];
    for (const each of numbersOf(classes)) after[each]++;
    keepFor(call, after);
    return sampledClasses(call, seeds, classes, Number(numSampled), unique, countedClasses(weights));
  },
});

playOp("FixedUnigramCandidateSampler", {
  run([classes, numTrue, numSampled, unique, most, , distortion, reserved, shards, shard, unigrams, ...seeds], call) {
    const isOwn = (_, i) => i % Number(shards) === Number(shard), own = new Array(Number(reserved)).fill(0).filter(isOwn);
    const power = (weight) => Math.fround(Math.fround(Number(weight)) ** Math.fround(Number(distortion)));
    const weights = [...own, ...unigrams.filter((_, i) => isOwn(null, i + own.length)).map(power)], positive = weights.filter((weight) => weight).length;
    if (weights.length !== Number(most)) throw new PlayError(`range_max is ${most}, but there are ${weights.length} unigrams with the reserved ids; the two must be equal`);
    if (unique && positive < Number(numSampled)) throw new PlayError(`Sampler's range is too small: ${numSampled} different classes are wanted, and ${positive} have a weight`);
    requireClasses(classes, Number(numTrue), Number(numSampled), unique, Number(most));
    return sampledClasses(call, seeds, classes, Number(numSampled), unique, weightedClasses(weights));
  },
});
