// Fills an empty time zone with the browser's own, where it is one we know, and shows it as one line.
'use strict';

(() => {
  const field = document.querySelector('input[data-own]');
  const zones = document.querySelector('#zones');
  if (!field || !zones || field.value) return;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zones.options].some(option => option.value === own)) return;
  field.value = own;
  const line = document.querySelector('.own-zone');
  const show = known => {
    line.hidden = !known;
    field.hidden = known;
  };
  line.querySelector('strong').textContent = own.slice(own.lastIndexOf('/') + 1).replaceAll('_', ' ');
  line.querySelector('time').textContent = new Date().toLocaleTimeString(document.documentElement.lang,
    { hour: 'numeric', minute: '2-digit' });
  line.querySelector('button').addEventListener('click', () => {
    show(false);
    field.select();
  });
  show(true);
})();
