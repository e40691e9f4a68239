// The service worker, in browsers in which a reader chose to keep editions. Pages come
// from the network, and only where that does not answer from the device, and they say so.
// It keeps what belongs to the account that is signed in and has chosen it, and drops
// it when the server says that another one is, or none. It caches no answer to a form.

const header = 'Digest-Account'; // who is signed in, as the server says with each page
const nobody = 'none';
const patience = 8_000; // milliseconds that a page which is here waits for the network
const limit = 30_000; // milliseconds that what the worker asks for by itself may take to begin
const calm = 100; // between two requests for what is kept
const again = 10 * 60_000; // between two looks for a new edition
const spare = 1 << 20; // bytes of the budget for what belongs to no edition
const overhead = 1 << 10; // bytes that an answer needs beside its text
const mostFiles = 40; // style sheets and scripts: kept pages need those of their release
const files = device.prefix + 'files';

const wait = time => new Promise(done => setTimeout(done, time));
const editions = async account => (await device.list('edition', account)).reverse(); // the newest first
const current = () => device.get(['current']);

addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));

addEventListener('fetch', event => {
	const { request } = event, url = new URL(request.url);
	if (request.method !== 'GET' || url.origin !== location.origin) return;
	if (request.mode === 'navigate') event.respondWith(page(event, url));
	else if (url.pathname.startsWith('/static/')) event.respondWith(file(request));
	else if (url.pathname.startsWith('/image/')) event.respondWith(picture(request, url));
});

// page answers from the network, else with what is kept.
const page = async (event, url) => {
	const network = fetch(event.request).catch(() => null);
	event.waitUntil(network.then(answer => answer && seen(answer.clone(), url)).catch(() => {}));
	const copy = await find(url).catch(() => null);
	const answer = await (copy ? Promise.race([network, wait(patience)]) : network);
	const gone = !answer || [502, 503, 504].includes(answer.status) && !answer.headers.has(header);
	return gone && (copy || await instead().catch(() => null)) || answer || Response.error();
};

// find gives the kept copy of a page, as one that says so; the front page is the latest edition.
const find = async url => {
	const account = await current();
	if (!account) return null;
	for (const edition of await editions(account)) {
		const cacheName = device.cacheOf(account, edition.date), own = '/editions/' + edition.date;
		if (url.pathname === '/' && edition.size) { // a sheet of it, or its headlines
			return Response.redirect(await caches.match(own + url.search, { cacheName }) ? own + url.search : own);
		}
		const copy = await caches.match(url.href, { cacheName });
		if (copy) return marked(copy);
	}
	return null;
};

// marked shows the notice that each page has for this; a page without one is not shown.
const marked = async copy => {
	const text = await copy.text(), shown = text.replace('id="offline" hidden', 'id="offline"');
	return shown === text ? null : new Response(shown, { headers: copy.headers });
};

// instead is the page that lists what is kept.
const instead = async () => {
	const account = await current(), copy = account && await caches.match('/offline', { cacheName: device.cacheOf(account, 'page') });
	return copy ? new Response(copy.body, { status: 503, headers: copy.headers }) : null;
};

// file gives a style sheet or a script; its name changes with what is in it.
const file = async request => {
	const kept = await caches.match(request, { cacheName: files });
	if (kept) return kept;
	const answer = await fetch(request);
	if (answer.ok && await caches.has(files)) await (await caches.open(files)).put(request, answer.clone());
	return answer;
};

const picture = async (request, url) => {
	const account = await current();
	for (const edition of account ? await editions(account) : []) {
		const kept = await caches.match(url.href, { cacheName: device.cacheOf(account, edition.date) });
		if (kept) return kept;
	}
	return fetch(request);
};

// seen heeds who is signed in, has the copy of a kept page be the latest, and sends what waits.
const seen = async (answer, url) => {
	const account = answer.headers.get(header);
	if (!account) return;
	if (account !== await current()) await changeAccount(account);
	if (account === nobody) return;
	for (const edition of answer.ok ? await editions(account) : []) {
		const cache = device.cacheOf(account, edition.date);
		if (await caches.match(url.href, { cacheName: cache })) await put(account, edition.date, url.href, answer);
	}
	await send(account);
};

