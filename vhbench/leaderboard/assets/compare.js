"use strict";
const pick = document.querySelector("#pick"), result = document.querySelector("#result");
const { models, editions, verdicts } = board.names;
const significant = (verdict) => verdict === "better" || verdict === "worse";
// One decimal, or what is left of a number that is not 0.
const digits = (v) => v !== 0 && Math.abs(v) < 0.05 ? String(Math.abs(v)) : Math.abs(v).toFixed(1);
const signed = (v) => `${v > 0 ? "+" : v < 0 ? "−" : ""}${digits(v)}`;
const shown = (v) => v === null ? "–" : (v / 10).toFixed(1);

function whisker([value, low, high, verdict], reach) {
  const at = (v) => `${(50 + 50 * v / reach).toFixed(2)}%`;
  return make("svg", { class: `bar difference ${significant(verdict) ? (value > 0 ? "first" : "second") : "open"}`, "aria-hidden": "true" },
    make("line", { class: "blind", x1: "50%", x2: "50%", y1: "0", y2: "100%" }),
    make("line", { class: "whisker", x1: at(low), x2: at(high), y1: "50%", y2: "50%" }),
    make("circle", { cx: at(value), cy: "50%", r: "4.5" }));
}

function row(name, values, [a, b], pair, reach) {
  const [value, low, high, verdict] = pair, known = value !== null && low !== null;
  return make("tr", {},
    make("th", { scope: "row" }, name),
    make("td", { class: "num" }, shown(values[0])),
    make("td", { class: "num" }, shown(values[1])),
    make("td", { class: "num" }, ...(value === null ? ["–"] : [make("span", { class: "value" }, signed(value)), " ",
      make("span", { class: "interval" }, known ? `${signed(low)} to ${signed(high)}` : "one image only")])),
    make("td", { class: "barcell" }, known ? whisker(pair, reach) : null),
    make("td", { class: significant(verdict) ? "" : "muted" }, ...(significant(verdict) ? [make("bdi", {}, models[a][1]), ` is ${verdict}`] : [verdict])));
}

// The four numbers of each part for the second model: value, low, high in points, and the verdict.
function pairsOf(edition, numbers, b) {
  const at = 4 * edition.members.indexOf(b);
  return numbers.map((part) => part.slice(at, at + 4).map((v, i) => i === 3 ? verdicts[v] : v === null ? v : v / 10));
}

function section(edition, numbers, a, b) {
  const pairs = pairsOf(edition, numbers, b);
  const ends = pairs.flatMap(([, low, high]) => low === null ? [] : [Math.abs(low), Math.abs(high)]);
  const reach = 5 * Math.ceil(Math.max(...ends, 1) / 5);
  const places = [a, b].map((m) => edition.members.indexOf(m));
  const body = make("tbody");
  edition.parts.forEach((part, i) => body.append(row(part, places.map((p) => edition.values[i][p]), [a, b], pairs[i], reach)));
  body.rows[0].className = "all";
  const heads = ["Questions", models[a][1], models[b][1], "Difference in points", "", "Verdict"];
  const head = make("tr", {}, ...heads.map((h, i) => h ? make("th", { scope: "col", class: i > 0 && i < 4 ? "num" : "" }, make("bdi", {}, h), i === 1 || i === 2 ? make("small", {}, models[i === 1 ? a : b][3]) : null)
    : make("td", { class: "barhead" }, make("span", {}, `−${reach}`), make("span", {}, `+${reach}`))));
  const query = new URLSearchParams({ b: edition.name, show: "differ", x: models[a][0], y: models[b][0] });
  const link = edition.hidden ? null : make("a", { href: `examples.html?${query}` }, "differing responses");
  return make("section", {}, make("h2", {}, edition.title, " ", make("small", {}, ...(link ? [link] : []))),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${edition.title}: differences` },
      make("table", { class: "board compare" }, make("thead", {}, head), body)));
}

// One sentence for each edition: which model is better, by how much, or that the verdict is open.
function sentence(edition, numbers, a, b) {
  const [value, low, high, verdict] = pairsOf(edition, numbers, b)[0];
  if (!significant(verdict)) return make("li", {}, `${edition.title}: ${verdict}.`);
  const ends = value > 0 ? [low, high] : [-high, -low], first = verdict === "better" ? a : b;
  return make("li", {}, make("strong", {}, make("bdi", {}, models[first][1])),
    ` is better on ${edition.title} by ${Math.abs(value).toFixed(1)} points (${signed(ends[0])} to ${signed(ends[1])}).`);
}

async function show() {
  const [a, b] = [pick.elements.a.value, pick.elements.b.value].map((slug) => models.findIndex((m) => m[0] === slug));
  history.replaceState(null, "", `?${new URLSearchParams({ a: models[a][0], b: models[b][0] })}`);
  document.title = `${models[a][1]} and ${models[b][1]}`;
  try {
    const numbers = await board.load(`pairs ${a}`, `compare/${a}`);
    const both = editions.flatMap((edition, i) => edition.members.includes(a) && edition.members.includes(b) ? [[edition, numbers[i]]] : []);
    message(both.length ? "" : "They have no benchmark in common.");
    result.replaceChildren(make("ul", { class: "findings" }, ...both.map(([edition, own]) => sentence(edition, own, a, b))),
      ...both.map(([edition, own]) => section(edition, own, a, b)));
  } catch (error) { message(error.message); }
}

const query = new URLSearchParams(location.search), names = models.map(([slug, name, reference, tier]) => [slug, `${name} (${reference ? "baseline" : tier})`]);
options(pick.elements.a, names, query.get("a"));
const second = models.findIndex((m) => m[0] !== pick.elements.a.value);
options(pick.elements.b, names, query.get("b") ?? models[Math.max(0, second)][0]);
pick.addEventListener("input", show);
document.querySelector("#swap").addEventListener("click", () => {
  [pick.elements.a.value, pick.elements.b.value] = [pick.elements.b.value, pick.elements.a.value];
  show();
});
show();
