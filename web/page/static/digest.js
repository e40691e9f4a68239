// What makes the pages nicer; all of them work without it.
'use strict';

// turn has the button of a post do the opposite, after it was pressed.
const turn = form => {
	const button = form.querySelector('button'), saved = button.getAttribute('aria-pressed') !== 'true';
	button.setAttribute('aria-pressed', saved); // its name stays: a screen reader says only what has changed
	form.action = form.action.replace(/\w+$/, saved ? 'unsave' : 'save');
};

// A post is saved without leaving the page. Where there is no network, or one too slow, it may wait on the device
// (offline/page.js); to save twice is to save once.
const patience = 8_000; // milliseconds
document.addEventListener('submit', async event => {
	const form = event.target;
	if (!form.matches('form.keep')) return;
	event.preventDefault();
	const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), redirect: 'manual', signal: AbortSignal.timeout(patience) }).catch(() => null);
	const waits = !answer && !form.dispatchEvent(new CustomEvent('unsent', { bubbles: true, cancelable: true }));
	if (!waits && answer?.type !== 'opaqueredirect') return form.submit();
	form.closest('details')?.setAttribute('open', ''); // where it was pressed by its key
	turn(form);
	if (answer) form.dispatchEvent(new CustomEvent('turned', { bubbles: true }));
});

// A picture that does not come leaves no hole, as long as nothing that is seen moves by that: columns are made even.
document.addEventListener('error', event => {
	event.target.closest('.film')?.classList.add('blank');
	const shot = event.target.closest('.shot'), moves = shot?.closest('.band') ?? shot;
	if (moves?.getBoundingClientRect().top > innerHeight) shot.hidden = true;
}, true);

// On paper no picture leaves one: nobody sees it move.
addEventListener('beforeprint', () => {
	for (const picture of document.querySelectorAll('.shot img')) {
		picture.closest('.shot').classList.toggle('unprinted', picture.complete && !picture.naturalWidth);
	}
});

// The page for paper opens what prints it.
const print = document.getElementById('print');
if (print) {
	print.hidden = false;
	print.addEventListener('click', () => window.print());
}

// Single keys, for readers who want them.
if ('keys' in document.documentElement.dataset) {
	const help = document.getElementById('keys'), button = document.getElementById('keys-button');
	button.hidden = false;
	button.addEventListener('click', () => help.showModal());

	const posts = [...document.querySelectorAll('article.post')];
	const here = () => {
		const focused = document.activeElement.closest('article.post');
		return focused || document.querySelector('article.post:target, article.whole');
	};
	// link returns the first link of a post: its headline, or else the line below its text. A film's picture comes later.
	const link = post => post?.querySelector('.headline a') ?? post?.querySelector('.byline a');
	const press = (post, what) => post?.querySelector(what)?.click();
	const step = by => {
		const turn = document.querySelector('article.whole') && document.querySelector(by > 0 ? '.turn [rel=next]' : '.turn [rel=prev]');
		if (turn) return turn.click();
		const now = here(), at = now ? posts.indexOf(now) + by : by > 0 ? 0 : posts.length - 1;
		const first = link(posts[at]) ?? posts[at]?.querySelector('a, button');
		if (!first) return;
		first.focus({ preventScroll: true });
		posts[at].scrollIntoView({ block: 'start', behavior: 'instant' });
	};
	const keys = {
		j: () => step(1),
		k: () => step(-1),
		o: () => link(here())?.click(),
		r: () => press(here(), '.here'),
		s: () => press(here(), '.keep button'),
		'?': () => help.showModal(),
	};
	document.addEventListener('keydown', event => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || event.defaultPrevented || help.open) return;
		if (event.target.closest('input, textarea, select, [contenteditable], dialog')) return;
		const act = keys[event.key];
		if (!act) return;
		event.preventDefault();
		act();
	});
}
