// SPDX-License-Identifier: MIT
// Finds requests: by client, context:seqno, seqno, or how long they took.

const MOST_HITS = 60;
const units = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };
const found = { hits: [], at: -1, total: 0 };

// What a query asks of a request: a function of its number; null when it is empty.
function queryOf(text) {
	const query = text.trim().toLowerCase();
	let match;
	if (!query)
		return null;
	if ((match = /^>\s*([0-9.]+)\s*(ns|us|\u00b5s|ms|s)?$/.exec(query))) {
		const least = parseFloat(match[1]) * units[match[2] || "ms"];
		return number => timeOf(number, TOTAL_COLUMN) > least;
	}
	if ((match = /^(\d+)[:\s#]+(\d+)$/.exec(query)))
		return number => numberOf(number, 2) === +match[2] && contextOf(number).ctx === +match[1];
	if (/^#?\d+$/.test(query)) {
		const value = +query.replace("#", "");
		return number => numberOf(number, 2) === value;
	}
	const clients = new Set(facts.clients.map((c, i) => c.name.toLowerCase().includes(query) ? i : -1));
	const parts = /^(.+?)\s*#(\d+)$/.exec(query);
	if (parts) {
		const named = new Set(facts.clients.map((c, i) => c.name.toLowerCase().includes(parts[1]) ? i : -1));
		return number => numberOf(number, 2) === +parts[2] && named.has(contextOf(number).client);
	}
	return number => clients.has(contextOf(number).client);
}

// The hits, those that took longest first.
function search(text) {
	const test = queryOf(text), hits = [];
	found.total = 0;
	for (let number = 0; test && number < facts.requests; number++) {
		if (!hasRequest(number) || !test(number))
			continue;
		found.total++;
		const total = timeOf(number, TOTAL_COLUMN);
		if (hits.length === MOST_HITS && !(total > hits[hits.length - 1].total))
			continue;
		let at = hits.length;
		while (at && !(hits[at - 1].total >= total))
			at--;
		hits.splice(at, 0, { number, total });
		hits.length = Math.min(hits.length, MOST_HITS);
	}
	found.hits = hits;
	found.at = -1;
	showHits(test !== null);
}

function showHits(asked) {
	const box = byId("hits");
	box.hidden = !asked;
	byId("search").setAttribute("aria-expanded", String(asked));
	if (!asked)
		return;
	const note = found.total > found.hits.length ? `${count(found.total)} requests; the ${found.hits.length} that took longest:` : `${count(found.total)} requests`;
	box.replaceChildren(make("div", { class: "none", role: "presentation" }, found.total ? note : "No request is like that."),
		...found.hits.map((hit, i) => {
			const request = requestOf(hit.number);
			const option = make("div", { role: "option", id: "hit" + i, "aria-selected": String(i === found.at) },
				make("b", {}, label(request)), make("span", {}, `${request.context}:${request.seqno}`), make("span", {}, request.engine),
				make("span", { class: "num" }, hit.total >= 0 ? duration(hit.total) : "unknown"));
			option.addEventListener("click", () => pick(i));
			return option;
		}));
	byId("live").textContent = note;
}

function pick(i) {
	if (!found.hits.length)
		return;
	found.at = (i + found.hits.length) % found.hits.length;
	byId("search").setAttribute("aria-activedescendant", "hit" + found.at);
	document.querySelectorAll("#hits [role=option]").forEach((option, k) => {
		option.setAttribute("aria-selected", String(k === found.at));
		if (k === found.at)
			option.scrollIntoView({ block: "nearest" });
	});
	selectRequest(found.hits[found.at].number, true);
}

function setUpSearch() {
	const input = byId("search");
	let timer = 0;
	input.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(() => search(input.value), facts.requests > 50000 ? 250 : 60);
	});
	input.addEventListener("keydown", event => {
		if (event.key === "Enter") {
			clearTimeout(timer);
			if (found.at < 0)
				search(input.value);
			pick(found.at + (event.shiftKey ? -1 : 1));
		} else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.preventDefault();
			pick(found.at + (event.key === "ArrowDown" ? 1 : -1));
		} else if (event.key === "Escape") {
			input.value = "";
			search("");
			canvas.focus();
		}
	});
}
