// Folders can be dragged into their order. The buttons beside them do the same.
'use strict';

for (const grip of document.querySelectorAll('.grip')) {
	const row = grip.closest('li'), list = row.parentElement, { form, formAction } = row.querySelector('button');
	const middle = other => other.getBoundingClientRect().top + other.offsetHeight / 2;
	let before = [];

	grip.addEventListener('pointerdown', event => {
		if (event.button !== 0) return;
		event.preventDefault();
		before = [...list.children];
		row.classList.add('dragged');
		grip.setPointerCapture(event.pointerId);
	});
	// The others make way: an element that is moved itself loses its pointer.
	grip.addEventListener('pointermove', ({ pointerId, clientY }) => {
		if (!grip.hasPointerCapture(pointerId)) return;
		for (let next; (next = row.nextElementSibling) && clientY > middle(next);) row.before(next);
		for (let last; (last = row.previousElementSibling) && clientY < middle(last);) row.after(last);
	});
	grip.addEventListener('lostpointercapture', () => {
		row.classList.remove('dragged');
		const by = [...list.children].indexOf(row) - before.indexOf(row);
		if (!by) return;
		form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'move', value: by }));
		form.action = formAction;
		form.submit();
	});
	const leave = () => list.append(...before);
	grip.addEventListener('pointercancel', leave);
	addEventListener('keydown', event => {
		if (event.key === 'Escape' && row.classList.contains('dragged')) leave();
	});
}
