package web_test

// measure opens all pages in frames of each width, and at 320 pixels also in each text size, where
// letters can be twice as large. It writes the problems of each page:
//   - a page is wider than the screen, with the elements that stick out
//   - a control is cut off, overlaps another, or is smaller than a finger's 24 pixels
//   - a text is partly hidden
const measure = `<pre></pre><script>
const say = s => document.querySelector('pre').append(s + '\n');
const named = x => x.tagName.toLowerCase() + '.' + x.className + ' "' + (x.getAttribute('aria-label') || x.innerText || x.value || '').slice(0, 40) + '"';
const within = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;

// wide is what sticks out of a page.
function wide(e) {
	if (e.scrollWidth <= e.clientWidth) return;
	const out = [...e.querySelectorAll('body *')].filter(x => {
		const r = x.getBoundingClientRect();
		return r.right > e.clientWidth + .5 || r.left < -.5;
	});
	return ['the page is ' + e.scrollWidth + ' wide: ' + out.slice(-3).map(named).join(', ')];
}

// targets are what can be pressed, with where that is: the label of a box belongs to it.
function targets(d) {
	return [...d.querySelectorAll('a[href], button, summary, select, textarea, input:not([type=hidden])')].map(x => {
		const rects = [...(x.labels?.[0]?.contains(x) ? x.labels[0] : x).getClientRects()].filter(r => r.width && r.height);
		return { x, rects, style: getComputedStyle(x) };
	}).filter(t => t.rects.some(r => r.right > 0) && t.style.visibility == 'visible' && !t.x.closest('.skip, .trap'));
}

// cut are the targets of which something that hides what is outside of it hides a part.
function cut(all) {
	return all.flatMap(t => {
		for (let up = t.x.parentElement; up; up = up.parentElement) {
			if (!['hidden', 'clip'].includes(getComputedStyle(up).overflowX)) continue;
			const box = up.getBoundingClientRect();
			if (!t.rects.every(r => within(r, box))) return ['cut off: ' + named(t.x) + ' by ' + named(up)];
		}
		return [];
	});
}

// piled are targets of which one lies over the other.
function piled(all) {
	const found = [];
	all.forEach((a, i) => all.slice(i + 1).forEach(b => {
		if (a.x.contains(b.x) || a.x.parentElement == b.x.parentElement && a.x.labels?.[0] == b.x.labels?.[0] && a.x.labels) return;
		if (a.rects.some(r => b.rects.some(s => over(r, s)))) found.push('over each other: ' + named(a.x) + ' and ' + named(b.x));
	}));
	return found;
}

// small are targets that WCAG 2.5.8 forbids: of less than 24 pixels and with no room around, outside of sentences.
function small(all) {
	const middle = r => [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
	const isSmall = t => t.rects.every(r => Math.min(r.width, r.height) < 23.9);
	const inSentence = t => {
		if (t.style.display != 'inline') return false;
		let block = t.x.parentElement;
		while (getComputedStyle(block).display == 'inline') block = block.parentElement;
		let rest = block.innerText;
		for (const other of block.querySelectorAll('a, button, summary')) rest = rest.replace(other.innerText, '');
		return /[\p{L}\p{N}]/u.test(rest);
	};
	return all.filter(t => isSmall(t) && !inSentence(t) && t.x.type != 'range').filter(t => {
		const [x, y] = middle(t.rects[0]);
		return all.some(o => o != t && o.rects.some(r => {
			const dx = Math.max(r.left - x, 0, x - r.right), dy = Math.max(r.top - y, 0, y - r.bottom);
			const [ox, oy] = middle(r);
			return Math.hypot(dx, dy) < 11.9 || isSmall(o) && Math.hypot(x - ox, y - oy) < 23.9;
		}));
	}).map(t => 'small: ' + named(t.x) + ' of ' + t.rects.map(r => r.width.toFixed() + 'x' + r.height.toFixed()));
}

// hidden are texts of which a part cannot be seen. What stands in full behind a line or on a site's own page may be
// shortened, and what is read aloud only is meant to be.
function hidden(d) {
	return [...d.querySelectorAll('body *')].filter(x => {
		if (x.matches('.aloud, .unseen, .contents summary, .contents summary bdi, .picks .name bdi, .feeds > h1 bdi, .trap, .trap *, select, option, input, textarea, iframe, svg, svg *') || x.closest('.aloud, .unseen')) return false;
		const s = getComputedStyle(x);
		return ['hidden', 'clip'].includes(s.overflowX) && (x.scrollWidth > x.clientWidth + 1 || x.scrollHeight > x.clientHeight + 1);
	}).map(x => 'a part is hidden of ' + named(x));
}

onload = () => {
	let seen = 0, size = '';
	for (const f of document.querySelectorAll('iframe')) {
		const d = f.contentDocument, e = d.documentElement, told = new Set(), own = e.dataset.size;
		size = f.contentWindow.getComputedStyle(e).fontSize;
		d.querySelectorAll('details').forEach(x => x.open = true);
		const types = parseFloat(size) > 20 ? ['largest'] : ['smaller', 'larger', 'largest'];
		for (const [width, type] of [...types.map(t => [320, t]), [320, own], [360, own], [390, own]]) {
			f.style.width = width + 'px';
			if (type) e.dataset.size = type;
			else delete e.dataset.size;
			seen++;
			const wrong = wide(e) || [];
			if (width == 320) {
				const all = targets(d);
				wrong.push(...cut(all), ...piled(all), ...small(all), ...hidden(d));
			}
			for (const w of wrong.filter(w => !told.has(w))) {
				told.add(w);
				say(f.title + ' in ' + width + ' of letters ' + (type || 'as they are') + ': ' + w);
			}
		}
	}
	say(seen + ' measured, letters of ' + size);
}</script>`
