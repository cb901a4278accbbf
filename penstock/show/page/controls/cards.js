// The panel: a card for a node, a scope, an arrow or a path, and an overview while nothing is selected. `go` is the
// action of a link; page_state.js provides it.

const panel = document.getElementById("card");
const MOST_LINKS = 40;

function showPanel(...children) {
  panel.replaceChildren(...children.filter(Boolean));
  panel.scrollTop = 0;
}

function link(box, go, text) {
  return element("button", { class: "link", title: shorten(box.id, 300), onclick: () => go(box) }, ...breakable(text || shorten(box.id, 60)));
}

// A name that breaks into lines behind a slash or an underscore rather than anywhere.
const breakable = (name) => name.split(/(?<=[/_])/).flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part]));

function section(title, ...children) {
  const kept = children.filter(Boolean);
  return kept.length ? element("section", {}, element("h3", {}, title), ...kept) : null;
}

function rows(pairs) {
  const kept = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!kept.length) return null;
  return element("dl", {}, ...kept.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function originView(place, code) {
  return element("div", { class: "origin" }, element("span", { class: "place" }, place), code ? element("code", {}, code) : null);
}

// The forward nodes whose gradient a node belongs to; the lines of its origins are theirs.
const differentiated = (card) => [...new Set((card ? card.origins : []).map(([, , of]) => of))].filter(Boolean);

// `made` makes the element of one item; of a long list only the beginning is made.
function linkList(items, made) {
  if (!items.length) return null;
  const shown = items.slice(0, MOST_LINKS).map((item) => made(item));
  if (items.length > MOST_LINKS) shown.push(element("span", { class: "more" }, `and ${items.length - MOST_LINKS} more`));
  return element("ul", {}, ...shown.map((item) => element("li", {}, item)));
}

function nodeCard(box, view, stage, actions) {
  const card = cardOf(box), record = recordOf(box.id), shapes = runShapesOf(box);
  const group = groupOf.get(box.id), step = stepOf.get(box.id);
  const buttons = element("p", { class: "actions" },
    element("button", { onclick: () => actions.pathFrom(box) }, "Path from here\u2026"),
    box.home.parent ? element("button", { onclick: () => actions.close(box.home) }, "Close ", cut(box.home.label, 24)) : null);
  const outputs = card ? card.outputs.map(([dtype, shape], index) =>
    [card.outputs.length > 1 ? `output ${index}` : "output",
      `${dtype} ${shape}${shapes && shapes[index] && shapes[index] !== shape ? `, in the run ${shapes[index]}` : ""}`]) : [];
  showPanel(
    element("p", { class: "kicker" }, KIND_WORDS[stage.faded[box.id] ? "pruned" : box.kind] || box.kind),
    element("h2", {}, ...breakable(shorten(box.id, 240))),
    element("p", { class: "type" }, box.type, card && card.doc ? element("span", {}, ` \u2013 ${card.doc}`) : null),
    fateOf(box, stage),
    ...(LAYER.cardParts ? LAYER.cardParts(box) : []),
    card ? null : rows(box.detail.map((line, at) => [at ? "" : "detail", cut(line, 240)])),
    rows(outputs),
    section("Gradient of", linkList(differentiated(card), (name) =>
      view.byId.has(name) ? link(view.byId.get(name), actions.go) : element("span", {}, cut(name, 160)))),
    section("Made at", ...(card ? card.origins : []).slice(0, 6).map(([place, code]) =>
      originView(place, code))),
    section("Attributes", rows(card ? card.attributes.map(([name, text]) => [name, LAYER.attribute ? LAYER.attribute(box.id, name, text) : text]) : [])),
    section("Constants", linkList(box.constants, (constant) => constantView(constant, card))),
    section("Inputs", linkList(box.inputs, (arrow) => edgeLink(arrow, arrow.source, actions.go))),
    section("Consumers", linkList(box.consumers, (arrow) => edgeLink(arrow, arrow.target, actions.go))),
    pipelineOf(box),
    card && card.why ? section("Why a size is unknown", element("pre", {}, card.why)) : null,
    section("In the plan", rows([
      ["step", step ? `${step.number + 1} of ${FACTS.plan.length}, on ${step.device}` : null],
      ["group", group ? (view.byId.has(group) && group !== box.id ? link(view.byId.get(group), actions.go) : group) : null],
      ["formula", group && FACTS.groups ? element("code", {}, FACTS.groups[group] || "") : null]])),
    section("In the recorded run", rows(record ? [
      ["time", timeText(record.duration) + (record.node !== box.id ? " for its whole group" : "")],
      ["kernel", record.kernel], ["size of results", byteText(record.bytes)], ["memory in use after the step", byteText(record.held)]] : []),
    ...recordedValues(box, record)),
    buttons);
}

// A constant that is written in the box: operand and value, name and type; its line if the reader was made at another,
// and the recorded value of a large one.
function constantView({ operand, line, name, card: number }, reader) {
  const card = cardOf({ card: number }), type = card ? card.outputs[0].join(" ") : "";
  const told = card ? Object.fromEntries(card.attributes).value : undefined;
  const isLarge = told === undefined || told.includes("array of shape"), [place, code] = (card && card.origins[0]) || [];
  const isElsewhere = place && !(reader && reader.origins.some((origin) => origin[0] === place));
  const recorded = isLarge ? valueNamesOf({ id: name, kind: "constant", type: "Const" }) : [];
  return element("div", { class: "constant" },
    element("b", {}, ...(isLarge ? [line] : [`${operand} = `, cut(LAYER.attribute ? LAYER.attribute(name, "value", told) : told, 160)])),
    element("span", { class: "carried" }, " ", cut(name, 60), type ? `, ${type}` : ""),
    isElsewhere ? originView(place, code) : null, ...recorded.map((each) => valueView(each, false)));
}

// The shapes of a node's outputs in the run: recorded ones, else those that follow from the feeds.
function runShapesOf(box) {
  const names = valueNamesOf(box);
  if (!names.length) return (FACTS.shapes || {})[box.id];
  return names.map((name) => valueOfName(name)[0].replace(/^\S+ /, ""));
}

// The recorded values of a node; none are recorded inside a fused group.
function recordedValues(box, record) {
  const names = valueNamesOf(box);
  if (!names.length && record) return [element("p", { class: "carried" }, "The run computed this value inside a fused group and did not store it.")];
  return names.map((name) => valueView(name, names.length > 1));
}

// The stages before an iterator, or the state of a queue, after the recorded run.
function pipelineOf(box) {
  const [sentence, stages] = (FACTS.flow || {})[box.id] || [];
  return sentence ? section("Where the data come from", element("p", {}, sentence), rows(stages)) : null;
}

const MARK_WORDS = { control: "control: runs before", write: "writes the variable", loop: "next iteration" };

function edgeLink(arrow, other, go) {
  const made = element("span", {}, link(other, go), element("span", { class: "carried" },
    " ", arrow.kind === "data" ? cut(arrow.type || arrow.label, 60) : MARK_WORDS[arrow.kind]));
  return made;
}

// The change of the node at this stage, if there is one.
function fateOf(box, stage) {
  const found = [["left out", Object.entries(stage.faded)], ["new", stage.new], ["changed", stage.changed]]
    .map(([word, list]) => [word, list.find(([name]) => name === box.id)]).find(([, entry]) => entry);
  return found ? element("p", { class: "fate" }, `${found[0]}: ${found[1][1]}`) : null;
}

function scopeCard(scope, actions) {
  let time = 0;
  const counted = new Set(), direct = scope.inner.length + scope.boxes.length;
  eachBoxIn(scope, (box) => {
    const record = recordOf(box.id);
    if (record && !counted.has(record.node)) { counted.add(record.node); time += record.duration; }
  });
  showPanel(
    element("p", { class: "kicker" }, { levels: "levels of the graph", row: "row of equal scopes" }[scope.kind] || "scope"),
    element("h2", {}, shorten(scope.path, 400)),
    rows([["holds", sizeText(scope)], ["types", scope.types], ["scopes and nodes directly inside", String(direct)],
      ["time in the run", counted.size ? timeText(Math.round(time * 10) / 10) : null]]),
    element("p", { class: "actions" }, element("button", { onclick: () => actions.toggle(scope) }, isOpen(scope) ? "Close" : "Open")),
    section("Scopes", linkList(scope.inner, (inner) =>
      element("button", { class: "link", onclick: () => actions.scope(inner) }, cut(inner.label, 40), ` (${inner.holds})`))),
    section("Nodes", linkList(scope.boxes, (box) => link(box, actions.go, shorten(box.label, 40)))));
}

function arrowCard(arrow, actions) {
  const pairs = arrow.merged.slice(0, MOST_LINKS).map((each) => element("li", {}, link(each.source, actions.go), " \u2192 ",
    link(each.target, actions.go), element("span", { class: "carried" }, " ", cut(each.type || each.label, 60) || MARK_WORDS[each.kind] || "")));
  const more = arrow.merged.length - pairs.length;
  showPanel(element("p", { class: "kicker" }, { data: "edge", control: "control edge", write: "write", loop: "next iteration" }[arrow.kind]),
    element("h2", {}, cut(arrow.type || arrow.label, 120) || { data: "data", control: "runs before", write: "writes a variable", loop: "next value of the loop variable" }[arrow.kind]),
    element("p", {}, "Click a name to select that node."),
    element("ul", {}, ...pairs, more > 0 ? element("li", {}, `and ${more} more`) : null));
}

function pathCard(from, to, path, actions) {
  showPanel(element("p", { class: "kicker" }, "path"),
    element("h2", {}, cut(from.id, 80), " \u2192 ", cut(to.id, 80)),
    element("p", {}, path ? `The shortest path has ${path.length} nodes.` : "There is no path between the two, in either direction."),
    path ? element("ol", {}, ...path.map((box) => element("li", {}, link(box, actions.go)))) : null,
    element("p", { class: "actions" }, element("button", { onclick: actions.clear }, "Done")));
}

// The fed and fetched nodes and the most frequent types with their nodes, computed once for each view.
function summaryOfView(view) {
  if (view.summary) return view.summary;
  const types = new Map();
  for (const box of view.boxes) {
    if (!types.has(box.type)) types.set(box.type, []);
    types.get(box.type).push(box);
  }
  types.delete("");
  view.summary = {
    fed: view.boxes.filter((box) => box.kind === "fed"), fetched: view.boxes.filter((box) => box.kind === "fetched"),
    common: [...types].sort((a, b) => b[1].length - a[1].length).slice(0, 8),
  };
  return view.summary;
}

// "94 operations, 56 constants, 119 edges": boxes of constants and constants that are written in boxes count alike.
function sizeOfView({ boxes, arrows, readers }) {
  const asBoxes = boxes.filter((box) => box.kind === "constant").length, constants = asBoxes + readers.size;
  const parts = [[boxes.length - asBoxes, "operation"], [constants, "constant"], [arrows.length, "edge"]];
  return parts.filter(([count, word]) => count || word !== "constant").map(([count, word]) => `${count} ${word}${count === 1 ? "" : "s"}`).join(", ");
}

// The overview, while nothing is selected: the whole graph, and the changes of this stage.
function overviewCard(view, stage, actions) {
  const { fed, fetched, common } = summaryOfView(view);
  const told = (list) => linkList(list, ([name, why]) => element("span", {},
    view.byId.has(name) ? link(view.byId.get(name), actions.go) : element("b", {}, cut(name, 60)),
    element("span", { class: "carried" }, ` ${why}`)));
  showPanel(
    element("p", { class: "kicker" }, stage.name && !DATA.play ? `stage: ${stage.name}` : "overview"),
    element("h2", {}, stage.name ? stage.summary : sizeOfView(view)),
    ...(LAYER.overviewParts ? LAYER.overviewParts() : []),
    stage.name === "memory" ? memoryChart() : null,
    section(`Removed (${stage.gone.length})`, told(stage.gone)),
    section(`New (${stage.new.length})`, told(stage.new)),
    section(`Changed (${stage.changed.length})`, told(stage.changed)),
    DATA.play ? null : section("Fed", linkList(fed, (box) => edgeLink({ label: box.detail[0] || "" }, box, actions.go))),
    DATA.play ? null : section("Fetched", linkList(fetched, (box) => edgeLink({ label: box.detail[0] || "" }, box, actions.go))),
    section("Most frequent operations", common.length && !DATA.play ? element("ul", {}, ...common.map(([type, boxes]) => {
      const card = cardOf(boxes[0]);
      return element("li", {}, element("b", {}, `${type} \u00d7 ${boxes.length}`),
        element("span", { class: "carried" }, card && card.doc ? ` ${card.doc}` : ""));
    })) : null),
    element("p", { class: "hint" }, "Click a box to see its facts, a box with a + to open it, the title of an open scope to close it. "
      + (STEPS.length ? "To follow the steps one by one, drag the slider below or press Play. " : "") + "Press ? for a list of keys."));
}

function helpCard() {
  const keys = [["/", "search: a name, bool, (batch, 3), model.py:25, axis=1"], ["n  N", "next hit, previous hit (in the search field Enter, Shift+Enter)"], ["\u2191 \u2193", "to an input, to a consumer"],
    ["\u2190 \u2192", "to the box on the left, on the right"], ["Enter", "open or close the selected scope"], ["+  \u2212", "zoom in, zoom out (also with the wheel)"],
    ["f", "fit the picture into the window"], ["o  c", "open the next scopes, close the innermost"], ["[  ]", "previous stage, next stage"],
    [",  .", "previous step, next step"], ["space", "play the run, stop"], ["v", "the run's shapes and values, or the static types"], ["p", "find a path from the selected node"], ...(LAYER.keyRows || []), ["s", "save or copy the picture"], ["d", "dark or light"], ["Esc", "select nothing"]];
  showPanel(element("p", { class: "kicker" }, "keys"), element("h2", {}, "Keys"),
    element("dl", { class: "keys" }, ...keys.flatMap(([key, does]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, does)])));
}
