"use strict";
// Beside each field for a colour stands one that shows it, and by which it can be picked.
for (const typed of document.querySelectorAll(".colours input")) {
  const picked = document.createElement("input");
  const show = () => { picked.value = /^#[0-9a-f]{6}$/i.test(typed.value) ? typed.value : typed.placeholder; };
  picked.type = "color";
  picked.tabIndex = -1;
  picked.setAttribute("aria-hidden", "true"); // the field beside it says the same
  picked.addEventListener("input", () => { typed.value = picked.value; });
  typed.addEventListener("input", show);
  typed.after(picked);
  show();
}
