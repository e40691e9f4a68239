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

	const say = text => {
		const how = document.getElementById('how');
		if (how && how.textContent !== text) how.textContent = text;
	};
	const stop = text => {
		form().querySelector('button').disabled = false;
		say(text);
	};

	// The answer is a page of ours, the same that the form alone would lead to.
	const show = text => {
		const page = new DOMParser().parseFromString(text, 'text/html'), main = page.querySelector('main');
		if (!main) return stop('Something went wrong here. Nothing is lost; try again.');
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
		say('Sending the file');
		request.upload.addEventListener('progress', e => {
			if (e.lengthComputable) bar.value = 100 * e.loaded / e.total;
			if (e.loaded === e.total) say('The file is here; reading the list');
		});
		request.addEventListener('load', () => {
			if (request.status === 200 && request.responseURL) history.pushState(null, '', request.responseURL);
			show(request.responseText);
		});
		request.addEventListener('error', () => stop('The connection broke. Nothing is lost; try again.'));
		request.open('POST', sent.action);
		request.send(new FormData(sent));
	});
})();
