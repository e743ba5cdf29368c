// ---- Parts: groups of variables that are joined more closely to each other than to the rest.

function buildParts() {
  if (!view.parts.length) return;
  byId("parts").hidden = false;
  view.parts.forEach((part, k) => {
    const button = press(`${part.name} (${part.nodes.length})`, () => choosePart(state.part === k ? null : k), { "aria-pressed": "false", "data-part": k });
    byId("part-list").append(make("li", {}, button));
  });
}

function choosePart(k) {
  if (state.around !== null) goAround(null);
  state.part = k;
  state.node = null;
  fade();
  if (k === null) scaleTo(null);
  else zoomTo(view.parts[k].nodes);
  markPart();
}

function markPart() {
  for (const button of byId("part-list").querySelectorAll("button")) button.setAttribute("aria-pressed", String(Number(button.dataset.part) === state.part));
}
