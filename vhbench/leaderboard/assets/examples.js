"use strict";
const pick = document.querySelector("#pick"), { models, editions } = board.names;
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
const plain = (cell) => cell.replaceAll("_", " ");
const isModel = (m) => models[m][2] === "";
let index = null, found = [], at = 0, ranked = [], round = 0;

// One bit for each answer, most significant first, each question on its own bytes; a model's bit by its place there.
function right(question, place) {
  const width = Math.ceil(index.models.length / 8);
  return (index.bytes[question * width + (place >> 3)] >> (7 - (place & 7))) & 1;
}

// Every cell, and what it is part of: "hn", "hn · E5".
function withGroups(cells) {
  const names = new Set();
  for (const cell of cells) {
    const words = cell.split(" · ");
    words.forEach((_, i) => names.add(words.slice(0, i + 1).join(" · ")));
  }
  return [...names].sort();
}

const wrong = (q) => ranked.reduce((sum, m) => sum + 1 - right(q, m), 0);

const TESTS = {
  "": () => true,
  hard: () => true,
  allwrong: (q) => ranked.every((m) => !right(q, m)),
  differ: (q, x, y) => x >= 0 && y >= 0 && right(q, x) !== right(q, y),
  wrong: (q, x) => x >= 0 && !right(q, x),
};

function place(slug) { return index.models.indexOf(models.findIndex((m) => m[0] === slug)); }

async function choose(start) {
  const name = pick.elements.b.value, own = ++round;
  const [fresh, bits] = await Promise.all(["index", "bits"].map((file) => board.load(`${file} ${name}`, `${name}/${file}`)));
  if (own !== round) return;  // something else was chosen meanwhile
  if (fresh !== index) {
    index = fresh;
    index.bytes ??= Uint8Array.from(atob(bits), (c) => c.charCodeAt(0));
    ranked = index.models.flatMap((m, i) => isModel(m) ? [i] : []);
    options(pick.elements.cell, [["", "all"], ...withGroups(index.cells).map((c) => [c, plain(c)])],
      pick.elements.cell.value || query.get("cell"));
  }
  const cell = pick.elements.cell.value, show = pick.elements.show.value;
  const fits = index.cells.map((c) => cell === "" || c === cell || c.startsWith(`${cell} · `));
  const x = place(pick.elements.x.value), y = place(pick.elements.y.value);
  const words = pick.elements.find.value.trim().toLowerCase();
  const shown = [...index.cell.keys()].filter((q) => fits[index.cell[q]] && TESTS[show](q, x, y));
  if (words) message("Searching …");
  const hits = words ? await matching(words, shown) : shown;
  if (own !== round) return;
  found = hits;
  if (show === "hard") found.sort((p, q) => wrong(q) - wrong(p) || p - q);
  pick.elements.x.closest("label").hidden = show !== "wrong" && show !== "differ";
  pick.elements.y.closest("label").hidden = show !== "differ";
  const wanted = typeof start === "string" ? index.ids.indexOf(start) : start;
  at = found.indexOf(wanted);
  if (at < 0 && typeof start === "string" && wanted >= 0) { found.unshift(wanted); at = 0; }  // a link shows what it names
  at = Math.max(0, at < 0 && show !== "hard" && wanted !== null ? found.findIndex((q) => q >= wanted) : at);
  document.querySelector("#browser").hidden = !found.length;
  message(found.length ? "" : "No question fits.");
  if (found.length) await open();
}

async function example(q) {
  const name = pick.elements.b.value, number = index.starts.findLastIndex((start) => start <= q);
  const rows = await board.load(`piece ${name} ${number}`, `${name}/${number}`);
  return rows[q - index.starts[number]];
}

// The questions with these words in their id, text, options, answer, or a response.
async function matching(words, questions) {
  const hits = [];
  for (const q of questions) {
    const [question, choices, answer, , texts] = await example(q);
    const all = [index.ids[q], question, ...choices, answer, ...texts.map(([text]) => text)];
    if (all.some((text) => text.toLowerCase().includes(words))) hits.push(q);
  }
  return hits;
}

