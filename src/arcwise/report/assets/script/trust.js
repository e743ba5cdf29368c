// ---- How an edge looks: its line says what all methods together find, its width how probable it is.

const TRUST = {
  agreed: { words: "every method supports it", dashes: "" },
  varied: { words: "every method supports it, not all as clearly", dashes: "16 4" },
  disputed: { words: "methods disagree", dashes: "7 5" },
  weak: { words: "no method finds it likely", dashes: "2 5" },
  alone: { words: "not compared", dashes: null }, // then the confidence breaks the line
  guess: { words: "a guess: there are too few networks to tell", dashes: "5 4" },
};

const GUESSED = 0.35; // as how probable the edges of too few networks are drawn
const real = (edge) => (view.few ? GUESSED : edge.probability === undefined ? edge.confidence : edge.probability); // its probability, or else its confidence
const shownShare = (edge) => (view.few ? `in ${Math.round(edge.confidence * view.few)} of ${view.few} network${view.few === 1 ? "" : "s"}` : `confidence ${confidence(edge.confidence)}`);
const thickness = (probability) => 0.8 + 3.6 * probability;

function dashesOf(trust, present) {
  const own = TRUST[trust].dashes;
  return own !== null ? own : present >= 0.75 ? "" : present >= 0.5 ? "9 5" : "2 5";
}

function counted() { // how many edges of the network each verdict has
  const counts = { agreed: 0, varied: 0, disputed: 0, weak: 0, alone: 0, guess: 0 };
  for (const index of visibleEdges()) counts[view.edges[index].trust] += 1;
  return counts;
}

function settledBy() {
  const said = view.edges.some((edge) => edge.said_way), found = view.edges.some((edge) => edge.settled && !edge.said_way);
  return !said ? "the data" : found ? "the data, or by what you said" : "what you said";
}

function buildLegend() {
  const line = (kind, text, { head = null, wide = 0.8, present = 1 } = {}) => {
    const icon = draw("svg", { width: 52, height: 16, "aria-hidden": "true", class: `edge ${kind}` });
    const ink = draw("path", { class: "ink", d: head ? "M2,8L40,8" : "M2,8L50,8", "stroke-width": thickness(wide) });
    if (dashesOf(kind, present)) ink.setAttribute("stroke-dasharray", dashesOf(kind, present));
    icon.append(ink);
    if (head) icon.append(draw("path", { class: head, d: "M51,8L39,3L39,13Z" }));
    return make("li", {}, icon, text);
  };
  const kinds = new Set(view.edges.map((edge) => edge.trust));
  const items = Object.keys(TRUST).filter((kind) => kind !== "alone" && kinds.has(kind)).map((kind) => line(kind, TRUST[kind].words));
  if (kinds.has("alone") && kinds.size === 1) {
    items.push(line("alone", "confidence 0.75 or more"), line("alone", "0.5 to 0.75", { present: 0.6 }), line("alone", "below 0.5", { present: 0.3 }));
  } else if (kinds.has("alone")) items.push(line("alone", "not compared: your own word"));
  if (!view.few) items.push(line("alone", "thin: not probable", { wide: 0.15 }), line("alone", `direction settled by ${settledBy()}`, { head: "head" }));
  items.push(line("alone", view.few ? "direction of the network" : "leaning this way", { head: "head open" }), line("alone", "no arrow head: either way"));
  byId("legend").append(...items);
}
