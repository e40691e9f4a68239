// A list of feeds can be dropped anywhere on its page, and its way is shown.
'use strict';

(() => {
	const form = () => document.querySelector('form.importer');
	const files = event => form() && event.dataTransfer && [...event.dataTransfer.types].includes('Files');
	const over = on => form()?.querySelector('.drop').classList.toggle('over', on);

	addEventListener('dragover', event => {
		if (!files(event)) return;
		event.preventDefault();
		over(true);
	});
	addEventListener('dragleave', event => {
		if (!event.relatedTarget) over(false);
	});
	addEventListener('drop', event => {
		over(false);
		if (!files(event)) return;
		event.preventDefault();
		form().elements.list.files = event.dataTransfer.files;
		form().requestSubmit();
	});

	// The page has the words for what happens, in its language.
	const say = what => {
		const how = document.getElementById('how');
		if (how && how.textContent !== how.dataset[what]) how.textContent = how.dataset[what];
	};
	const stop = what => {
		form().querySelector('button').disabled = false;
		say(what);
	};

	// The answer is a page of ours, the same that the form alone would lead to.
	const show = text => {
		const page = new DOMParser().parseFromString(text, 'text/html'), main = page.querySelector('main');
		if (!main) return stop('wrong');
		document.title = page.title;
		document.querySelector('main').replaceChildren(...main.childNodes);
		const heading = document.querySelector('main h1');
		heading.tabIndex = -1;
		heading.focus();
		again();
	};

	// While the feeds of a list are being read, how far that is is looked up again.
	const again = () => document.querySelector('.reading[data-again]') && setTimeout(look, 5000);
	const look = async () => {
		if (document.hidden) return again();
		try {
			const answer = await fetch('/feeds/import/report');
			const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
			const now = document.querySelector('.reading'), fresh = page.querySelector('.reading');
			if (now && fresh && !now.contains(document.activeElement)) now.replaceWith(fresh);
		} catch {} // the connection broke: the next look may have one
		again();
	};
	again();

	document.addEventListener('submit', event => {
		const sent = event.target;
		if (sent !== form() || !sent.elements.list.files.length) return;
		event.preventDefault();
		sent.querySelector('button').disabled = true;
		sent.querySelector('.going').hidden = false;
		const bar = sent.querySelector('progress'), request = new XMLHttpRequest();
		say('sending');
		request.upload.addEventListener('progress', e => {
			if (e.lengthComputable) bar.value = 100 * e.loaded / e.total;
			if (e.loaded === e.total) say('reading');
		});
		request.addEventListener('load', () => {
			if (request.status === 200 && request.responseURL) history.pushState(null, '', request.responseURL);
			show(request.responseText);
		});
		request.addEventListener('error', () => stop('broken'));
		request.open('POST', sent.action);
		request.send(new FormData(sent));
	});
})();
