// The run bar: a slider over the recorded steps with the bytes held above it, and the card of the selected step, with
// what it read, what it made and its cost.

// A plan that has not run has steps too; what is not known about them is null.
const STEPS = FACTS.run || (DATA.views.length === 1 && !DATA.play ? (FACTS.plan || []).map(([node, , device, , , , op]) => [node, op, device, null, null, null, null, ""]) : []);
const hasRun = Boolean(FACTS.run);

// The bar of steps: 0 is before the first one.
function buildRunBar(onStep) {
  const steps = STEPS, bar = document.getElementById("runbar");
  if (LAYER.buildRunBar) return LAYER.buildRunBar(onStep);
  if (!steps.length) return () => {};
  const says = element("span", { class: "says" }), count = element("span", { class: "count" });
  const slider = element("input", { type: "range", id: "run-slider", min: 0, max: steps.length, step: 1, value: 0,
    "aria-label": "Step of the run", oninput: () => onStep(Number(slider.value)) });
  const play = element("button", { id: "play", title: "Step by step (space)", onclick: () => playOrStop() }, "Play");
  const hasScopes = DATA.views.some((each) => each.scopes && each.scopes.length > 1);
  const follow = element("input", { type: "checkbox", id: "follow", checked: true, onchange: () => setFollow(follow.checked) });
  const values = element("input", { type: "checkbox", id: "values", checked: true, onchange: () => setValues(values.checked) });
  const choices = [[hasScopes, follow, "Follow", "Open the scope in which a step happens, and close it again after the run; otherwise "
    + "the closed scope is marked"], [hasRunTexts, values, "Values", "Boxes say the shapes and small values of the run; otherwise the static types (v)"]]
    .filter(([has]) => has).map(([, box, label, title]) => element("label", { class: "choice", title }, box, label));
  bar.replaceChildren(element("span", { class: "lead" }, hasRun ? "Run" : "Steps"), play,
    element("div", { class: "track" }, hasRun ? heldChart(steps) : null, slider), element("span", { class: "choices" }, ...choices), count, says);
  bar.hidden = false;
  document.getElementById("steps").hidden = false;
  return (number) => {
    slider.value = number;
    count.textContent = `${number} / ${FACTS.plan.length}`;
    says.textContent = number ? stepSays(number) : runSays();
    says.title = number ? steps[number - 1][0] : FACTS.failed || "";
  };
}

// A run that failed, or that a debugger holds, has fewer steps than its plan.
const stepOfPlan = (number) => `step ${number} of ${FACTS.plan.length}`;

function runSays() {
  const count = `${STEPS.length} step${STEPS.length === 1 ? "" : "s"}`;
  if (!hasRun) return `${count}, in the order in which they would run`;
  const end = FACTS.failed ? `. The run failed at ${shorten(FACTS.failed, 40)}.` : FACTS.standsBefore ? `. The debugger stands before ${shorten(FACTS.standsBefore, 40)}.` : "";
  return `${count} took ${timeText(FACTS.seconds)}; at most ${byteText(FACTS.peak)} of memory were in use${end}`;
}

function stepSays(number) {
  const [node, op, device, , duration, bytes, held] = STEPS[number - 1];
  if (!hasRun) return `${stepOfPlan(number)}: ${op} "${shorten(node, 40)}" on ${device}`;
  return `${stepOfPlan(number)}: ${op} "${shorten(node, 40)}" on ${device} took ${timeText(duration)} and made ${byteText(bytes)}; ${byteText(held)} are in use`;
}

// Bytes held after each step, as an area above the slider.
function heldChart(steps) {
  const most = steps.reduce((high, step) => Math.max(high, step[6]), 1), wide = 1000 / steps.length;
  const group = Math.ceil(steps.length / 1000), bars = [];
  for (let at = 0; at < steps.length; at += group) {
    const held = steps.slice(at, at + group).reduce((high, step) => Math.max(high, step[6]), 0), tall = 22 * (held / most);
    bars.push(shape("rect", { x: at * wide, width: wide * group, y: 24 - tall, height: tall + 0.5 }));
  }
  return shape("svg", { class: "held", viewBox: "0 0 1000 24", preserveAspectRatio: "none", role: "img",
    "aria-label": "Memory in use after each step" }, ...bars);
}

