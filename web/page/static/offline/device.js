// What this browser has of a reader's editions, for pages and for the worker: what was
// chosen, which editions there are, and saves that wait for a network. Each entry has a
// key of its kind, the account it belongs to, and what it is of. The pages and pictures
// themselves are in caches.
'use strict';

const device = (() => {
	const name = 'digest', prefix = 'digest/';

	// open gives the database, and makes one only if told to: null, there is none. It asks first: where a page is left
	// while what it began to make is taken back, browsers let the next page wait for ever.
	const open = async make => make || (await indexedDB.databases()).some(each => each.name === name) ? opened(make) : null;
	const opened = make => new Promise(done => {
		const asked = indexedDB.open(name, 1);
		asked.onupgradeneeded = () => make ? asked.result.createObjectStore('entries') : asked.transaction.abort();
		asked.onsuccess = () => {
			asked.result.onversionchange = () => asked.result.close();
			done(asked.result);
		};
		asked.onerror = event => {
			event.preventDefault();
			done(null);
		};
	});

	// within does something in one transaction; without a database it gives undefined.
	const within = async (mode, act, make) => {
		const db = await open(make);
		if (!db) return undefined;
		try {
			return await new Promise((done, failed) => {
				const all = db.transaction('entries', mode), asked = act(all.objectStore('entries'));
				all.oncomplete = () => done(asked?.result);
				all.onabort = () => failed(all.error);
			});
		} finally {
			db.close();
		}
	};

	const get = key => within('readonly', entries => entries.get(key));
	const set = (key, value, make) => within('readwrite', entries => entries.put(value, key), make);
	const remove = key => within('readwrite', entries => entries.delete(key));

	// change makes one entry anew of what it is; undefined removes it.
	const change = (key, by) => within('readwrite', entries => {
		entries.get(key).onsuccess = event => {
			const value = by(event.target.result);
			value === undefined ? entries.delete(key) : entries.put(value, key);
		};
	});

	// list gives the entries of a kind of an account, in the order of their keys.
	const list = async (kind, account) => {
		const found = [], range = IDBKeyRange.bound([kind, account], [kind, account, []]);
		await within('readonly', entries => {
			entries.openCursor(range).onsuccess = event => {
				const at = event.target.result;
				if (!at) return;
				found.push({ key: at.key, ...at.value });
				at.continue();
			};
		});
		return found;
	};

	// save notes that a post is to be saved, or no longer; one undoes the other.
	const save = (account, post, act) => change(['save', account, post], waits => waits && waits.act !== act ? undefined : { act, at: Date.now() });

	// cacheOf is the name of a cache of an account: that of an edition by its date, or
	// that of the page for when there is no network.
	const cacheOf = (account, of) => prefix + account + '/' + of;

	// forget removes all of it.
	const forget = async () => {
		for (const cache of await caches.keys()) if (cache.startsWith(prefix)) await caches.delete(cache);
		await new Promise(done => {
			const asked = indexedDB.deleteDatabase(name);
			asked.onsuccess = asked.onerror = asked.onblocked = done;
		});
	};

	return { prefix, get, set, remove, change, list, save, cacheOf, forget };
})();
