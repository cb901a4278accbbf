// The values of the selected node as tables, which the keyboard and screen readers reach: its own value, what it reads,
// what reads it.

const TABLE_ROWS = 24, TABLE_COLUMNS = 64, VECTOR_COLUMNS = 8;
let tables = []; // what the card shows: {name, element, tensor, first, cells}

// The rows of a table: [{head, cells}]; a vector is broken into rows, slabs have a row with their place before them.
function tableRows(tensor) {
  const shape = gridDims(tensor.shape), count = sizeOf(tensor), rank = shape.length;
  const across = rank === 0 ? 1 : rank === 1 ? Math.min(VECTOR_COLUMNS, shape[0]) : shape[rank - 1], found = [];
  if (!count) return found;
  const columns = Math.min(across, TABLE_COLUMNS);
  for (let from = 0; from < count; from += across) {
    const number = from / across, slab = rank > 2 && number % shape[rank - 2] === 0;
    if (slab) found.push({ slab: `[${placeOf(from, shape).slice(0, -2).join(", ")}, \u2026]`, cells: [] });
    const head = rank === 0 ? "" : rank === 1 ? String(from) : String(number % shape[rank - 2]);
    found.push({ head, cells: Array.from({ length: Math.min(columns, count - from) }, (_, i) => from + i) });
  }
  return found;
}

// The place of an element in words: "[1, 2]".
const placeWords = (cell, dims) => (dims.length ? `[${placeOf(cell, dims).join(", ")}]` : "");

// An element with all its digits, where they are few enough.
function tableText(tensor, cell) {
  const full = isFloatType(tensor.dtype) ? elementText(tensor, cell) : "";
  return full && full.length <= 14 ? full : briefElement(tensor, cell, 14);
}

function tableOf(name, title, go) {
  const table = { name, first: 0, cells: new Map(), tensor: undefined, isOpen: false };
  table.head = element("p", { class: "value-head" });
  table.says = element("p", { class: "play-note" });
  table.frame = element("div", { class: "table-frame" });
  table.pages = element("p", { class: "table-pages" });
  table.element = element("div", { class: "value play-value", "data-value": name }, table.head, table.frame, table.pages);
  table.title = title;
  table.go = go;
  tables.push(table);
  showTable(table);
  return table.element;
}

function showTable(table) {
  const tensor = shownTensor(table.name);
  if (table.tensor !== undefined && tensor === table.tensor) return;
  const before = table.tensor;
  table.tensor = tensor;
  if (tensor && before && before.dtype === tensor.dtype && sameShape(before.shape, tensor.shape)) {
    for (const [cell, made] of table.cells) setText(made, tableText(tensor, cell));
    return;
  }
  fillTable(table);
}

function fillTable(table) {
  const { tensor, name } = table, key = editedAs(name);
  const hint = key === null ? "" : player.variables.has(key) ? ", editable variable" : ", editable";
  table.head.replaceChildren(table.go ? link(table.go, actions.go, shorten(table.title, 44)) : element("b", {}, cut(table.title, 44)),
    element("span", { class: "carried" }, ` ${tensor ? typeOfTensor(tensor) : "no value yet"}${hint}`));
  table.cells.clear();
  table.pages.replaceChildren();
  if (!tensor || !sizeOf(tensor)) return table.frame.replaceChildren(element("p", { class: "carried" }, tensor ? "empty: it has no elements" : "\u2013"));
  const all = tableRows(tensor);
  table.first = Math.min(table.first, Math.max(all.length - 1, 0));
  const part = all.slice(table.first, table.first + TABLE_ROWS);
  const grid = element("table", { class: "grid-table", role: "grid", "aria-label": `${name}, ${typeOfTensor(tensor)}`, "aria-readonly": key === null });
  const body = element("tbody");
  for (const row of part) {
    if (row.slab) {
      body.append(element("tr", {}, element("th", { class: "slab", scope: "rowgroup", colspan: TABLE_COLUMNS + 1 }, row.slab)));
      continue;
    }
    body.append(element("tr", {}, row.head === "" ? null : element("th", { scope: "row" }, row.head), ...row.cells.map((cell) => tableCell(table, cell, key))));
  }
  grid.append(body);
  table.frame.replaceChildren(grid);
  const [first] = table.cells.values();
  if (first) first.tabIndex = 0;
  tellLimits(table, all);
}

