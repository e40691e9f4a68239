// Fills an empty time zone with the browser's own, where it is one we know.
'use strict';

(() => {
  const field = document.querySelector('input[data-own]');
  const zones = document.querySelector('#zones');
  if (!field || !zones || field.value) return;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...zones.options].some(option => option.value === own)) field.value = own;
})();
