// Keys, search as you type, and a guard for text that is not saved. Everything works without it.
"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const writing = (element) => element && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

  // -- rows, by j and k
  let here = -1;
  const rows = () => $$("[data-row]").filter((row) => row.offsetParent !== null);
  const moveTo = (number) => {
    const all = rows();
    if (!all.length) return;
    all.forEach((row) => row.classList.remove("here"));
    here = Math.max(0, Math.min(number, all.length - 1));
    const row = all[here];
    row.classList.add("here");
    row.scrollIntoView({ block: "nearest" });
    const target = row.matches(".card") ? null : $("a.title, a, button", row);
    if (target) target.focus({ preventScroll: true });
  };
  const current = () => rows()[here];
  const cards = $("[data-cards]");
  if (cards) moveTo(Math.max(0, rows().findIndex((row) => `#${row.id}` === location.hash)));

  // -- keys
  let going = 0;
  const press = (key) => {
    const row = current();
    const target = (row && $(`[data-key="${CSS.escape(key)}"]`, row)) || $(`[data-key="${CSS.escape(key)}"]`);
    if (target) target.click();
    return Boolean(target);
  };
  document.addEventListener("keydown", (event) => {
    const element = document.activeElement;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const save = element && element.form && $("[data-save], button.main", element.form);
      if (save) { event.preventDefault(); save.click(); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (writing(element)) {
      if (event.key === "Escape") element.blur();
      if (event.key === "ArrowDown" && element.type === "search") { event.preventDefault(); moveTo(0); }
      return;
    }
    if (going && Date.now() - going < 1500) {
      going = 0;
      const link = $(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    switch (event.key) {
      case "j": moveTo(here + 1); break;
      case "k": moveTo(here - 1); break;
      case "g": going = Date.now(); break;
      case "/": ($("main input[type=search]") || $(".find input")).focus(); break;
      case "?": $("[data-keys]").click(); break;
      case "o": { const link = current() && $("a", current()); if (link) link.click(); break; }
      default: if (event.key.length !== 1 || !press(event.key)) return;
    }
    event.preventDefault();
  });

  // -- search as you type
  const live = $("form[data-live]");
  if (live) {
    const field = $("input[type=search]", live);
    const results = document.getElementById(live.dataset.live);
    const ask = () => new URLSearchParams(new FormData(live)).toString();
    let asked = ask(), busy = false;
    const look = async () => {  // at once; what is typed until the answer comes is asked for then
      const query = ask();
      if (busy || query === asked) return;
      busy = true;
      asked = query;
      try {
        const answer = await fetch(`/search?${query}&part=1`);
        if (!answer.ok) return;
        results.innerHTML = await answer.text();
        here = -1;
        history.replaceState(null, "", `/search?${query}`);
      } finally { busy = false; look(); }
    };
    field.addEventListener("input", look);
    if (field.hasAttribute("autofocus")) field.focus();
  }

  // -- text that is not saved
  $$("form[data-guard]").forEach((form) => {
    const state = () => new URLSearchParams(new FormData(form)).toString();
    const before = state();
    let sent = false;
    form.addEventListener("submit", () => { sent = true; });
    window.addEventListener("beforeunload", (event) => { if (!sent && state() !== before) event.preventDefault(); });
    setInterval(() => { if (state() !== before) fetch("/alive").catch(() => {}); }, 240000);
  });
})();
