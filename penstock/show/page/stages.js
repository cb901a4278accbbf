// How does the graph become a run? A slider over the stages, one over the recorded steps, and a picture of the memory.

function buildStageBar(onChoose) {
  const bar = document.getElementById("stagebar");
  if (DATA.views.length < 2) return () => {};
  const buttons = DATA.views.map((view, number) => element("button", { class: "stop", onclick: () => onChoose(number) },
    element("b", {}, view.name), element("small", {}, countText(view, number))));
  const slider = element("input", { type: "range", id: "stage-slider", min: 0, max: DATA.views.length - 1, step: 1, value: 0,
    "aria-label": "Stage", oninput: () => onChoose(Number(slider.value)) });
  bar.replaceChildren(element("span", { class: "lead" }, "Stages"),
    element("div", { class: "track" }, slider, element("div", { class: "stops" }, ...buttons)));
  bar.style.setProperty("--stops", DATA.views.length);
  bar.hidden = false;
  document.getElementById("steps").hidden = false;
  return (number) => {
    slider.value = number;
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", at === number));
  };
}

function countText(view, number) {
  const gone = view.gone.length, made = view.new.length, changed = view.changed.length;
  if (!number) return `${view.boxes.length} nodes`;
  const parts = [gone ? `\u2212${gone}` : "", made ? `+${made}` : "", changed ? `~${changed}` : ""].filter(Boolean);
  return parts.join(" ") || (view.name === "memory" ? "plan" : "as before");
}

// The bar of steps: 0 is before the first one.
function buildRunBar(onStep) {
  const steps = FACTS.run || [], bar = document.getElementById("runbar");
  if (!steps.length) return () => {};
  const says = element("span", { class: "says" });
  const slider = element("input", { type: "range", id: "run-slider", min: 0, max: steps.length, step: 1, value: 0,
    "aria-label": "Step of the run", oninput: () => onStep(Number(slider.value)) });
  const play = element("button", { id: "play", title: "Play the run" }, "Play");
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(slider.value) >= steps.length) onStep(0);
    play.textContent = "Stop";
    const pause = Math.max(60, Math.min(700, 12000 / steps.length));
    timer = setInterval(() => (Number(slider.value) < steps.length ? onStep(Number(slider.value) + 1) : stop()), pause);
  });
  bar.replaceChildren(element("span", { class: "lead" }, "Run"), play,
    element("div", { class: "track" }, heldChart(steps), slider), says);
  bar.hidden = false;
  document.getElementById("steps").hidden = false;
  const whole = steps.reduce((sum, step) => sum + step[4], 0);
  return (number) => {
    slider.value = number;
    if (!number) {
      says.textContent = `${steps.length} step${steps.length === 1 ? "" : "s"}, ${timeText(Math.round(whole * 10) / 10)} in all, at most ${byteText(FACTS.peak)} held`;
      return;
    }
    const [node, op, device, , duration, bytes, held] = steps[number - 1];
    says.textContent = `step ${number} of ${steps.length}: ${op} "${shorten(node, 40)}" on ${device}, ${timeText(duration)}, ${byteText(bytes)} made, ${byteText(held)} held`;
  };
}

// Bytes held after each step, as an area above the slider.
function heldChart(steps) {
  const most = Math.max(...steps.map((step) => step[6]), 1), wide = 1000 / (steps.length + 1);
  const bars = steps.map((step, at) => shape("rect", { x: (at + 1) * wide - wide / 2, width: wide,
    y: 24 - 22 * (step[6] / most), height: 22 * (step[6] / most) + 0.5 }));
  return shape("svg", { class: "held", viewBox: "0 0 1000 24", preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
}

// The arena: a rectangle for each buffer, from the step that makes it to the last that reads it.
function memoryChart() {
  const memory = FACTS.memory;
  if (!memory) return element("p", {}, "The memory is known once the sizes of the feeds are: export with session and feed_dict.");
  const placed = memory.buffers.filter(([, size, , , offset]) => size && offset !== null && offset !== undefined);
  const loose = memory.buffers.filter(([, size, , , offset]) => size && (offset === null || offset === undefined));
  const facts = rows([["peak", `${memory.exact ? "" : "at least "}${byteText(memory.peak)}, at step ${memory.peakStep + 1}`],
    ["arena", placed.length ? `${byteText(memory.arena)} for ${placed.length} buffers` : "not needed: every buffer is small or is returned"]]);
  return element("div", {}, facts, liveChart(memory), placed.length ? arenaChart(memory, placed) : null,
    section("Largest outside the arena", element("ul", {}, ...[...loose].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([name, size, first, last]) =>
      element("li", {}, `${shorten(name, 40)} `, element("span", { class: "carried" },
        `${byteText(size)}, ${first < 0 ? "from the start" : `from step ${first + 1}`} to ${last >= memory.steps ? "the end" : `step ${last + 1}`}`))))));
}

function liveChart(memory) {
  const live = new Array(memory.steps + 2).fill(0);
  for (const [, size, first, last] of memory.buffers)
    if (size) for (let at = Math.max(first, -1); at <= Math.min(last, memory.steps); at++) live[at + 1] += size;
  const most = Math.max(...live, 1), wide = 320 / live.length;
  const bars = live.map((bytes, at) => shape("rect", { x: at * wide, width: Math.max(wide - 0.5, 0.5), y: 70 - 66 * (bytes / most),
    height: 66 * (bytes / most), class: bytes === most ? "peak" : "" }, shape("title", {}, `${at ? `step ${at}` : "start"}: ${byteText(bytes)}`)));
  return element("figure", {}, shape("svg", { class: "chart", viewBox: "0 0 320 72" }, ...bars),
    element("figcaption", {}, "bytes alive at each step; the highest is marked"));
}

function arenaChart(memory, placed) {
  const wide = 320 / (memory.steps + 1), tall = 140 / Math.max(memory.arena, 1);
  const bars = placed.map(([name, size, first, last, offset], at) => {
    const made = shape("rect", { class: "buffer", x: Math.max(first, 0) * wide, width: Math.max((Math.min(last, memory.steps) - Math.max(first, 0) + 1) * wide - 0.6, 0.6),
      y: 140 - (offset + size) * tall, height: Math.max(size * tall - 0.6, 0.6) },
    shape("title", {}, `${shorten(name, 80)}: ${byteText(size)} at ${offset}`));
    made.style.setProperty("--h", HUES[at % HUES.length]);
    return made;
  });
  return element("figure", {}, shape("svg", { class: "chart", viewBox: "0 0 320 142" }, ...bars),
    element("figcaption", {}, "the arena: each buffer's place (upwards) and lifetime (to the right)"));
}
