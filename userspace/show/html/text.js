// SPDX-License-Identifier: MIT
// Words and numbers for people, and elements to put them in. Names come from the recording: they only ever
// become text.

// "12.3 us", as the program writes it.
function duration(ns) {
	for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]])
		if (ns >= unit - Math.floor(unit / 2000)) {
			const value = ns / unit;
			return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + " " + name;
		}
	return Math.round(ns) + " ns";
}

// Two bounds as they are shown: "2.10..2.35 ms", or "2.10 ms" where they round to the same figure.
function bounds(lo, hi) {
	if (lo === hi)
		return lo;
	const [from, unit] = lo.split(" "), [to, other] = hi.split(" ");
	return unit === other ? `${from}..${to} ${unit}` : `${from} ${unit}..${to} ${other}`;
}

function span(lo, hi) {
	return lo === hi || !(hi >= 0) ? duration(lo) : bounds(duration(lo), duration(hi));
}

function exact(ns) {
	return Math.round(ns).toLocaleString("en") + " ns";
}

// A time in the recording, as fine as a step of that size asks for.
function clock(ns, step) {
	const digits = step >= 1e8 ? 1 : step >= 1e6 ? 3 : step >= 1e3 ? 6 : 9;
	return (ns / 1e9).toFixed(digits) + " s";
}

function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(1) + " %" : "-";
}

function count(n) {
	return Number(n).toLocaleString("en");
}

const several = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

// make("td", {class: "n"}, text or elements...)
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const name in attributes)
		if (attributes[name] !== null && attributes[name] !== undefined)
			element.setAttribute(name, attributes[name]);
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
}

function svg(tag, attributes, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const name in attributes)
		element.setAttribute(name, attributes[name]);
	element.append(...children);
	return element;
}

const byId = id => document.getElementById(id);

// A word of the output: what it means is one step away.
function word(name) {
	return facts.words[name] ? make("span", { class: "word", "data-word": name, title: facts.words[name] }, name) : name;
}

// A table from columns {name, n: is a number, of: row -> text or element} and rows.
function fillTable(table, columns, rows, onRow) {
	const head = make("thead", {}, make("tr", {}, ...columns.map(c => c.name ? make("th", { scope: "col", class: c.n ? "n" : null, "data-name": c.name }, word(c.name)) : make("td", { "data-name": "" }))));
	const body = make("tbody", {});
	for (const row of rows) {
		const line = make("tr", onRow ? { tabindex: "0" } : {}, ...columns.map(c => make("td", { class: c.n ? "n" : null, "data-name": c.name }, c.of(row))));
		if (onRow) {
			line.addEventListener("click", () => onRow(row));
			line.addEventListener("keydown", event => {
				if (event.key === "Enter" || event.key === " ") {
					event.preventDefault();
					onRow(row);
				}
			});
		}
		body.append(line);
	}
	table.replaceChildren(head, body);
}

// What a narrow table leaves out, the first ones first.
const LEAST = ["host mean", "dev mean", "none", "ambiguous", "exact", "failed", "both", "gaps", "kernels", "transfers", "blocking", "bytes", "work items", "complete", "partial",
	"wake-ups", "unknown", "woken", "blocked", "p99", "sum", "p95", "count", "wake", "signal", "prepare", "waits", "waited", "CPU", "preempted", "dependency", "device_queue",
	"host_queue", "engine", "running", "requests", "context", "device", "clock", "order", "p50", "times", "process"];
const isWide = table => table.scrollWidth > table.parentElement.clientWidth + 1;

// Whether two rows of a table would read alike, but for their figures, without the column.
function tellsApart(table, name) {
	const rows = new Map();
	return [...table.tBodies[0].rows].some(row => {
		const cells = [...row.cells].filter(cell => !cell.matches(".less") && (!cell.matches(".n") || ["context", "CPU"].includes(cell.dataset.name)));
		const own = cells.filter(cell => cell.dataset.name === name).map(cell => cell.textContent).join();
		const rest = cells.filter(cell => cell.dataset.name !== name).map(cell => cell.textContent).join("|");
		const before = rows.get(rest);
		rows.set(rest, own);
		return before !== undefined && before !== own;
	});
}

// A table that is wider than its place breaks its words; where that is not enough it leaves out columns, which a button
// brings back; and where it is still too wide each row becomes a block.
function fitTables() {
	document.querySelectorAll("button.columns").forEach(button => button.remove());
	document.querySelectorAll("td.less, th.less").forEach(cell => cell.classList.remove("less"));
	for (const table of document.querySelectorAll("main table")) {
		table.classList.remove("tight", "stacked");
		if (!table.offsetParent || !isWide(table))
			continue;
		table.classList.add("tight");
		for (const name of table.dataset.whole ? [] : (table.dataset.least || "").split(",").concat(LEAST))
			if (isWide(table) && !tellsApart(table, name))
				table.querySelectorAll(`[data-name="${name}"]`).forEach(cell => cell.classList.add("less"));
		if (isWide(table)) {
			table.classList.add("stacked");
			table.querySelectorAll(".less").forEach(cell => cell.classList.remove("less"));
		} else if (table.querySelector(".less")) {
			const button = goButton("All columns", () => { table.dataset.whole = "1"; fitTables(); });
			button.className = "columns";
			table.after(button);
		}
	}
}

function swatch(name) {
	return make("span", { class: "sw", style: `background: var(--${name})`, "aria-hidden": "true" });
}

// The one who has it in a task's or a client's name: "hist[2000]" without the number.
function label(request) {
	return request.client + " #" + request.seqno;
}

// The words that stand on the page, with what they mean; those of tables that are not there are left out.
function showWords() {
	const names = [...new Set([...document.querySelectorAll("[data-word]")].map(element => element.dataset.word))].sort();
	byId("wordlist").replaceChildren(...names.flatMap(name => [make("dt", {}, name), make("dd", {}, facts.words[name])]));
	byId("words").closest("section").hidden = !names.length;
}
