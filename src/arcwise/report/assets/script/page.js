// ---- The page: what it was given, small makers, and numbers in words. Text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const view = JSON.parse(document.getElementById("payload").textContent);
const byId = (id) => document.getElementById(id);
// What the reader has chosen: a cut-off and a cost; an edge or a variable; the whole network or what is around a variable.
const state = { threshold: view.threshold, cost: 0, chosen: null, node: null, around: null, part: null, consensus: new Map() };

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}
function press(label, act, attributes = {}) { // a button
  const button = make("button", { type: "button", ...attributes }, label);
  button.addEventListener("click", act);
  return button;
}
function say(id, words) { // what is said already is not said again, for those who listen to the page
  if (byId(id).textContent !== words) byId(id).textContent = words;
}

const name = (v) => view.nodes[v].name;
const fixed = (value, digits = 2) => value.toFixed(digits);
function confidence(value, digits = 3) { // 1 is shown only for every network, 0 only for none
  const text = fixed(value, digits);
  if (value < 1 && Number(text) >= 1) return `>${fixed(1 - 10 ** -digits, digits)}`;
  if (value > 0 && Number(text) <= 0) return `<${fixed(10 ** -digits, digits)}`;
  return text;
}
// As Python rounds, so that tables agree with sentences: halves go to the even number.
const hundredths = (share) => ((100 * share) % 1 === 0.5 ? 2 * Math.round(50 * share) : Math.round(100 * share));
const percent = (share) =>
  share > 0 && share < 0.005 ? "under 1%" : share >= 0.995 && share < 1 ? "over 99%" : `${hundredths(share)}%`;
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const short = (value) => (value >= 10 ? value.toFixed(0) : Number(value.toPrecision(2)).toString());
