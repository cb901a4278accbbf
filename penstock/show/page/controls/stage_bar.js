// The stage bar: a slider over the stages from the graph to the plan.

function buildStageBar(onChoose) {
  const bar = document.getElementById("stagebar");
  if (DATA.views.length < 2 || DATA.play) return () => {};
  const buttons = DATA.views.map((view, number) => element("button", { class: "stop", onclick: () => onChoose(number) },
    element("b", {}, view.name), element("small", {}, countText(view, number))));
  const slider = element("input", { type: "range", id: "stage-slider", min: 0, max: DATA.views.length - 1, step: 1, value: 0,
    "aria-label": "Stage", oninput: () => onChoose(Number(slider.value)) });
  const now = element("span", { class: "stage-now" });
  bar.replaceChildren(element("span", { class: "lead" }, "Stages"), now,
    element("div", { class: "track" }, slider, element("div", { class: "stops" }, ...buttons)));
  bar.style.setProperty("--stops", DATA.views.length);
  bar.hidden = false;
  document.getElementById("steps").hidden = false;
  return (number) => {
    slider.value = number;
    now.textContent = DATA.views[number].name;
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", at === number));
  };
}

function countText(view, number) {
  const gone = view.gone.length, made = view.new.length, changed = view.changed.length;
  if (!number) return `${nodesOf(view).size} nodes`;
  const parts = [gone ? `${gone} removed` : "", made ? `${made} new` : "", changed ? `${changed} changed` : ""].filter(Boolean);
  return parts.join(", ") || (view.name === "memory" ? "plan" : "as before");
}

// The names of the nodes of a view, the constants that are written in boxes included.
function nodesOf(view) {
  return new Set(view.boxes.flatMap(([id, , , , , , , , constants]) => [id, ...constants.map(([, , name]) => name)]));
}