// changeAccount drops what is kept of whoever was signed in before. What they chose stays,
// and saves that wait; both are used only while they are signed in again.
const changeAccount = async account => {
	stopped = true;
	await running;
	stopped = leaving;
	const before = await current();
	for (const cache of await caches.keys()) {
		if (cache.startsWith(device.prefix) && cache !== files && !cache.startsWith(device.cacheOf(account, ''))) await caches.delete(cache);
	}
	for (const edition of before ? await editions(before) : []) await device.remove(edition.key);
	await device.change(['account', account], chosen => chosen && { ...chosen, looked: 0 }); // what is missing comes at once
	await (account === nobody ? device.remove(['current']) : device.set(['current'], account));
};

// send sends the saves that wait, in their order, and stops at the first that cannot
// be sent now. The server refuses those of an account that is not signed in.
const send = account => sending = sending.then(async () => {
	const waiting = (await device.list('save', account)).sort((a, b) => a.at - b.at);
	for (const { key, act, at } of waiting) {
		const body = new URLSearchParams({ back: '/offline.json' });
		const answer = await begun(`/posts/${key[2]}/${act}`, { method: 'POST', body, headers: { [header]: account } }).catch(() => null);
		const refused = answer && answer.status >= 400 && answer.status < 500 && ![403, 409, 429].includes(answer.status);
		if (answer?.headers.get(header) !== account || !answer.ok && !refused) return;
		await device.change(key, waits => waits?.at === at ? undefined : waits);
		await renew(account, key[2]);
		await tell({ sent: key[2] });
	}
}).catch(() => {});
let sending = Promise.resolve();

// renew fetches the copies of a post that was saved and of the pages of its edition again.
const renew = async (account, post) => {
	for (const edition of await editions(account)) {
		const cache = device.cacheOf(account, edition.date);
		if (!await caches.match('/posts/' + post, { cacheName: cache })) continue;
		const pages = (await (await caches.open(cache)).keys()).map(request => new URL(request.url)).filter(url => url.pathname === '/editions/' + edition.date);
		for (const path of ['/posts/' + post, ...pages.map(url => url.pathname + url.search)]) {
			const answer = await ask(path, account);
			if (answer?.ok) await put(account, edition.date, path, answer);
		}
	}
};

// begun fetches something whose answer has to begin within the limit; its end may take longer.
const begun = async (path, options) => {
	const given = new AbortController(), timer = setTimeout(() => given.abort(), limit);
	try {
		return await fetch(path, { ...options, signal: given.signal });
	} finally {
		clearTimeout(timer);
	}
};

// ask fetches something to keep: null, there is no network or it is not for the account.
const ask = async (path, account) => {
	await wait(calm);
	const answer = await begun(path, { redirect: 'manual' }).catch(() => null), who = answer?.headers.get(header);
	if (answer?.type === 'opaqueredirect') changeAccount(nobody).catch(() => {}); // to the sign-in; it waits for whoever asks here
	return who && who !== account || !who && !/^\/(static|image)\//.test(path) ? null : answer;
};

// put keeps an answer with an edition, if there is room, of what was chosen and in the browser; older editions make way.
// One is kept after the other.
const put = (account, date, path, answer) => writing = writing.catch(() => {}).then(async () => {
	const body = await answer.blob(), size = body.size + overhead, headers = new Headers(answer.headers);
	if (stopped || !await device.get(['edition', account, date])) return false;
	const cache = await caches.open(device.cacheOf(account, date)), old = await cache.match(path);
	const more = size - (old ? (await old.blob()).size + overhead : 0);
	if (!await makeRoom(account, date, more)) return false;
	headers.delete('Content-Encoding'); // it is unpacked
	headers.delete('Content-Length');
	const stored = () => cache.put(path, new Response(body, { headers })).then(() => true, noRoom);
	while (!await stored()) if (!await dropOldest(account, date)) return false;
	await device.change(['edition', account, date], edition => edition && { ...edition, size: edition.size + more });
	return true;
});
let writing = Promise.resolve();

// noRoom tells that the browser has no room from what else may fail.
const noRoom = failed => {
	if (failed.name !== 'QuotaExceededError') throw failed;
	return false;
};

// makeRoom drops the oldest editions before a date until there is room for so many bytes more.
const makeRoom = async (account, date, size) => {
	const { budget } = await device.get(['account', account]) || { budget: 0 };
	let used = spare + (await editions(account)).reduce((sum, edition) => sum + edition.size, 0);
	while (used + size > budget) {
		const dropped = await dropOldest(account, date);
		if (!dropped) return false;
		used -= dropped.size;
	}
	return true;
};

