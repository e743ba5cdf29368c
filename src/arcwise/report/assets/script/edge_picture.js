// ---- The picture of an edge at a number: points or cells with a curve, or a box for each state of the other variable.

const PICTURE = { width: 360, height: 230, left: 52, right: 10, top: 10, bottom: 40 };
const FINE = 999; // places in a picture are whole numbers up to this
const MOST_LETTERS = 9; // of a state below its box

function roundTicks(low, high, count = 4) { // round numbers between two others
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((m) => power * m >= raw * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  return found;
}
const numeral = (value) => (Math.abs(value) < 1e-12 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1) : Number(value.toPrecision(4)).toLocaleString("en"));
const clipped = (label) => (label.length > MOST_LETTERS ? `${label.slice(0, MOST_LETTERS - 1)}…` : label);

function emptyPicture(words, yRange, yName, xName) { // the frame with the axis of numbers on the left
  const { width, height, left, right, top, bottom } = PICTURE;
  const svg = draw("svg", { class: "chart pair", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
  const py = (value) => top + ((yRange[1] - value) / (yRange[1] - yRange[0] || 1)) * (height - top - bottom);
  for (const tick of roundTicks(...yRange)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: py(tick).toFixed(1), y2: py(tick).toFixed(1) }),
      draw("text", { class: "end", x: left - 6, y: (py(tick) + 4).toFixed(1) }, numeral(tick)));
  }
  svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    draw("text", { class: "label middle", x: (left + width - right) / 2, y: height - 4 }, label(xName)),
    draw("text", { class: "label middle", transform: "rotate(-90)", x: -(top + height - bottom) / 2, y: 12 }, label(yName)));
  return { svg, py };
}
const label = (v) => view.nodes[v].label;

function scatter(shown) {
  const { width, height, left, right, top, bottom } = PICTURE;
  const wide = width - left - right, tall = height - top - bottom;
  const how = shown.points ? "a point for each row" : "darker where there are more rows";
  const curved = shown.curve ? "; the line is the mean, smoothed" : "";
  const words = `${name(shown.y)} over ${name(shown.x)}: ${how}${curved}.`;
  const { svg } = emptyPicture(words, shown.ys, shown.y, shown.x);
  for (const tick of roundTicks(...shown.xs)) {
    const x = left + ((tick - shown.xs[0]) / (shown.xs[1] - shown.xs[0] || 1)) * wide;
    svg.append(draw("line", { class: "axis", x1: x.toFixed(1), x2: x.toFixed(1), y1: height - bottom, y2: height - bottom + 4 }),
      draw("text", { class: "middle", x: x.toFixed(1), y: height - bottom + 16 }, numeral(tick)));
  }
  const px = (place) => (left + (place / FINE) * wide).toFixed(1), py = (place) => (top + (1 - place / FINE) * tall).toFixed(1);
  if (shown.points) {
    for (let k = 0; k < shown.points.length; k += 2) svg.append(draw("circle", { class: "dot case", cx: px(shown.points[k]), cy: py(shown.points[k + 1]), r: 2 }));
  } else {
    const [across, up] = shown.grid, most = Math.max(...shown.cells.filter((_, k) => k % 3 === 2));
    for (let k = 0; k < shown.cells.length; k += 3) {
      svg.append(draw("rect", { class: "cell", x: (left + (shown.cells[k] / across) * wide).toFixed(1), y: (top + (1 - (shown.cells[k + 1] + 1) / up) * tall).toFixed(1),
        width: (wide / across).toFixed(1), height: (tall / up).toFixed(1), "fill-opacity": (0.1 + 0.9 * Math.sqrt(shown.cells[k + 2] / most)).toFixed(2) }));
    }
  }
  if (shown.curve) {
    const last = shown.curve.length / 2 - 1;
    let path = "";
    for (let k = 0; k <= last; k += 1) path += `${k ? "L" : "M"}${px(shown.curve[2 * k])},${py(Math.min(FINE, Math.max(0, shown.curve[2 * k + 1])))}`;
    svg.append(draw("path", { class: "line curve", d: path }));
  }
  return [svg, words];
}

function boxes(shown) {
  const { width, height, left, right, bottom } = PICTURE;
  const ends = shown.quantiles.flat(), room = 0.05 * (Math.max(...ends) - Math.min(...ends));
  const out = shown.out ? ` ${plural(shown.out, "rarer state is", "rarer states are")} left out.` : "";
  const words = `${name(shown.y)} by ${name(shown.x)}: the box holds the middle half of the rows, the line in it is the median, the point the mean; the whiskers leave 5% out at either end.${out}`;
  const told = shown.states.map((state, k) => `${state}: median ${numeral(shown.quantiles[k][2])}, half from ${numeral(shown.quantiles[k][1])} to ${numeral(shown.quantiles[k][3])}`).join("; ");
  const { svg, py } = emptyPicture(`${words} ${told}.`, [Math.min(...ends) - room, Math.max(...ends) + room], shown.y, shown.x);
  const each = (width - left - right) / shown.states.length, half = Math.min(18, 0.32 * each);
  const crowded = shown.states.some((state) => 7 * clipped(state).length > each); // then every other label is lower
  shown.states.forEach((state, k) => {
    const x = left + (k + 0.5) * each, [low, lower, middle, upper, high] = shown.quantiles[k].map(py);
    const group = draw("g", { class: "box" }, draw("title", {}, `${state}: ${shown.cases[k].toLocaleString("en")} ${shown.cases[k] === 1 ? "row" : "rows"}`),
      draw("path", { class: "whisker", d: `M${x},${low}V${lower}M${x},${upper}V${high}` }),
      draw("rect", { x: x - half, y: upper, width: 2 * half, height: Math.max(0.5, lower - upper) }),
      draw("path", { class: "median", d: `M${x - half},${middle}H${x + half}` }),
      draw("circle", { class: "mean", cx: x, cy: py(shown.means[k]), r: 2.6 }));
    svg.append(group, draw("text", { class: "middle", x, y: height - bottom + 15 + (crowded && k % 2 ? 10 : 0) }, clipped(state)));
  });
  return [svg, words];
}

function edgePicture(edge) {
  const [svg, words] = (edge.picture.states ? boxes : scatter)(edge.picture);
  return [svg, make("p", { class: "help" }, words)];
}