// The box in view of a value called "dense/add:0", of a fed tensor, of a constant; for what left a group the group's.
function boxOfValue(name) {
  const node = name.replace(/:\d+$/, "");
  return view.byId.get(name) || view.byId.get(node) || view.byId.get(groupOf.get(node)) || null;
}

// Two steps of one node (a copy to a device is one) have boxes of their own in the picture of a plan.
function boxOfStep(number) {
  const [node] = STEPS[number - 1], [, , , , makes] = FACTS.plan[number - 1];
  const own = makes.length ? view.byId.get(makes[0].replace(/:\d+$/, "")) : null;
  return own || view.byId.get(node) || (makes.length ? boxOfValue(makes[0]) : null);
}

function stepCard(number, actions) {
  const [node, op, device, , duration, bytes, held, kernel] = STEPS[number - 1];
  const [, members, , reads, makes, frees] = FACTS.plan[number - 1];
  const box = boxOfStep(number), card = box && cardOf(box), body = (FACTS.bodies || {})[node];
  const made = makes.map((name) => valueView(name, makes.length > 1)).filter(Boolean);
  showPanel(
    element("p", { class: "kicker" }, stepOfPlan(number)),
    element("h2", {}, box ? link(box, actions.go, shorten(node, 120)) : cut(node, 120)),
    element("p", { class: "type" }, members.length > 1 ? `${members.length} operations in one step` : op,
      card && card.doc && !members.length ? element("span", {}, ` \u2013 ${card.doc}`) : null),
    rows([["took", hasRun ? `${timeText(duration)}, ${shareText(duration)} of all steps` : null],
      ["device", device + (kernel ? `, ${kernel}` : "")], ["size of results", hasRun ? byteText(bytes) : null],
      ["memory in use after the step", hasRun ? byteText(held) : null]]),
    hasRun ? null : section("It makes", valueList(makes, actions)),
    section(makes.length > 1 ? "The values it made" : "The value it made", ...made),
    hasRun && !FACTS.hasValues ? element("p", { class: "carried" }, "This run did not record values. tf.RunOptions(values=True) records them.") : null,
    section(hasRun ? "It read" : "It reads", valueList([...new Set(reads)], actions)),
    body ? section(hasRun ? "It computed" : "It computes", bodyView(body, reads)) : null,
    FACTS.memory ? section("Memory", memoryChart(number - 1)) : null,
    frees.length ? section("Freed after this step", valueList(frees, actions)) : null,
    section("Gradient of", ...differentiated(card).slice(0, 4).map((name) => element("p", {}, cut(name, 160)))),
    section("Made at", ...(card ? card.origins : []).slice(0, 4).map(([place, code]) => originView(place, code))));
}

const inAllSteps = hasRun ? FACTS.run.reduce((sum, step) => sum + step[4], 0) : 0;

function shareText(duration) {
  const whole = inAllSteps, share = whole ? (100 * duration) / whole : 0;
  return share && share < 1 ? "under 1 %" : `${Math.round(share)} %`;
}

// Values by name, each with its facts in one line.
function valueList(names, actions) {
  return linkList(names, (name) => {
    const box = boxOfValue(name), row = valueOfName(name), told = ` ${row ? row[0] : (FACTS.types || {})[name] || ""}`, found = summaryOf(row);
    return element("span", {}, box ? link(box, actions.go, shorten(name, 44)) : element("b", {}, cut(name, 44)),
      element("span", { class: "carried" }, told), found ? element("span", { class: "brief" }, shortValue(found, row[0])) : null);
  });
}

// The instructions of a fused step; %0, %1 ... are its inputs.
function bodyView(lines, reads) {
  const inputs = reads.map((name, at) => `%${at} = ${name}`);
  return element("pre", { class: "formula" }, [...inputs, ...lines.slice(1), `gives ${lines[0].split("->").pop().trim()}`].join("\n"));
}
