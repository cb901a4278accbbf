// Memory charts: the bytes alive at each step, and the arena with the place and live range of each buffer. `now` is the
// selected step (from 0), -1 for none.

const WIDE = 320;
const MOST_BUFFERS = 1500; // the largest buffers; more could not be told apart

function memoryChart(now = -1) {
  const memory = FACTS.memory;
  if (!memory) return element("p", {}, "The memory plan needs the sizes of the feeds: export with feeds=...");
  const { placed, loose } = buffersOf(memory);
  const facts = rows([[heldInRun() ? "peak of the run" : "peak of the plan", peakText(memory)],
    ["arena", placed.length ? `${byteText(memory.arena)} for ${placed.length} buffer${placed.length === 1 ? "" : "s"}` : "not needed, because every buffer is small or is a result"]]);
  return element("div", {}, facts, liveChart(memory, now), placed.length ? arenaChart(memory, placed, now) : null,
    now < 0 ? section("The largest buffers outside the arena", element("ul", {}, ...loose.slice(0, 8).map(([name, size, first, last]) =>
      element("li", {}, cut(name, 40), " ", element("span", { class: "carried" },
        `${byteText(size)}, ${first < 0 ? "from the start" : `from step ${first + 1}`} to ${last >= memory.steps ? "the end" : `step ${last + 1}`}`))))) : null);
}

let buffers = null;

// The buffers in the arena in their order, and the others, the largest first.
function buffersOf(memory) {
  if (buffers) return buffers;
  const sized = memory.buffers.filter(([, size]) => size), inArena = ([, , , , offset]) => offset !== null && offset !== undefined;
  buffers = { placed: sized.filter(inArena), loose: sized.filter((each) => !inArena(each)).sort((a, b) => b[1] - a[1]) };
  return buffers;
}

// The bytes held after each step of the recorded run, null without one. The plan does not know sizes that depend on values.
let heldBytes = null;

function heldInRun() {
  if (!heldBytes && hasRun && STEPS.length === FACTS.memory.steps) heldBytes = STEPS.map((step) => step[6]);
  return heldBytes;
}

function peakText(memory) {
  const held = heldInRun();
  if (held) return `${byteText(FACTS.peak)}, after step ${held.indexOf(FACTS.peak) + 1} of the run`;
  return `${memory.exact ? "" : "at least "}${byteText(memory.peak)}, at step ${memory.peakStep + 1}`;
}

let live = null;

// Bytes alive at the start (index 0) and at each step, from the begin and end of live ranges.
function liveBytes(memory) {
  if (live) return live;
  const change = new Array(memory.steps + 3).fill(0);
  for (const [, size, first, last] of memory.buffers)
    if (size) { change[Math.max(first, -1) + 1] += size; change[Math.min(last, memory.steps) + 2] -= size; }
  live = [];
  change.slice(0, memory.steps + 1).reduce((sum, by) => { live.push(sum + by); return sum + by; }, 0);
  return live;
}

function liveChart(memory, now) {
  const held = heldInRun(), bytes = held || liveBytes(memory), first = held ? 1 : 0, at = now + 1 - first;
  const most = bytes.reduce((a, b) => Math.max(a, b), 1), wide = WIDE / bytes.length;
  const group = Math.ceil(bytes.length / WIDE); // no more bars than pixels
  const bars = [];
  for (let from = 0; from < bytes.length; from += group) {
    const highest = Math.max(...bytes.slice(from, from + group)), here = now >= 0 && at >= from && at < from + group;
    bars.push(shape("rect", { x: from * wide, width: Math.max(group * wide - 0.5, 0.5), y: 58 - 54 * (highest / most), height: 54 * (highest / most),
      class: here ? "now" : highest === most ? "peak" : "" }, shape("title", {}, `${from + first ? `step ${from + first}` : "start"}: ${byteText(highest)}`)));
  }
  const says = now < 0 ? `Memory in use ${held ? "after" : "at"} each step. The highest is orange.`
    : `In use ${held ? "after" : "at"} this step: ${byteText(bytes[at])}. The most of all steps: ${byteText(held ? FACTS.peak : memory.peak)}.`;
  return element("figure", {}, shape("svg", { class: "chart", viewBox: `0 0 ${WIDE} 60` }, ...bars), element("figcaption", {}, says));
}

function arenaChart(memory, placed, now) {
  const wide = WIDE / (memory.steps + 1), tall = 140 / Math.max(memory.arena, 1);
  const drawn = placed.length > MOST_BUFFERS ? [...placed].sort((a, b) => b[1] - a[1]).slice(0, MOST_BUFFERS) : placed;
  const bars = drawn.map(([name, size, first, last, offset], at) => {
    const from = Math.max(first, 0), to = Math.min(last, memory.steps), alive = now < 0 || (from <= now && now <= to);
    const made = shape("rect", { class: alive ? "buffer" : "buffer past", x: from * wide, width: Math.max((to - from + 1) * wide - 0.6, 0.6),
      y: 140 - (offset + size) * tall, height: Math.max(size * tall - 0.6, 0.6) },
    shape("title", {}, `${shorten(name, 80)}: ${byteText(size)} at ${offset}, steps ${from + 1} to ${to + 1}`));
    made.style.setProperty("--h", HUES[at % HUES.length]);
    return made;
  });
  if (now >= 0) bars.push(shape("line", { class: "cursor", x1: (now + 0.5) * wide, x2: (now + 0.5) * wide, y1: 0, y2: 142 }));
  const held = placed.filter(([, , first, last]) => first <= now && now <= last);
  const says = now < 0 ? `The arena is one block of memory that buffers share. Each bar is one of ${drawn === placed ? "its" : `the ${MOST_BUFFERS} largest`} buffers: its place (upwards) and the steps during which it is in use (to the right).`
    : `In use in the arena: ${byteText(held.reduce((sum, each) => sum + each[1], 0))} of ${byteText(memory.arena)}`
      + (held.length ? ` (${held.slice(0, 4).map(([name]) => shorten(name, 28)).join(", ")}${held.length > 4 ? ` and ${held.length - 4} more` : ""})` : "");
  return element("figure", {}, shape("svg", { class: "chart", viewBox: `0 0 ${WIDE} 142` }, ...bars),
    element("figcaption", { title: now < 0 ? null : held.slice(0, 40).map(([name]) => name).join(", ") }, says));
}
