"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const view = JSON.parse(document.getElementById("payload").textContent);
  const byId = (id) => document.getElementById(id);
  const TIE = 1e-9; // confidences that differ by less are equal, as in consensus_network
  const SETTLED = 0.75; // from this share on a direction counts as settled
  const state = { threshold: view.threshold, cost: 0, chosen: null, node: null, scale: 1, consensus: new Map() };

  // ---- Small makers: text is always set as text, never as markup.

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    return fill(element, attributes, children);
  }
  function draw(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    return fill(element, attributes, children);
  }
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    for (const child of children) element.append(child);
    return element;
  }
  const name = (v) => view.nodes[v].name;
  const fixed = (value, digits = 2) => value.toFixed(digits);
  function confidence(value, digits = 3) { // 1 is shown only for every network, 0 only for none
    const text = fixed(value, digits);
    if (value < 1 && Number(text) >= 1) return `>${fixed(1 - 10 ** -digits, digits)}`;
    if (value > 0 && Number(text) <= 0) return `<${fixed(10 ** -digits, digits)}`;
    return text;
  }
  const percent = (share) =>
    share > 0 && share < 0.005 ? "under 1%" : share >= 0.995 && share < 1 ? "over 99%" : `${Math.round(share * 100)}%`;
  const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
  const short = (value) => (value >= 10 ? value.toFixed(0) : Number(value.toPrecision(2)).toString());

  // ---- The network at a cut-off: the same steps as arcwise.confidence.consensus_network.

  // An edge that the networks leave undirected at least as often as they point it either way has an open direction.
  // The others enter by falling confidence; one that would close a cycle is left out. Arcs that the constraints require
  // come first, whatever their confidence; a variable that has all the parents they allow takes no more; and open edges
  // that follow from the directed ones are directed. (Whether limits leave room for all open edges is not asked here.)

  const inNetwork = (arc) => arc !== undefined && ["kept", "undirected"].includes(arc.fate);

  function consensus(threshold) {
    const parents = view.nodes.map(() => new Set()), found = new Map(), entering = [];
    const required = view.known ? view.known.required : [];
    required.forEach(([tail, head]) => parents[head].add(tail));
    view.edges.forEach((edge, index) => {
      const arc = required.find((ends) => ends.includes(edge.a) && ends.includes(edge.b));
      if (arc) {
        found.set(index, { tail: arc[0], head: arc[1], fate: "kept" });
        return;
      }
      if (!(edge.p > threshold)) return;
      const [tail, head] = edge.f >= edge.r ? [edge.a, edge.b] : [edge.b, edge.a];
      const open = edge.u >= Math.max(edge.f, edge.r) - TIE || Math.abs(edge.f - edge.r) <= TIE;
      entering.push({ index, tail, head, open, present: edge.p });
    });
    entering.sort((s, t) => t.present - s.present || s.tail - t.tail || s.head - t.head);
    const reaches = (source, target) => {
      const stack = [target], seen = new Set([target]);
      while (stack.length) {
        const v = stack.pop();
        if (v === source) return true;
        for (const p of parents[v]) if (!seen.has(p)) { seen.add(p); stack.push(p); }
      }
      return false;
    };
    const isFull = (head) => view.known !== undefined && parents[head].size >= view.known.limits[head];
    for (const { index, tail, head, open } of entering) {
      const fate = open ? "undirected" : reaches(head, tail) ? "dropped" : isFull(head) ? "limited" : "kept";
      if (fate === "kept") parents[head].add(tail);
      found.set(index, { tail, head, fate });
    }
    if (view.known) direct([...found.values()].filter((arc) => arc.fate === "undirected"), parents, isFull);
    return found;
  }

  // Meek's rules: what must point from a to b, for else a cycle or a dependence would arise that no network shows.
  function direct(open, parents, isFull) {
    const free = view.nodes.map(() => new Set());
    open.forEach(({ tail, head }) => { free[tail].add(head); free[head].add(tail); });
    const joined = (a, b) => free[a].has(b) || parents[a].has(b) || parents[b].has(a);
    const follows = (a, b) =>
      [...parents[a]].some((p) => !joined(p, b)) || [...parents[b]].some((c) => parents[c].has(a)) ||
      [...parents[b]].some((c) => free[a].has(c) && [...parents[b]].some((d) => d !== c && free[a].has(d) && !joined(c, d))) ||
      [...parents[b]].some((c) => joined(a, c) && [...parents[c]].some((d) => free[a].has(d) && d !== b && !joined(d, b)));
    for (let changed = true; changed;) {
      changed = false;
      for (const arc of open) {
        const ways = arc.fate === "kept" ? [] : [[arc.tail, arc.head], [arc.head, arc.tail]].filter(([a, b]) => follows(a, b));
        if (ways.length !== 1 || isFull(ways[0][1])) continue;
        const [a, b] = ways[0];
        Object.assign(arc, { tail: a, head: b, fate: "kept" });
        free[a].delete(b);
        free[b].delete(a);
        parents[b].add(a);
        changed = true;
      }
    }
  }

  // ---- The drawing.

  const graph = byId("graph");
  const edgeLayer = draw("g"), nodeLayer = draw("g");
  const edgeElements = [], nodeElements = [];

  function dashes(confidence) {
    return confidence >= 0.75 ? "" : confidence >= 0.5 ? "9 5" : "2.5 5";
  }
  const thickness = (confidence) => 1 + 3 * confidence;

  function buildDrawing() {
    const { x, y, w, h, size } = view.drawing;
    graph.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    graph.append(edgeLayer, nodeLayer);
    view.edges.forEach((edge, index) => {
      const ink = draw("path", { class: "ink", d: edge.d, "stroke-width": thickness(edge.p).toFixed(2) });
      if (dashes(edge.p)) ink.setAttribute("stroke-dasharray", dashes(edge.p));
      const group = draw("g", { class: "edge", role: "button", tabindex: "-1", "data-edge": index },
        draw("title"), draw("path", { class: "halo", d: edge.d }), ink, draw("path", { class: "head" }),
        draw("path", { class: "hit", d: edge.d }), draw("text", { x: edge.k[0], y: edge.k[1] }, confidence(edge.p, 2)));
      group.addEventListener("click", () => choose(index));
      group.addEventListener("keydown", (event) => edgeKey(event, index));
      edgeElements.push(group);
      edgeLayer.append(group);
    });
    view.nodes.forEach((node, v) => {
      const group = draw("g", { class: "node", transform: `translate(${x[v]},${y[v]})` },
        draw("title", {}, `${node.name}: ${node.states.map((s, k) => `${s} ${percent(node.shares[k])}`).join(", ")}`),
        draw("rect", { x: -w[v] / 2, y: -h / 2, width: w[v], height: h, rx: 7 }),
        draw("text", {}, node.label));
      group.addEventListener("click", () => chooseNode(state.node === v ? null : v));
      nodeElements.push(group);
      nodeLayer.append(group);
    });
    scaleTo(null);
  }

  function arrow(path, atEnd, width) {
    const total = path.getTotalLength();
    const tip = path.getPointAtLength(atEnd ? total : 0);
    const back = path.getPointAtLength(atEnd ? Math.max(0, total - 9) : Math.min(total, 9));
    const angle = Math.atan2(tip.y - back.y, tip.x - back.x);
    const length = 9 + width, half = 3.6 + width * 0.8;
    const corner = (along, aside) =>
      `${(tip.x - along * Math.cos(angle) - aside * Math.sin(angle)).toFixed(1)},${(tip.y - along * Math.sin(angle) + aside * Math.cos(angle)).toFixed(1)}`;
    return `M${tip.x.toFixed(1)},${tip.y.toFixed(1)}L${corner(length, half)}L${corner(length, -half)}Z`;
  }

  function settled(edge, arc) {
    return (arc.tail === edge.a ? edge.f : edge.r) / edge.p >= SETTLED;
  }

  function nameOf(edge, arc) { // the more credible direction first, as in the table
    if (arc && arc.fate === "kept") return `${name(arc.tail)} → ${name(arc.head)}`;
    const [tail, head] = edge.r > edge.f ? [edge.b, edge.a] : [edge.a, edge.b];
    return `${name(tail)} — ${name(head)}`;
  }

  function stateOf(index) {
    const arc = state.consensus.get(index);
    return !arc ? "below the cut-off" : arc.fate === "dropped" ? "left out: it would close a cycle"
      : arc.fate === "limited" ? "left out: too many parents" : arc.fate === "undirected" ? "in the network, direction open" : "in the network";
  }

  function redraw() {
    state.consensus = consensus(state.threshold);
    view.edges.forEach((edge, index) => {
      const arc = state.consensus.get(index), group = edgeElements[index];
      const shown = inNetwork(arc);
      group.setAttribute("display", shown ? "inline" : "none");
      if (!shown) return;
      const head = group.querySelector(".head");
      if (arc.fate === "kept") {
        head.setAttribute("d", arrow(group.querySelector(".ink"), arc.head === edge.b, thickness(edge.p)));
        head.setAttribute("class", settled(edge, arc) ? "head" : "head open");
      } else head.removeAttribute("d");
      const label = `${nameOf(edge, arc)}, confidence ${confidence(edge.p)}, ${stateOf(index)}`;
      group.setAttribute("aria-label", label);
      group.querySelector("title").textContent = label;
      group.querySelector("text").setAttribute("display", byId("numbers").checked ? "inline" : "none");
    });
    const shown = visibleEdges();
    const current = shown.includes(state.chosen) ? state.chosen : shown[0];
    for (const index of view.edges.keys()) edgeElements[index].setAttribute("tabindex", index === current ? "0" : "-1");
    const dropped = [...state.consensus.values()].filter((arc) => arc.fate === "dropped").length;
    const words = `${plural(shown.length, "edge", "edges")} in the network at a cut-off of ${fixed(state.threshold, 3)}` +
      (dropped ? `; ${dropped} more would close a cycle and ${dropped === 1 ? "is" : "are"} left out` : "") + ".";
    if (byId("status").textContent !== words) byId("status").textContent = words;
    fade();
    refreshExpected();
    refreshTable();
    if (state.chosen !== null) refreshBadge();
  }

  // How many of the edges above the cut-off are expected to be false, and how many real ones below it.
  function refreshExpected() {
    const place = byId("expected");
    if (!place) return;
    const above = view.edges.filter((edge) => edge.p > state.threshold), below = view.edges.filter((edge) => !(edge.p > state.threshold));
    const wrong = above.reduce((sum, edge) => sum + 1 - edge.o, 0);
    const missed = below.reduce((sum, edge) => sum + edge.o, view.unseen);
    place.textContent = `Of ${above.length} edges above it, expect ${wrong.toFixed(1)} to be false; about ${missed.toFixed(0)} real ones are below.`;
  }

  const visibleEdges = () =>
    [...view.edges.keys()].filter((index) => inNetwork(state.consensus.get(index)));

  function fade() {
    const node = state.node;
    const crowded = state.chosen !== null && visibleEdges().length > 40; // then a chosen edge needs the others to recede
    view.edges.forEach((edge, index) => {
      const aside = node !== null ? edge.a !== node && edge.b !== node : crowded && index !== state.chosen;
      edgeElements[index].classList.toggle("faded", aside);
      edgeElements[index].classList.toggle("chosen", index === state.chosen);
    });
    const near = new Set();
    if (node !== null) {
      for (const index of visibleEdges()) {
        const edge = view.edges[index];
        if (edge.a === node) near.add(edge.b);
        if (edge.b === node) near.add(edge.a);
      }
    }
    const ends = state.chosen === null ? [] : [view.edges[state.chosen].a, view.edges[state.chosen].b];
    nodeElements.forEach((element, v) => {
      element.classList.toggle("chosen", v === node);
      element.classList.toggle("near", near.has(v) || ends.includes(v));
      element.classList.toggle("faded", node !== null && v !== node && !near.has(v));
    });
  }

  function edgeKey(event, index) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(index);
      byId("details").focus();
      return;
    }
    const shown = visibleEdges(), at = shown.indexOf(index);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = shown[Math.max(0, Math.min(shown.length - 1, to))];
    for (const i of shown) edgeElements[i].setAttribute("tabindex", i === next ? "0" : "-1");
    edgeElements[next].focus();
  }

  function scaleTo(scale) {
    const [width, height] = view.drawing.size;
    const room = byId("scroll").clientWidth - 4;
    const fitting = Math.min(1.6, room / width, Math.max(1, (0.8 * innerHeight) / height)); // small ones may grow
    state.scale = scale === null ? Math.max(0.8, fitting) : Math.max(0.25, Math.min(3, scale));
    graph.setAttribute("width", (width * state.scale).toFixed(0));
    graph.setAttribute("height", (height * state.scale).toFixed(0));
  }

  function buildLegend() {
    const line = (confidence, text, head) => {
      const icon = draw("svg", { width: 46, height: 16, "aria-hidden": "true", class: "edge" });
      const ink = draw("path", { class: "ink", d: head ? "M2,8L34,8" : "M2,8L44,8", "stroke-width": thickness(confidence) });
      if (dashes(confidence)) ink.setAttribute("stroke-dasharray", dashes(confidence));
      icon.append(ink);
      if (head) icon.append(draw("path", { class: head, d: "M45,8L33,3L33,13Z" }));
      return make("li", {}, icon, text);
    };
    byId("legend").append(
      line(1, "confidence 0.75 or more (wider: more)"), line(0.6, "0.5 to 0.75"), line(0.3, "below 0.5"),
      line(0.8, "direction settled by the data", "head"), line(0.8, "direction leaning this way", "head open"),
      line(0.8, "no arrow head: either way"));
  }

  // ---- The controls.

  function setThreshold(value) {
    state.threshold = Math.max(view.floor, Math.min(1, value));
    byId("threshold").value = state.threshold;
    byId("threshold-value").textContent = fixed(state.threshold, 3);
    byId("threshold").setAttribute("aria-valuetext", `cut-off ${fixed(state.threshold, 3)}`);
    for (const button of byId("marks").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Math.abs(Number(button.dataset.value) - state.threshold) < 1e-6));
    }
    const byCost = Math.abs(Math.max(view.floor, cutoffAt(state.cost)) - state.threshold) < 1e-6;
    byId("cost-help").textContent = byCost ? `Best cut-off at this cost: ${fixed(state.threshold, 3)}.`
      : `The best cut-off at this cost is ${fixed(cutoffAt(state.cost), 3)}; another one is set.`;
    redraw();
  }

  function cutoffAt(power) { // between the given powers the cut-off changes evenly
    const last = view.powers.length - 1;
    const at = Math.max(0, Math.min(last, ((power - view.powers[0]) / (view.powers[last] - view.powers[0])) * last));
    const low = Math.floor(at), high = Math.ceil(at);
    return view.cutoffs[low] + (view.cutoffs[high] - view.cutoffs[low]) * (at - low);
  }

  function setCost(power) {
    state.cost = power;
    byId("cost").value = power;
    const words = short(2 ** power);
    byId("cost-value").textContent = `${words} extra ${words === "1" ? "edge" : "edges"}`;
    byId("cost").setAttribute("aria-valuetext", byId("cost-value").textContent);
  }

  function buildMarks() {
    for (const rule of [...view.rules].sort((s, t) => s.value - t.value)) {
      const button = make("button", { type: "button", "data-value": rule.value, "aria-pressed": "false",
        title: `${rule.label}, ${fixed(rule.value, 3)}: ${rule.meaning}`,
        "aria-label": `${rule.label}: cut-off ${fixed(rule.value, 3)}` }, `${rule.label} ${fixed(rule.value)}`);
      button.addEventListener("click", () => setThreshold(rule.value));
      byId("marks").append(make("span", { class: "stem" }), button);
    }
    placeMarks();
    addEventListener("resize", placeMarks);
  }

  function placeMarks() { // below the slider, in as many rows as they need not to overlap
    const marks = byId("marks"), width = marks.clientWidth, low = view.floor, ends = [], height = 27;
    for (const button of marks.querySelectorAll("button")) {
      const place = Math.max(0, Math.min(1, (Number(button.dataset.value) - low) / (1 - low))) * width;
      const half = button.offsetWidth / 2, left = Math.max(0, Math.min(width - 2 * half, place - half));
      let row = ends.findIndex((end) => end < left - 4);
      if (row < 0) row = ends.push(0) - 1;
      ends[row] = left + 2 * half;
      button.style.left = `${left.toFixed(1)}px`;
      button.style.top = `${row * height + 5}px`;
      button.previousSibling.style.left = `${place.toFixed(1)}px`;
      button.previousSibling.style.height = `${row * height + 6}px`;
    }
    marks.style.height = `${ends.length * height + 6}px`;
  }

  // ---- The details of an edge.

  function choose(index) {
    state.chosen = index;
    state.node = null;
    const edge = view.edges[index];
    const body = byId("details-body");
    byId("details").classList.remove("empty");
    const badges = make("p", {}, make("span", { class: "badge", id: "badge" }));
    if (edge.s === "disagree" || edge.s === "differ") {
      badges.append(" ", make("span", { class: "badge flag" }, edge.s === "disagree" ? "methods disagree" : "methods differ in strength"));
    }
    body.replaceChildren(badges);
    for (const said of edge.w) body.append(make("p", {}, typeof said === "number" ? view.phrases[said] : said));
    body.append(make("h4", {}, "Confidence by method and score"), methodTable(edge));
    body.append(make("h4", {}, "Direction"), directionTable(edge));
    body.append(make("h4", {}, "Effect"), effectTable(edge, edge.t), effectTable(edge, edge.t === edge.a ? edge.b : edge.a));
    const full = networkTable(edge);
    if (full) body.append(...full);
    if (edge.q.length) body.append(make("h4", {}, "Dependence on the strength of the prior"), priorChart(edge), priorNote(edge));
    refreshBadge();
    fade();
    for (const row of rows) row.classList.toggle("chosen", Number(row.dataset.edge) === index);
  }

  function offerEdges() { // before an edge is chosen: those that need a second look, else the most certain ones
    const shown = visibleEdges(), doubtful = shown.filter((index) => view.edges[index].s === "disagree");
    const offered = (doubtful.length ? doubtful : shown).slice(0, 8);
    if (!offered.length) return;
    const list = make("ul", { class: "offers" });
    for (const index of offered) {
      const button = make("button", { type: "button" }, `${nameOf(view.edges[index], state.consensus.get(index))} ${confidence(view.edges[index].p)}`);
      button.addEventListener("click", () => { choose(index); byId("details").focus(); });
      list.append(make("li", {}, button));
    }
    const more = (doubtful.length || shown.length) - offered.length;
    byId("details-body").append(make("h4", {}, doubtful.length ? "Take care: methods disagree here" : "The most certain"), list);
    if (more > 0) byId("details-body").append(make("p", { class: "help" }, `and ${more} more in the table`));
  }

  function refreshBadge() {
    const edge = view.edges[state.chosen];
    byId("details-title").textContent = nameOf(edge, state.consensus.get(state.chosen));
    byId("badge").textContent = `confidence ${confidence(edge.p)}${edge.e > 0 ? ` ± ${fixed(2 * edge.e)}` : ""}${edge.o === undefined ? "" : `, probability ${confidence(edge.o, 2)}`}, ${stateOf(state.chosen)}`;
  }

  function bar(share) {
    const filled = make("span", { class: "bar" });
    filled.style.width = `${(100 * share).toFixed(1)}%`;
    return make("span", { class: "track", "aria-hidden": "true" }, filled);
  }

  function shareTable(caption, entries, show) {
    const table = make("table", {}, make("caption", {}, caption));
    const rows = make("tbody");
    for (const [label, share] of entries) {
      rows.append(make("tr", {}, make("th", { scope: "row" }, label),
        make("td", { class: "number" }, share === null ? "–" : show(share)), make("td", {}, share === null ? "" : bar(share))));
    }
    table.append(rows);
    return table;
  }

  function methodTable(edge) {
    return shareTable("The first is the one that the network rests on.", view.methods.map((title, k) => [title, edge.m[k]]), confidence);
  }

  const sharesOf = (edge) => (edge.p > 0 ? [edge.f / edge.p, edge.r / edge.p, edge.u / edge.p] : [0, 0, 0]);

  function directionTable(edge) {
    const [forward, backward, either] = sharesOf(edge);
    return shareTable("If there is an edge: the shares of the networks that have it.", [
      [`${name(edge.a)} → ${name(edge.b)}`, forward], [`${name(edge.b)} → ${name(edge.a)}`, backward],
      ["either way", either]], percent);
  }

  function effectTable(edge, from) {
    const to = from === edge.a ? edge.b : edge.a;
    const counts = from === edge.t ? edge.c : edge.c[0].map((_, k) => edge.c.map((row) => row[k]));
    const table = make("table", {}, make("caption", {}, `Share of the cases in each state of ${name(to)}, by ${name(from)}.`));
    const head = make("tr", {}, make("th", { scope: "col" }, name(from)));
    for (const label of view.nodes[to].states) head.append(make("th", { scope: "col", class: "number" }, label));
    head.append(make("th", { scope: "col", class: "number" }, "cases"));
    const body = make("tbody");
    counts.forEach((row, k) => {
      const total = row.reduce((sum, count) => sum + count, 0);
      const line = make("tr", {}, make("th", { scope: "row" }, view.nodes[from].states[k]));
      for (const count of row) line.append(make("td", { class: "number" }, total ? percent(count / total) : "–"));
      line.append(make("td", { class: "number" }, total.toLocaleString("en")));
      body.append(line);
    });
    table.append(make("thead", {}, head), body);
    return make("div", { class: "small", tabindex: "0", role: "region", "aria-label": `Effect of ${name(from)} on ${name(to)}` }, table);
  }

  function networkTable(edge) {
    const child = view.parents[edge.b].includes(edge.a) ? edge.b : view.parents[edge.a].includes(edge.b) ? edge.a : null;
    if (child === null || view.parents[child].length < 2) return null;
    const parents = view.parents[child], probabilities = view.tables[child];
    const title = make("h4", {}, `${name(child)} given all its parents in the recommended network`);
    if (probabilities === null) {
      return [title, make("p", { class: "help" }, `The table over ${parents.map(name).join(", ")} is too large to show; it is in network.bif.`)];
    }
    const table = make("table", {}, make("caption", {}, "Fitted probabilities."));
    const head = make("tr");
    for (const p of parents) head.append(make("th", { scope: "col" }, name(p)));
    for (const label of view.nodes[child].states) head.append(make("th", { scope: "col", class: "number" }, label));
    const body = make("tbody");
    probabilities.forEach((row, configuration) => {
      const line = make("tr");
      let rest = configuration;
      const codes = parents.map(() => 0);
      for (let k = parents.length - 1; k >= 0; k -= 1) {
        const count = view.nodes[parents[k]].states.length;
        codes[k] = rest % count;
        rest = Math.floor(rest / count);
      }
      codes.forEach((code, k) => line.append(make("th", { scope: "row" }, view.nodes[parents[k]].states[code])));
      for (const value of row) line.append(make("td", { class: "number" }, percent(value)));
      body.append(line);
    });
    table.append(make("thead", {}, head), body);
    return [title, make("div", { class: "small", tabindex: "0", role: "region", "aria-label": title.textContent }, table)];
  }

  function priorChart(edge) {
    const width = 360, height = 170, left = 52, right = 10, top = 10, bottom = 36;
    const logs = view.ess.map(Math.log10);
    const [first, last] = [logs[0], logs[logs.length - 1]];
    const squeeze = (value) => Math.sign(value) * Math.log10(1 + Math.abs(value)); // the curve spans orders of magnitude
    const values = edge.q.map(squeeze);
    const low = Math.min(0, ...values), high = Math.max(0, ...values) || 1;
    const px = (value) => left + ((value - first) / (last - first)) * (width - left - right);
    const py = (value) => top + ((high - value) / (high - low || 1)) * (height - top - bottom);
    const chart = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "Support for the arc over the strength of the prior. Above zero the score prefers the network with the arc." });
    for (let power = Math.ceil(first); power <= last; power += 2) {
      chart.append(draw("line", { class: "grid", x1: px(power), x2: px(power), y1: top, y2: height - bottom }));
      chart.append(draw("text", { class: "middle", x: px(power), y: height - bottom + 16 }, power === 0 ? "1" : power < 0 ? `${10 ** power}` : (10 ** power).toLocaleString("en")));
    }
    chart.append(draw("line", { class: "zero", x1: left, x2: width - right, y1: py(0), y2: py(0) }));
    const ticks = [0];
    for (const sign of [1, -1]) for (const size of [1, 10, 100, 1000, 10000]) {
      const at = squeeze(sign * size);
      if (at < high * 1.001 && at > low * 1.001 && Math.abs(py(at) - py(0)) > 14) ticks.push(sign * size);
    }
    for (const tick of ticks) chart.append(draw("text", { class: "end", x: left - 6, y: py(squeeze(tick)) + 4 }, String(tick)));
    chart.append(draw("path", { class: "line s0", d: values.map((value, k) => `${k ? "L" : "M"}${px(logs[k]).toFixed(1)},${py(value).toFixed(1)}`).join("") }));
    chart.append(draw("text", { class: "label middle", x: (left + width - right) / 2, y: height - 4 }, "strength of the prior (imagined cases, ESS)"));
    return chart;
  }

  function priorNote(edge) {
    const head = edge.t === edge.a ? edge.b : edge.a;
    const given = edge.g.length ? `, over and above ${edge.g.map(name).join(", ")}` : "";
    return make("p", { class: "help" }, `The height is the support of BDeu for ${name(edge.t)} → ${name(head)}${given} (log Bayes factor, squeezed scale): above zero it prefers the network with the arc, below zero the one without. The strength of the prior is how many imagined cases it adds to the data; 1 to 50 are usual.`);
  }

  // ---- The table of edges.

  const tableBody = byId("edge-table").tBodies[0];
  const rows = [...tableBody.rows];
  const headers = [...byId("edge-table").tHead.querySelectorAll("th[data-key]")];
  let order = { key: "present", down: true };

  function valueOf(row, key) {
    const edge = view.edges[Number(row.dataset.edge)];
    const known = edge.m.filter((value) => value !== null);
    const [forward, backward, either] = sharesOf(edge);
    return { name: nameOf(edge).toLowerCase(), present: edge.p, probability: edge.o, forward: Math.max(forward, backward), backward: Math.min(forward, backward),
      undirected: either, low: Math.min(...known), high: Math.max(...known), agreement: edge.s,
      state: row.querySelector(".state").textContent, origin: row.querySelector(".origin")?.textContent }[key];
  }

  function refreshTable() {
    const wanted = byId("filter").value.trim().toLowerCase(), only = byId("only").checked;
    let count = 0;
    for (const row of rows) {
      const index = Number(row.dataset.edge), edge = view.edges[index], arc = state.consensus.get(index);
      const inside = inNetwork(arc);
      row.querySelector(".state").textContent = !arc ? "no" : arc.fate === "dropped" ? "left out (cycle)" : arc.fate === "limited" ? "left out (parents)" : arc.fate === "undirected" ? "yes, open" : "yes";
      row.querySelector("button").textContent = nameOf(edge, arc);
      const matches = !wanted || name(edge.a).toLowerCase().includes(wanted) || name(edge.b).toLowerCase().includes(wanted);
      const hidden = !matches || (only && !inside);
      row.classList.toggle("hidden", hidden);
      count += hidden ? 0 : 1;
    }
    const words = `${plural(count, "edge", "edges")} listed.`;
    if (byId("table-status").textContent !== words) byId("table-status").textContent = words;
  }

  function sortBy(key) {
    order = { key, down: order.key === key ? !order.down : !["name", "state", "agreement", "origin"].includes(key) };
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
      const button = make("button", { type: "button" }, th.textContent);
      button.addEventListener("click", () => sortBy(th.dataset.key));
      th.replaceChildren(button);
    }
    for (const row of rows) {
      const index = Number(row.dataset.edge);
      const button = make("button", { type: "button" }, row.cells[0].textContent);
      row.cells[0].replaceChildren(button);
      row.addEventListener("click", () => { choose(index); edgeElements[index].scrollIntoView({ block: "nearest", inline: "nearest" }); });
    }
    byId("filter").addEventListener("input", refreshTable);
    byId("only").addEventListener("change", refreshTable);
  }

  function chooseNode(v) {
    state.node = v;
    byId("filter").value = v === null ? "" : name(v);
    fade();
    refreshTable();
  }

  // ---- Start.

  for (const id of ["controls", "table-controls"]) byId(id).hidden = false;
  byId("details").classList.add("empty");
  byId("numbers").checked = view.edges.filter((edge) => edge.p > view.threshold).length <= 30;
  buildTable();
  buildDrawing();
  buildLegend();
  buildMarks();
  setCost(Math.log2(view.cost));
  setThreshold(view.threshold);
  offerEdges();
  placeMarks(); // once more, now that all texts have their width
  byId("threshold").addEventListener("input", (event) => setThreshold(Number(event.target.value)));
  byId("cost").addEventListener("input", (event) => {
    setCost(Number(event.target.value));
    setThreshold(cutoffAt(state.cost));
  });
  byId("numbers").addEventListener("change", redraw);
  byId("reset").addEventListener("click", () => { setCost(Math.log2(view.cost)); setThreshold(view.threshold); });
  byId("fit").addEventListener("click", () => scaleTo((byId("scroll").clientWidth - 4) / view.drawing.size[0]));
  byId("larger").addEventListener("click", () => scaleTo(state.scale * 1.25));
  byId("smaller").addEventListener("click", () => scaleTo(state.scale / 1.25));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && state.node !== null) chooseNode(null); });
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = byId(button.dataset.target).textContent, label = button.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        const range = document.createRange();
        range.selectNodeContents(byId(button.dataset.target));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = label; }, 2500);
    });
  }
})();