async function open() {
  const q = found[at];
  draw(q, await example(q));
  document.querySelector("#place").textContent = `${(at + 1).toLocaleString("en")} of ${found.length.toLocaleString("en")}`;
  document.querySelector("#back").disabled = at === 0;
  document.querySelector("#next").disabled = at === found.length - 1;
  const address = new URLSearchParams();
  for (const field of pick.elements)
    if (field.name && field.value && !field.closest("label").hidden) address.set(field.name, field.value);
  address.set("q", index.ids[q]);
  history.replaceState(null, "", `?${address}`);
}

function draw(q, [question, choices, answer, images, texts, codes]) {
  const said = index.models.map((_, m) => typeof codes === "string" ? ALPHABET.indexOf(codes[m]) : codes[m]);
  const pictures = images.map((file, i) => make("figure", {},
    make("a", { href: `images/${file}` }, make("img", { src: `images/${file}`, alt: `Image ${i + 1}`, loading: "lazy" })),
    images.length > 1 ? make("figcaption", {}, `Image ${i + 1}`) : null));
  const groups = new Map();  // how it was read → the texts that were
  texts.forEach(([text, read], t) => {
    const who = said.flatMap((s, m) => s === t ? [m] : []);
    groups.set(read, [...groups.get(read) ?? [], { text, who }]);
  });
  const size = (group) => group.reduce((sum, { who }) => sum + who.length, 0);
  const list = [...groups].sort(([, a], [, b]) => size(b) - size(a)).map(([read, group]) => {
    const good = right(q, group[0].who[0]);
    return make("li", { class: good ? "right" : "wrong" },
      make("p", { class: "mark" }, good ? "✓ " : "✗ ", read || "correct", make("small", {}, `models: ${size(group)}`)),
      make("div", {}, ...group.sort((a, b) => b.who.length - a.who.length).map(({ text, who }) => make("div", { class: "said" },
        make("blockquote", {}, text || "(empty)"), make("p", { class: "who" }, ...names(who.map((m) => index.models[m])))))));
  });
  document.querySelector("#example").replaceChildren(
    make("div", { class: `pictures n${Math.min(images.length, 4)}` }, ...pictures),
    make("div", { class: "asked" },
      make("p", { class: "meta" }, make("span", {}, plain(index.cells[index.cell[q]])), make("code", {}, index.ids[q])),
      make("h2", {}, question),
      choices.length ? make("ol", { class: "choices" }, ...choices.map((c, i) =>
        make("li", { class: String.fromCharCode(65 + i) === answer ? "gold" : "" }, c))) : null,
      make("p", {}, "Reference answer: ", make("b", {}, answer), " · ",
        `${wrong(q)} of ${ranked.length} models incorrect`),
      make("ul", { class: "answers" }, ...list)));
}

function names(who) {
  return who.flatMap((m, i) => [i ? ", " : "", isModel(m) ? make("a", { href: `models/${models[m][0]}.html` }, make("bdi", {}, models[m][1]))
    : make("i", {}, make("bdi", {}, models[m][1]))]);
}

async function guarded(work) { try { await work(); } catch (error) { message(error.message); } }

function step(by) {
  const next = at + by;
  if (next < 0 || next >= found.length) return;
  at = next;
  guarded(open);
}

const query = new URLSearchParams(location.search);
const shown = editions.filter((edition) => !edition.hidden).map(({ name, title }) => [name, title]);
options(pick.elements.b, shown, query.get("b"));
for (const field of ["x", "y"]) options(pick.elements[field], models.map(([slug, name]) => [slug, name]), query.get(field));
pick.elements.find.value = query.get("find") ?? "";
pick.elements.show.value = Object.hasOwn(TESTS, query.get("show") ?? "") ? query.get("show") ?? "" : "";
pick.addEventListener("submit", (event) => event.preventDefault());
pick.elements.find.addEventListener("change", () => guarded(() => choose(null)));
pick.addEventListener("input", (event) => {
  if (event.target.name === "find") return;  // when the words are complete
  if (event.target.name === "b") pick.elements.cell.value = "";
  guarded(() => choose(pick.elements.show.value === "hard" && event.target.name === "show" ? null : found[at] ?? null));
});
document.querySelector("#back").addEventListener("click", () => step(-1));
document.querySelector("#next").addEventListener("click", () => step(1));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
if (shown.length) guarded(() => choose(query.get("q")));
else message("The questions of this board are kept back.");
