// Offers the browser's own time zone where it is another than the one chosen.
'use strict';

(() => {
  const form = document.querySelector('.here');
  const zones = document.querySelector('#zones');
  if (!form || !zones) return;
  // Some zones have two names; Intl gives the same one for both.
  const known = name => {
    try { return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone; } catch { return name; }
  };
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const real = [...zones.options].some(option => option.value === own);
  if (!real || own === form.dataset.zone || known(own) === known(form.dataset.zone)) return;
  form.elements.zone.value = own;
  form.querySelector('strong').textContent = own;
  form.classList.add('offered');
})();