function tableCell(table, cell, key) {
  const { tensor, name } = table;
  const made = element("td", { role: "gridcell", tabindex: -1, class: key === null ? "" : "editable", title: placeWords(cell, tensor.shape) }, tableText(tensor, cell));
  made.cellOf = { name, cell };
  table.cells.set(cell, made);
  return made;
}

function tellLimits(table, all) {
  const across = gridDims(table.tensor.shape).at(-1) || 0, parts = [];
  const turn = (by) => { table.first = Math.min(Math.max(table.first + by, 0), all.length - 1); fillTable(table); paintMarks(); };
  if (all.length > TABLE_ROWS)
    parts.push(element("button", { onclick: () => turn(-TABLE_ROWS), disabled: table.first === 0, "aria-label": "Rows before" }, "\u2039"),
      ` rows ${table.first + 1} to ${Math.min(table.first + TABLE_ROWS, all.length)} of ${all.length} `,
      element("button", { onclick: () => turn(TABLE_ROWS), disabled: table.first + TABLE_ROWS >= all.length, "aria-label": "Rows after" }, "\u203a"));
  if (table.tensor.shape.length > 1 && across > TABLE_COLUMNS) parts.push(` the first ${TABLE_COLUMNS} of ${across} columns`);
  table.pages.replaceChildren(...parts);
}

// ---- the card of a node -----------------------------------------------------------------------------------------

const MOST_BESIDE = 6; // tables of operands, and of consumers

// The parts that a node's card has on a play page.
function playParts(box) {
  tables = [];
  const k = stepNumberOf(box.id), own = valuesOfBox(box), parts = [];
  const idle = !own.length && placeOfName(`${box.id}:0`) === null;
  if (k !== undefined) {
    const [says, kind] = stateOfStep(k);
    if (says) parts.push(element("p", { class: `play-note ${kind}`, role: kind === "failed" ? "alert" : null }, says));
  } else if (idle && !box.constants.length) parts.push(element("p", { class: "play-note skipped" }, "It does not run with these fetches."));
  const fixed = DATA.play.fixed.find(([name]) => name === `${box.id}:0`);
  if (fixed) parts.push(element("p", { class: "play-note" }, `It cannot be edited: ${fixed[1]}.`));
  parts.push(section(own.length > 1 ? "Values" : "Value", ...own.map((name) => tableOf(name, name))));
  parts.push(section("Instructions of this step", ...instructionsOf(k)));
  parts.push(section("It reads", ...operandTables(box, k)));
  parts.push(section("Read by", ...box.consumers.filter((arrow, at, all) => arrow.kind === "data" && all.findIndex((each) => each.target === arrow.target) === at)
    .slice(0, MOST_BESIDE).flatMap(({ target }) => valuesOfBox(target).slice(0, 2).map((name) => tableOf(name, name, target)))));
  parts.push(fetchButton(box));
  return parts.filter(Boolean);
}

// The values that the instructions of a fused step compute, in their order.
function instructionsOf(k) {
  const step = k === undefined ? null : player.frame.plan.steps[k], group = step && step.args.find((arg) => "body" in arg);
  return group ? group.body.instructions.map(({ op, node }) => tableOf(`${node}:0`, `${op} ${node}`)) : [];
}

// The tables of what a node reads: of the slots of its step, in the order of its operands; inside a loop of its arrows.
function operandTables(box, k) {
  const names = DATA.play.names[player.inUse];
  const read = k === undefined ? box.inputs.filter(({ kind }) => kind === "data").flatMap(({ tensors }) => tensors)
    : readsOf(player.frame.plan.steps[k]).map((slot) => names[slot]);
  const known = [...new Set([...read, ...box.constants.map(({ name }) => `${name}:0`)])].filter((name) => name && placeOfName(name));
  return known.slice(0, MOST_BESIDE).map((name) => tableOf(name, name, view.byId.get(name.replace(/:\d+$/, "")) || view.byId.get(name)));
}

function showTables() {
  for (const table of tables) showTable(table);
}
