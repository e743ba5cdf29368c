// ---- The table of edges.

const tableBody = byId("edge-table").tBodies[0];
const rows = [...tableBody.rows];
const headers = [...byId("edge-table").tHead.querySelectorAll("th[data-key]")];
let order = { key: "confidence", down: true };

// What to sort by where neither a value of the edge nor the text of a cell will do.
const SORTED = {
  name: (edge) => nameOf(edge).toLowerCase(),
  verdict: (edge) => Object.keys(view.verdicts).indexOf(edge.verdict),
  lowest: (edge) => Math.min(...edge.by_method.filter((value) => value !== null)),
  highest: (edge) => Math.max(...edge.by_method.filter((value) => value !== null)),
};

function valueOf(row, key) {
  const edge = view.edges[Number(row.dataset.edge)], cell = row.querySelector(`td.${key}`);
  return SORTED[key] ? SORTED[key](edge) : cell ? cell.textContent : edge[key];
}

function refreshTable() {
  const wanted = byId("filter").value.trim().toLowerCase(), only = byId("only").checked;
  const exact = state.node !== null && wanted === name(state.node).toLowerCase() ? state.node : null; // x1, and not x10
  let count = 0;
  for (const row of rows) {
    const index = Number(row.dataset.edge), edge = view.edges[index], arc = state.consensus.get(index);
    const inside = inNetwork(arc);
    row.querySelector(".state").textContent = !arc ? "no" : arc.fate === "dropped" ? "left out (cycle)" : arc.fate === "limited" ? "left out (parents)" : arc.fate === "undirected" ? "yes, open" : "yes";
    row.querySelector("button").textContent = nameOf(edge, arc);
    const matches = exact !== null ? edge.first === exact || edge.second === exact
      : !wanted || name(edge.first).toLowerCase().includes(wanted) || name(edge.second).toLowerCase().includes(wanted);
    const hidden = !matches || (only && !inside);
    row.classList.toggle("hidden", hidden);
    count += hidden ? 0 : 1;
  }
  say("table-status", `${plural(count, "edge", "edges")} listed.`);
}

function sortBy(key) { // numbers from the largest down, words from the first on
  const isNumber = headers.find((th) => th.dataset.key === key).classList.contains("number");
  order = { key, down: order.key === key ? !order.down : isNumber };
  const sign = order.down ? -1 : 1;
  rows.sort((s, t) => {
    const a = valueOf(s, key), b = valueOf(t, key);
    return a < b ? -sign : a > b ? sign : Number(s.dataset.edge) - Number(t.dataset.edge);
  });
  tableBody.append(...rows);
  for (const th of headers) {
    if (th.dataset.key === key) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  }
}

function buildTable() {
  for (const th of headers) {
    const button = press(th.textContent, () => sortBy(th.dataset.key));
    th.replaceChildren(button);
  }
  for (const row of rows) {
    const index = Number(row.dataset.edge);
    row.cells[0].replaceChildren(make("button", { type: "button" }, row.cells[0].textContent));
    row.addEventListener("click", () => {
      choose(index);
      byId("details").scrollIntoView({ block: "nearest" });
      const { first, second } = view.edges[index];
      if (state.around === null && !camera.fits) zoomTo([first, second]);
    });
  }
  byId("filter").addEventListener("input", refreshTable);
  byId("only").addEventListener("change", refreshTable);
}