// dropOldest removes what is kept of the oldest edition before a date, if there is one, and notes that there was no room for it.
const dropOldest = async (account, date) => {
	const oldest = (await editions(account)).filter(edition => edition.size).pop();
	if (!oldest || oldest.date >= date) return null;
	await caches.delete(device.cacheOf(account, oldest.date));
	await device.set(oldest.key, { ...oldest, size: 0, done: true, full: true });
	return oldest;
};

// gather fetches what is not here yet of the latest editions, one thing after the other.
const gather = async asked => {
	const account = await current(), chosen = account && await device.get(['account', account]);
	if (!chosen || !asked && (navigator.connection?.saveData || Date.now() - (chosen.looked || 0) < again)) return;
	await makeRoom(account, '9999', 0);
	const answer = await ask('/offline.json', account);
	if (!answer?.ok) return;
	const wanted = await answer.json();
	for (const edition of await editions(account)) {
		if (!wanted.editions.some(({ date }) => date === edition.date)) {
			await caches.delete(device.cacheOf(account, edition.date));
			await device.remove(edition.key);
		} else if (asked && edition.full) await device.set(edition.key, { ...edition, done: false, full: false });
	}
	const all = async () => {
		if (!await gatherFiles(account, wanted.files)) return false;
		for (const edition of wanted.editions) if (!await gatherEdition(account, edition)) return false;
		return true;
	};
	const done = await all().catch(failed => !noRoom(failed)); // without room for anything there is nothing more to do now
	if (done) await device.change(['account', account], was => was && { ...was, looked: Date.now() });
};

// gatherFiles fetches what pages load, and the page for when there is no network.
const gatherFiles = async (account, wanted) => {
	const cache = await caches.open(files), page = await caches.open(device.cacheOf(account, 'page'));
	let fresh = !await page.match('/offline');
	for (const path of wanted) {
		if (await cache.match(path)) continue;
		const answer = await ask(path, account);
		if (!answer?.ok || stopped) return false;
		await cache.put(path, answer);
		fresh = true;
	}
	const answer = fresh && await ask('/offline', account);
	if (fresh && (!answer?.ok || stopped)) return false;
	if (fresh) await page.put('/offline', answer);
	for (const old of (await cache.keys()).slice(0, -mostFiles)) await cache.delete(old);
	return true;
};

// gatherEdition fetches an edition once, its pages first; false: nothing more can be fetched now.
const gatherEdition = async (account, { date, name }) => {
	const key = ['edition', account, date];
	await device.change(key, was => was || { date, name, size: 0, done: false });
	const edition = await device.get(key);
	if (!edition || edition.done) return Boolean(edition);
	const answer = await ask(`/editions/${date}/offline.json`, account);
	if (!answer?.ok) return false;
	const list = await answer.json(), cache = await caches.open(device.cacheOf(account, date));
	let full = false;
	for (const path of [...list.pages, ...list.pictures]) {
		if (await cache.match(path)) continue;
		const answer = await ask(path, account);
		if (!answer || [429, 503].includes(answer.status) || stopped) return false;
		if (full = answer.ok && !await put(account, date, path, answer)) break;
	}
	if (stopped) return false;
	await device.change(key, was => was && { ...was, done: true, full });
	await tell('kept');
	return true;
};

const tell = async what => { for (const client of await clients.matchAll()) client.postMessage(what); };

// gatherOnce does one at a time.
const gatherOnce = async asked => {
	if (running && !asked) return;
	await running;
	if (asked) stopped = leaving = false;
	running = gather(asked).catch(() => {});
	await running;
	running = null;
};
let running = null;
let stopped = false; // nothing is kept any more
let leaving = false; // nor will be, whoever is signed in, until it is asked for

// forget leaves nothing on the device, this worker neither.
const forget = async () => {
	stopped = leaving = true;
	await running;
	await writing.catch(() => {});
	await device.forget();
	await registration.unregister();
};

const sendOwn = async () => {
	const account = await current();
	if (!account) return;
	await send(account);
	if ((await device.list('save', account)).length) throw new Error('some saves wait'); // the browser tries again
};

addEventListener('sync', event => event.waitUntil(sendOwn()));

// Pages ask for these.
addEventListener('message', event => {
	const { what, post } = event.data, own = async act => act(await current());
	const done = {
		gather: () => gatherOnce(false), fetch: () => gatherOnce(true), forget,
		send: () => sendOwn().catch(() => {}),
		renew: () => own(account => account && renew(account, post)),
	}[what];
	if (done) event.waitUntil(done().catch(() => {}).then(() => event.ports[0]?.postMessage('done')));
});
