// Ops that pass values on, make them out of attributes, or check them.

const same = ([input]) => [input];
playOp("Identity", { isElementwise: true, run: same });
playOp("StopGradient", { isElementwise: true, run: same });
playOp("IdentityAfter", { isElementwise: true, run: same });
playOp("PlaceholderWithDefault", { isElementwise: true, run: same });
playOp("IdentityN", { isElementwise: true, run: ([inputs]) => inputs });
playOp("NoOp", { run: () => [] });
playOp("Const", { run: ([value]) => [value] });

playOp("EnsureShape", {
  isElementwise: true,
  run([x, shape]) {
    const fits = shape === null || (shape.length === x.shape.length && shape.every((size, d) => typeof size !== "number" || size === x.shape[d]));
    if (!fits) throw new PlayError(`Shape of tensor x ${listed(x.shape)} is not compatible with expected shape ${listed(shape.map((size) => (size === null ? "?" : size)))}.`);
    return [x];
  },
});

playOp("Assert", {
  run([condition, data, summarize]) {
    if (condition.data[0]) return [];
    const most = summarize === null || summarize === undefined ? 3 : Number(summarize);
    const texts = data.map((each) => {
      const count = sizeOf(each), shown = most < 0 ? count : Math.min(most, count);
      return Array.from({ length: shown }, (_, i) => elementText(each, i)).join(" ") + (shown < count ? "..." : "");
    });
    throw new PlayError(["assertion failed:", ...texts.map((text) => `[${text}]`)].join(" "));
  },
});
