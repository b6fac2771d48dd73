// Sorting and filtering of a table that is already there: without scripts it is read, printed and copied all the same.
"use strict";
const table = document.querySelector("#scores"), bodies = [...table.tBodies];
const heads = [...table.tHead.rows].at(-1).cells;

function key(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.v);
}

function sort(column, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  for (const body of bodies) {
    const rows = [...body.rows].filter((row) => row.className !== "group").map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => typeof a === "number"
      ? (a < 0) - (b < 0) || sign * (a - b)  // below 0 is what is not there: last, either way
      : sign * (a < b ? -1 : a > b ? 1 : 0));
    body.append(...rows.map(([, row]) => row));
  }
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", direction);
}

for (const [column, head] of [...heads].entries()) {
  if (head.dataset.sort === undefined) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  const first = head.dataset.sort ? "ascending" : "descending";
  const other = head.dataset.sort ? "descending" : "ascending";
  button.addEventListener("click", () => {
    sort(column, head.getAttribute("aria-sort") === first ? other : first);
    remember({ sort: column, down: head.getAttribute("aria-sort") === "descending" ? 1 : 0 });
  });
}

const form = document.querySelector("#filters"), count = form.querySelector("output");

function filter() {
  const words = form.elements.name.value.toLowerCase().split(/\s+/).filter(Boolean);
  const [low, high] = (form.elements.size.value || "0-1e9").split("-").map(Number);
  const open = form.elements.open.value;
  let shown = 0, models = 0;
  for (const row of bodies[0].rows) {
    const data = row.dataset, size = Number(data.size);
    const fits = words.every((word) => data.name.toLowerCase().includes(word))
      && (!form.elements.size.value || (size > low && size <= high))
      && (!open || data.open === open);
    row.hidden = !fits;
    models += 1;
    shown += fits;
  }
  bodies[1].hidden = !form.elements.references.checked;
  count.textContent = shown === models ? `${models} models` : `${shown} of ${models} models`;
}

function remember(values) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) value === "" ? query.delete(name) : query.set(name, value);
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => {
  filter();
  remember({ name: form.elements.name.value, size: form.elements.size.value, open: form.elements.open.value });
});
const query = new URLSearchParams(location.search);
for (const name of ["name", "size", "open"]) if (query.has(name)) form.elements[name].value = query.get(name);
if (heads[query.get("sort")]?.dataset.sort !== undefined)
  sort(Number(query.get("sort")), query.get("down") === "1" ? "descending" : "ascending");
form.hidden = false;
filter();
