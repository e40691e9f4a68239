// On pages of a reader: keeps the worker going where they chose it in this browser, and
// saves for which there is no network.
(async () => {
	const notice = document.getElementById('offline');
	const able = notice && 'serviceWorker' in navigator && window.indexedDB?.databases && 'caches' in window;
	if (!able) return;
	const account = notice.dataset.account, key = ['account', account];
	const find = id => document.getElementById(id);
	let chosen;

	const start = () => navigator.serviceWorker.register('/worker.js', { updateViaCache: 'none' }).then(() => navigator.serviceWorker.ready);

	// tell has the worker do something, and waits until it is done.
	const tell = async (what, post) => {
		const { active } = await navigator.serviceWorker.getRegistration('/') || {};
		if (!active) return;
		const { port1, port2 } = new MessageChannel();
		const done = new Promise(done => { port1.onmessage = done; });
		active.postMessage({ what, post }, [port2]);
		await done;
	};

	const within = time => new Promise(done => setTimeout(done, time));
	const forget = async () => {
		await Promise.race([tell('forget'), within(3000)]);
		await device.forget();
		await (await navigator.serviceWorker.getRegistration('/'))?.unregister();
	};

	// Before what is kept goes, saves that wait are sent. Where that cannot be, the reader says whether they may be lost.
	const mayForget = async () => {
		await Promise.race([tell('send'), within(3000)]);
		return !(await device.list('save', account))?.length || confirm(notice.dataset.lost);
	};

	// Signing out removes what is kept, also where there is no network. The session ends then with the first request that
	// comes to the server: only a cookie can tell it so, for nothing else stays here.
	const answers = async () => {
		const answer = await fetch('/offline.json', { redirect: 'manual', cache: 'no-store', signal: AbortSignal.timeout(8_000) }).catch(() => null);
		return answer?.type === 'opaqueredirect' || Boolean(answer?.headers.get('Digest-Account'));
	};
	const leave = () => {
		const { leaving, left } = notice.dataset, secure = location.protocol === 'https:' ? '; secure' : '';
		document.cookie = `${leaving}=1; path=/; max-age=7776000; samesite=lax${secure}`;
		const words = document.createElement('p');
		words.className = 'notice';
		words.tabIndex = -1;
		words.textContent = left;
		document.querySelector('main').replaceChildren(words);
		document.querySelectorAll('nav, .foot').forEach(part => part.remove());
		words.focus();
	};
	const unreached = form => {
		form.querySelector('.wrong')?.remove();
		const words = document.createElement('p');
		words.className = 'wrong';
		words.setAttribute('role', 'alert');
		form.append(words);
		words.textContent = notice.dataset.unreached;
	};
	document.addEventListener('submit', async event => {
		const form = event.target, action = form.getAttribute('action');
		if (!/^\/sign-out/.test(action)) return;
		event.preventDefault();
		if (action !== '/sign-out' && !await answers()) return unreached(form); // other browsers are signed out by the server alone
		if (!await mayForget().catch(() => true)) return;
		const there = await answers();
		await forget().catch(() => {});
		there ? form.submit() : leave();
	});

	// On a page that comes from the device, links to what is not kept say so.
	const showUnkept = async () => {
		if (notice.hidden) return;
		const kept = new Set();
		for (const name of await caches.keys()) {
			if (name.startsWith(device.cacheOf(account, ''))) for (const { url } of await (await caches.open(name)).keys()) kept.add(url);
		}
		for (const link of document.querySelectorAll('a[href]')) {
			if (link.origin !== location.origin || link.pathname === '/' || kept.has(link.origin + link.pathname + link.search)) continue;
			link.classList.add('unkept');
			link.title = notice.dataset.unkept;
		}
	};

	// A save that could not be sent waits here. The button says so.
	const postOf = form => form.action.match(/\/posts\/(\d+)\//)?.[1];
	const say = (form, waits) => {
		form.querySelector('.waits')?.remove();
		if (!waits) return;
		const words = document.createElement('span');
		words.className = 'waits';
		words.setAttribute('role', 'status');
		form.append(words);
		words.textContent = waits.act === 'save' ? notice.dataset.saved : notice.dataset.unsaved;
	};
	const formsOf = post => [...document.querySelectorAll('form.keep')].filter(form => postOf(form) === post);
	document.addEventListener('unsent', event => {
		event.preventDefault();
		const form = event.target, post = postOf(form), act = form.action.match(/\w+$/)[0];
		const kept = async () => {
			chosen = await device.get(key);
			if (!chosen) return form.submit(); // the browser says that there is no network
			await device.save(account, post, act);
			say(form, await device.get(['save', account, post]));
			await (await navigator.serviceWorker.getRegistration('/'))?.sync?.register('saves');
		};
		kept().catch(() => {});
	});
	document.addEventListener('turned', async event => {
		if (!chosen) return;
		const post = postOf(event.target);
		await device.remove(['save', account, post]); // what was pressed last counts
		say(event.target);
		await tell('renew', post);
	});
	const showWaiting = async () => {
		for (const waits of await device.list('save', account)) {
			for (const form of formsOf(waits.key[2])) {
				if (form.action.endsWith('/' + waits.act)) turn(form);
				say(form, waits);
			}
		}
	};

	// What is kept is listed in the settings, and where there is no network.
	const megabytes = bytes => (Math.ceil(bytes / 2 ** 20 * 10) / 10).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1, numberingSystem: 'latn' });
	const showKept = async () => {
		const list = find('kept');
		if (!list) return;
		const editions = (await device.list('edition', account)).filter(edition => edition.size).reverse();
		list.replaceChildren(...editions.map(({ date, name, size }) => {
			const row = document.createElement('li'), link = document.createElement('a'), room = document.createElement('span');
			link.href = '/editions/' + date;
			link.textContent = name;
			room.textContent = list.dataset.room.replace('{used}', megabytes(size));
			row.append(link, room);
			return row;
		}));
		list.hidden = !editions.length;
		find('kept-none').hidden = editions.length > 0;
		showChoice(editions.reduce((sum, edition) => sum + edition.size, 0));
	};

	// The settings of this browser.
	const choice = find('device');
	const showChoice = used => {
		if (!choice) return;
		choice.hidden = false;
		find('device-unable').hidden = true;
		for (const part of document.querySelectorAll('[data-kept]')) part.hidden = part.dataset.kept !== (chosen ? 'on' : 'off');
		choice.elements.budget.value = chosen ? chosen.budget >> 20 : 50;
		const size = find('kept-size');
		size.textContent = size.dataset.words.replace('{used}', megabytes(used)).replace('{budget}', chosen ? chosen.budget >> 20 : 0);
	};
	const fetchNow = async () => {
		const state = find('device-state');
		state.textContent = state.dataset.going;
		await start();
		await tell('fetch');
		chosen = await device.get(key);
		if (!chosen) throw new Error('nothing can be stored here');
		await showKept();
		state.textContent = state.dataset.done;
	};
	choice?.addEventListener('submit', async event => {
		event.preventDefault();
		chosen = { budget: Number(choice.elements.budget.value) << 20 };
		const keep = async () => {
			await device.set(key, chosen, true);
			await device.set(['current'], account);
			await showKept();
			await fetchNow();
		};
		await keep().catch(() => { find('device-state').textContent = find('device-state').dataset.wrong; });
	});
	find('device-off')?.addEventListener('click', async () => {
		if (!await mayForget().catch(() => true)) return;
		await forget();
		chosen = undefined;
		await showKept();
		find('device-state').textContent = find('device-state').dataset.off;
	});

	navigator.serviceWorker.addEventListener('message', event => {
		if (event.data.sent) formsOf(event.data.sent).forEach(form => say(form));
		else showKept();
	});

	chosen = await device.get(key);
	await showKept();
	if (!chosen) return;
	await showUnkept();
	await showWaiting();
	await start();
	await tell('send');
	addEventListener('online', () => tell('send'));
	const calmly = window.requestIdleCallback || (act => setTimeout(act, 2000));
	calmly(() => tell('gather'));
})();
