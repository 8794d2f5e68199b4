// What a page does more with a script than without: it saves and searches without loading anew, shows what others change, and
// asks the library about what is being typed. Whatever goes wrong here leaves a page that works as it would without.
"use strict";
(() => {
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  const words = document.body.dataset;
  const byId = (id) => document.getElementById(id);
  const token = () => document.querySelector("input[name=csrf]").value;
  let shown = location.href;
  let typed = false;

  const say = (text) => { live.textContent = ""; live.textContent = text; };
  const warn = (text) => { const place = byId("unsaved"); place ? place.textContent = text : say(text); };

  // Controls, by their rows.
  const state = (row) => JSON.stringify([...row.querySelectorAll("[name]:not([type=hidden]):not(button)")].map(
    (field) => field.type === "checkbox" || field.type === "radio" ? field.checked
      : field.type === "file" ? field.files.length : field.value));
  const starts = new WeakMap();
  const isChanged = (row) => starts.has(row) && starts.get(row) !== state(row);
  const remember = (row) => { if (!starts.has(row)) starts.set(row, state(row)); };

  const tell = () => {
    const place = byId("unsaved");
    typed = !!place && [...main.querySelectorAll(".row")].some(isChanged);
    if (place) place.textContent = typed ? words.unsaved : "";
  };

  // A text field of a color gets a picker beside it.
  const dress = (place) => {
    for (const row of place.querySelectorAll("[data-kind=color]")) {
      const field = row.querySelector("input[type=text]");
      if (!field || field.disabled || row.querySelector("input[type=color]")) continue;
      const picker = document.createElement("input");
      picker.type = "color";
      picker.setAttribute("aria-label", row.querySelector("label").textContent);
      const follow = () => { if (/^#[0-9a-f]{6}/i.test(field.value)) picker.value = field.value.slice(0, 7); };
      follow();
      picker.addEventListener("input", () => {
        field.value = picker.value + (field.value.length === 9 ? field.value.slice(7) : "");
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
      field.addEventListener("input", () => {
        follow();
        const drawn = row.querySelector("rect");
        if (drawn && /^#[0-9a-f]{6,8}$/i.test(field.value)) drawn.setAttribute("fill", field.value);
      });
      field.after(picker);
    }
    for (const time of place.querySelectorAll("time")) {
      const moment = new Date(time.dateTime);
      if (!isNaN(moment)) time.textContent = moment.toLocaleString(document.documentElement.lang);
    }
  };

  const show = (html, focus) => {
    main.innerHTML = html;
    dress(main);
    tell();
    const notice = byId("notice");
    if (notice && focus) { notice.focus(); say(notice.textContent); }
  };

  const fetchPart = async (address, options) => {
    const answer = await fetch(address, { ...options, headers: { "X-Livery-Script": "1" }, redirect: "follow" });
    answer.content = await answer.text();
    // A whole document instead of a part is what is shown to those without a session.
    answer.isForNobody = /^\s*<!DOCTYPE/i.test(answer.content);
    return answer;
  };
  const ask = async (address, options = {}) => {
    let answer = await fetchPart(address, options);
    if (answer.isForNobody && options.body) {
      // Another tab may have opened a new session, whose token it takes.
      const found = / name="csrf" value="([^"]*)"/.exec((await fetchPart("/")).content);
      if (found && found[1] !== token()) {
        for (const field of document.querySelectorAll("input[name=csrf]")) field.value = found[1];
        options.body.set("csrf", found[1]);
        answer = await fetchPart(address, options);
      }
    }
    if (answer.isForNobody) { warn(words.ended); throw new Error(words.ended); }
    return answer;
  };

  const visit = async (address, focus) => {
    const answer = await ask(address);
    show(answer.content, false);
    shown = address;
    if (focus) main.focus();
    for (const link of document.querySelectorAll("nav a")) {
      const here = new URL(link.href).pathname, there = new URL(address, location.href).pathname;
      const isHere = here === there || there === "/" && here === "/at/0";
      if (isHere) link.setAttribute("aria-current", "page");
      else if (there.startsWith(here + ".")) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  // Taking a commit back leaves alone what is being typed: the rows that it changes come as those that others change.
  const undo = async (button) => {
    const body = new URLSearchParams({ csrf: token(), [button.name]: button.value });
    const answer = await ask(button.formAction, { method: "POST", body });
    const part = button.closest(".part");
    if (!answer.ok || !part) return show(answer.content, true);
    part.textContent = "";
    delete part.dataset.of;
  };

  // Saving, and every other button of the form.
  main.addEventListener("submit", async (event) => {
    const form = event.target, button = event.submitter;
    event.preventDefault();
    if (button && button.hasAttribute("formaction")) return undo(button);
    const data = new FormData(form);
    if (button && button.name) data.append(button.name, button.value);
    const hasFiles = form.enctype === "multipart/form-data";
    try {
      const answer = await ask(form.action, { method: "POST", body: hasFiles ? data : new URLSearchParams(data) });
      const secrets = [...main.querySelectorAll("input[type=password]")].filter((field) => field.value);
      show(answer.content, true);
      // What was typed for a secret is not sent back.
      if (!answer.ok || /^(reset|add):/.test(button?.value)) {
        for (const field of secrets) { const now = byId(field.id); if (now) now.value = field.value; }
      }
      if (answer.redirected) history.replaceState(null, "", answer.url.replace(/\?saved=\d+$/, ""));
    } catch (error) { warn(error.message === words.ended ? words.ended : words.offline); }
  });

  // What is wrong with what is being typed.
  let checking = 0;
  const check = async (row) => {
    const mark = row.querySelector("input[name^='s:']");
    const place = row.querySelector(".error");
    if (!mark || !place) return;
    const body = new URLSearchParams({ csrf: token(), [mark.name]: mark.value });
    for (const field of row.querySelectorAll("[name^='v:']")) {
      if ((field.type === "checkbox" || field.type === "radio") && !field.checked) continue;
      body.append(field.name, field.value);
    }
    const answer = await ask("/check", { method: "POST", body });
    if (!answer.ok) return;
    const text = answer.content.trim();
    if (place.textContent !== text) place.textContent = text;
    const control = row.querySelector("[name^='v:']");
    if (control) text ? control.setAttribute("aria-invalid", "true") : control.removeAttribute("aria-invalid");
  };
  main.addEventListener("focusin", (event) => { const row = event.target.closest(".row"); if (row) remember(row); });
  main.addEventListener("input", (event) => {
    const row = event.target.closest(".row");
    if (!row) return;
    tell();
    clearTimeout(checking);
    checking = setTimeout(() => check(row).catch(() => {}), 150);
  });
  main.addEventListener("change", tell);

  // Why and history, in place.
  main.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-part]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const place = byId("p" + link.dataset.part);
    if (place.dataset.of === link.href) { place.textContent = ""; delete place.dataset.of; return; }
    try {
      const part = document.createElement("template");
      part.innerHTML = (await ask(link.href)).content.replace(/<(\/?)h1/g, "<$1p");
      // The whole page is a form, and one within another is none.
      for (const form of part.content.querySelectorAll("form")) form.replaceWith(...form.querySelectorAll("button"));
      place.replaceChildren(part.content);
      place.dataset.of = link.href;
      dress(place);
    } catch { location.href = link.href; }
  });

  // Searching while typing.
  const query = byId("q");
  let before = null, asked = 0;
  const search = async () => {
    const number = ++asked, text = query.value;
    if (typed) return;
    if (!text) {
      if (before !== null) { await visit(before, false); before = null; }
      return;
    }
    if (before === null) before = shown;
    const answer = await ask("/search?q=" + encodeURIComponent(text));
    const html = answer.content;
    if (number === asked) { show(html, false); say(main.querySelector("[role=status]")?.textContent ?? ""); }
  };
  query.addEventListener("input", () => { search().catch(() => {}); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName)) { event.preventDefault(); query.focus(); }
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      const form = byId("form");
      if (form) { event.preventDefault(); form.requestSubmit(form.querySelector("button.main")); }
    }
  });

  addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });

  // What others change.
  const replace = (row) => {
    const old = byId(row.id);
    if (!old) return;
    if (!isChanged(old) && !old.contains(document.activeElement)) {
      old.replaceWith(row);
      dress(row.parentNode);
      return;
    }
    let note = old.querySelector(".meanwhile");
    if (!note) {
      note = document.createElement("p");
      note.className = "meanwhile";
      note.setAttribute("role", "status");
      old.querySelector(".error")?.after(note);
    }
    const field = row.querySelector("[name^='v:']");
    const own = old.querySelector("[name^='v:']");
    if (field && own && !isChanged(old)) { old.replaceWith(row); row.querySelector("[name^='v:']").focus(); return; }
    const value = !field || field.type === "password" ? "" : field.type === "checkbox" ? String(field.checked) : field.value;
    note.textContent = `${words.changed} ${value}`;
  };
  const hear = (kind, data) => {
    if (kind !== "rows") { if (!typed) visit(shown, false).catch(() => {}); return; }
    const place = document.createElement("template");
    place.innerHTML = data;
    for (const row of [...place.content.children]) replace(row);
  };
  const listen = () => {
    if (!window.SharedWorker) {
      const events = new EventSource("/events");
      for (const kind of ["rows", "all", "resync"]) events.addEventListener(kind, (event) => hear(kind, event.data));
      return;
    }
    const { port } = new SharedWorker("/worker.js");
    port.onmessage = (event) => hear(...event.data);
    addEventListener("pagehide", () => port.postMessage(false));
    addEventListener("pageshow", () => port.postMessage(true));
  };
  dress(main);
  tell();
  byId("notice")?.focus();
  listen();
})();
