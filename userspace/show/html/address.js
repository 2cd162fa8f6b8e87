// SPDX-License-Identifier: MIT
// The page's address holds what is looked at, so that it can be sent: #view=FROM-TO&chosen=FROM-TO&slice=LINE.ROW.NUMBER&path=1&find=TEXT, times in ns
// from the page's begin. What is not said is as the page begins with; what there is not is passed over.

let addressTimer = 0, addressWritten = null;

function addressOf() {
	const says = [], whole = n => Math.max(0, Math.round(n)), slice = view.selected && view.selected.slice, text = byId("search").value;
	if (view.t0 > 0 || view.t1 < data.end)
		says.push(`view=${whole(view.t0)}-${whole(view.t1)}`);
	if (view.range)
		says.push(`chosen=${whole(view.range.from)}-${whole(view.range.to)}`);
	if (slice)
		says.push(`slice=${slice.row.track}.${data.rows[slice.row.track].indexOf(slice.row)}.${slice.i}`);
	if (view.path)
		says.push("path=1");
	if (text)
		says.push("find=" + encodeURIComponent(text));
	return says.length ? "#" + says.join("&") : "";
}

// Browsers take a few hundred addresses in some seconds: the one of a view that has come to rest.
function keepAddress() {
	clearTimeout(addressTimer);
	addressTimer = setTimeout(() => {
		addressWritten = addressOf();
		if (addressWritten !== location.hash)
			history.replaceState(null, "", location.href.split("#")[0] + addressWritten);
	}, 300);
}

function readAddress() {
	const says = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")), numbers = (name, form) => { const is = form.exec(says.get(name) || ""); return is && is.slice(1).map(Number); };
	const seen = numbers("view", /^(\d+)-(\d+)$/), chosen = numbers("chosen", /^(\d+)-(\d+)$/), at = numbers("slice", /^(\d+)\.(\d+)\.(\d+)$/);
	const row = at && (data.rows[at[0]] || [])[at[1]];
	if ((says.get("find") || "") !== byId("search").value) {
		byId("search").value = says.get("find") || "";
		search(byId("search").value);
	}
	if (facts.critical)
		drawPath(says.get("path") === "1");
	if (row && at[2] < row.n) {
		bringToSight({ row, i: at[2] });
		selectSlice({ row, i: at[2] });
	} else if (view.selected)
		clearSelection();
	if (chosen || view.range) {
		chooseRange(...(chosen || [null, null]), true);
		showRange();
	}
	setRange(...(seen && seen[1] > seen[0] ? seen : [0, data.end]));
}

function setUpAddress() {
	readAddress();
	addEventListener("hashchange", () => {
		if (location.hash !== addressWritten && /^(#(view|chosen|slice|path|find)=|$)/.test(location.hash))
			readAddress();
	});
}
