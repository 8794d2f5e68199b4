// What a page does more with a script than without: it saves and searches without loading anew, shows what others change, and
// asks the library about what is being typed. Whatever goes wrong here leaves a page that works as it would without.
"use strict";
(() => {
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  const words = document.body.dataset;
  // With what the addresses of the form begin, where it is a part of another site.
  const root = words.root ?? "";
  const byId = (id) => document.getElementById(id);
  const token = () => document.querySelector("input[name=csrf]").value;
  let shown = location.href;
  let typed = false, isBusy = false;

  const say = (text) => { live.textContent = ""; live.textContent = text; };
  const warn = (text) => { const place = byId("unsaved"); place ? place.textContent = text : say(text); };

  // What is typed differs from what was drawn, or was drawn as it came back.
  const differs = (field) => {
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.type === "file") return field.files.length > 0;
    if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected);
    return field.value !== field.defaultValue;
  };
  const isChanged = (row) => "typed" in row.dataset && !row.closest("[data-kept]")
    || [...row.querySelectorAll("[name]:not([type=hidden]):not(button)")].some(differs);

  const tell = () => {
    const form = byId("form"), place = byId("unsaved");
    typed = !!form && ("typed" in form.dataset || [...form.querySelectorAll(".row")].some(isChanged));
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
      const found = / name="csrf" value="([^"]*)"/.exec((await fetchPart(root || "/")).content);
      if (found && found[1] !== token()) {
        for (const field of document.querySelectorAll("input[name=csrf]")) field.value = found[1];
        options.body.set("csrf", found[1]);
        answer = await fetchPart(address, options);
      }
    }
    if (answer.isForNobody) {
      // What was too large, say, has nothing to do with the session.
      const isEnded = answer.ok || answer.status === 401 || answer.status === 403;
      const told = isEnded ? "" : new DOMParser().parseFromString(answer.content, "text/html").querySelector("main")?.textContent;
      const text = told?.replace(/\s+/g, " ").trim() || words.ended;
      warn(text);
      throw Object.assign(new Error(text), { isTold: true });
    }
    return answer;
  };

  const visit = async (address, focus) => {
    const answer = await ask(address);
    show(answer.content, false);
    shown = address;
    if (focus) main.focus();
    for (const link of document.querySelectorAll("nav a")) {
      const here = new URL(link.href).pathname, there = new URL(address, location.href).pathname;
      const isHere = here === there || there === (root || "/") && here === root + "/at/0";
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
    if (form.method === "get") return;
    event.preventDefault();
    // The second of two clicks would be in conflict with the first.
    if (isBusy) return;
    isBusy = true;
    try {
      if (button && button.hasAttribute("formaction")) await undo(button);
      else await send(form, button);
    } catch (error) { if (!error.isTold) warn(words.offline); }
    isBusy = false;
    // What became of an answer may have been told in between.
    if (main.querySelector("[data-waits]")) visit(shown, true).catch(() => {});
  });
  // The name of a control of a list once an item has been moved or removed.
  const moved = (name, operation) => {
    const path = /^(up|down|remove):((?:\d+\.)*)(\d+)$/.exec(operation);
    if (!path || !name.startsWith(`m:${path[2]}`)) return name;
    const verb = path[1], place = Number(path[3]), rest = name.slice(2 + path[2].length).split(".");
    const index = Number(rest[0]), other = verb === "up" ? place - 1 : place + 1;
    if (verb === "remove") rest[0] = index === place ? "" : index - (index > place);
    else if (other >= 0) rest[0] = index === place ? other : index === other ? place : index;
    return `m:${path[2]}${rest.join(".")}`;
  };
  const send = async (form, button) => {
    const data = new FormData(form);
    if (button && button.name) data.append(button.name, button.value);
    const hasFiles = form.enctype === "multipart/form-data";
    const answer = await ask(form.action, { method: "POST", body: hasFiles ? data : new URLSearchParams(data) });
    const secrets = [...main.querySelectorAll("input[type=password]")].filter((field) => field.value);
    // Whoever decides on a trial goes on typing.
    if (typed && form !== byId("form")) return answer.ok ? keep(answer.content) : warn(noticeOf(answer.content));
    show(answer.content, true);
    // What was typed for a secret is not sent back; one that was rejected is typed anew.
    if (!answer.ok && !byId("form")?.dataset.prompt || /^(reset|add|up|down|remove):/.test(button?.value)) {
      const fields = [...main.querySelectorAll("input[type=password]")];
      for (const field of secrets) {
        const name = answer.ok ? moved(field.name, button.value) : field.name, now = fields.find((one) => one.name === name);
        if (now) now.value = field.value;
      }
      tell();
    }
    if (answer.redirected) {
      shown = answer.url.replace(/\?saved=\d+$/, "");
      history.replaceState(null, "", shown);
    }
  };

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
    const answer = await ask(root + "/check", { method: "POST", body });
    if (!answer.ok) return;
    const text = answer.content.trim();
    if (place.textContent !== text) place.textContent = text;
    const control = row.querySelector("[name^='v:']");
    if (control) text ? control.setAttribute("aria-invalid", "true") : control.removeAttribute("aria-invalid");
  };
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
    const answer = await ask(root + "/search?q=" + encodeURIComponent(text));
    const html = answer.content;
    if (number === asked) { show(html, false); say(main.querySelector("[role=status]")?.textContent ?? ""); }
  };
  query?.addEventListener("input", () => { search().catch(() => {}); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName)) { event.preventDefault(); query?.focus(); }
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
    const field = row.querySelector("[name^='v:']");
    if (!isChanged(old)) {
      const hasFocus = old.contains(document.activeElement);
      old.replaceWith(row);
      dress(row.parentNode);
      if (hasFocus) (field ?? row.querySelector("a"))?.focus();
      return;
    }
    // What has changed may be what it depends on alone.
    const seen = (one) => one.querySelector("input[name^='s:']")?.value.replace(/^\d+\./, "");
    if (seen(old) && seen(old) === seen(row)) return;
    let note = old.querySelector(".meanwhile");
    if (!note) {
      note = document.createElement("p");
      note.className = "meanwhile";
      note.setAttribute("role", "status");
      old.querySelector(".error")?.after(note);
    }
    const chosen = row.querySelector("[name^='v:']:checked");
    const value = !field || field.type === "password" ? ""
      : field.type === "checkbox" && !row.matches("fieldset") ? String(field.checked) : (chosen ?? field).value;
    note.textContent = `${words.changed} ${value}`;
  };
  const rows = (html) => {
    const place = document.createElement("template");
    place.innerHTML = html;
    for (const row of [...place.content.querySelectorAll(".row[data-name]")]) replace(row);
  };
  const noticeOf = (html) => new DOMParser().parseFromString(html, "text/html").querySelector(".notice")?.textContent ?? words.offline;
  // Draws anew all but what is being typed.
  const keep = (html) => {
    const place = document.createElement("template"), old = byId("trial");
    place.innerHTML = html;
    const now = place.content.querySelector("#trial");
    if (old) old.remove();
    if (now) main.prepend(now);
    byId("form").dataset.revision = / data-revision="(\d+)"/.exec(html)?.[1] ?? byId("form").dataset.revision;
    rows(html);
  };
  // Draws anew what nobody is typing.
  const refresh = async () => {
    const form = byId("form");
    if (main.querySelector("[data-live]")) return void await look();
    if (!form || !form.dataset.revision) return;
    const answer = await ask(shown);
    if (byId("form") !== form || !answer.ok) return;
    typed ? keep(answer.content) : show(answer.content, false);
  };
  // What shows how something goes on is drawn anew as it is then, at most once a second, unless somebody is at work in it.
  let looked = -1e9, waiting = 0;
  const look = async () => {
    const rest = looked + 1000 - performance.now();
    clearTimeout(waiting);
    if (rest > 0) { waiting = setTimeout(() => refresh().catch(() => {}), rest); return; }
    looked = performance.now();
    const address = shown;
    const answer = await ask(address);
    if (!answer.ok || address !== shown) return;
    const place = document.createElement("template");
    place.innerHTML = answer.content;
    for (const part of place.content.querySelectorAll("[data-live]")) {
      const old = byId(part.id);
      const active = document.activeElement, hasFocus = old?.contains(active);
      if (!old || old.innerHTML === part.innerHTML) continue;
      if (hasFocus && /^(input|select|textarea)$/i.test(active.tagName)) continue;
      old.replaceWith(part);
      dress(part);
      if (hasFocus) [...part.querySelectorAll(active.tagName)].find((one) => one.textContent === active.textContent)?.focus();
      const told = part.querySelector("[data-told]");
      if (told && told.textContent !== old.querySelector("[data-told]")?.textContent) say(told.textContent);
    }
  };
  // Prompts come and go above whatever is shown. The focus stays, unless it was on one that goes.
  let looks = 0;
  const seePrompts = async (revision) => {
    const bar = byId("prompts");
    if (!bar || bar.dataset.revision === revision) return;
    const number = ++looks;
    const answer = await fetchPart("/prompts");
    if (!answer.ok || answer.isForNobody || number !== looks) return;
    const known = [...bar.querySelectorAll("[data-prompt]")].map((line) => line.dataset.prompt);
    const had = bar.contains(document.activeElement);
    bar.dataset.revision = revision;
    bar.innerHTML = answer.content;
    if (had) (bar.querySelector("a") ?? main).focus();
    const fresh = [...bar.querySelectorAll("[data-prompt]")].find((line) => !known.includes(line.dataset.prompt));
    if (fresh) say(fresh.textContent);
    const own = byId("form")?.dataset.prompt;
    if (!isBusy && (main.querySelector("[data-waits]") || own && !bar.querySelector(`[data-prompt="${own}"]`))) {
      await visit(shown, true);
      say(byId("notice")?.textContent ?? "");
    }
  };
  const hear = (kind, data, revision) => {
    if (kind === "prompts") return void seePrompts(data).catch(() => {});
    const form = byId("form"), drawn = Number((form ?? main.querySelector("[data-live]"))?.dataset.revision ?? Infinity);
    if (kind === "rows") {
      rows(data);
      if (form && drawn < revision) form.dataset.revision = revision;
    } else if (kind !== "now" || revision > drawn) {
      refresh().catch(() => {});
    }
  };
  const listen = () => {
    if (window.SharedWorker) {
      const { port } = new SharedWorker("/worker.js");
      port.onmessage = (event) => hear(...event.data);
      addEventListener("pagehide", () => port.postMessage(false));
      addEventListener("pageshow", () => port.postMessage(true));
      addEventListener("focus", () => port.postMessage(true));
    } else {
      const events = new EventSource("/events");
      events.addEventListener("prompts", (event) => hear("prompts", event.data));
      for (const kind of ["now", "rows", "all", "resync"]) {
        events.addEventListener(kind, (event) => hear(kind, event.data, Number(kind === "now" ? event.data : event.lastEventId)));
      }
    }
  };
  // What is on trial counts down, and is drawn anew once it is over.
  setInterval(() => {
    const left = main.querySelector("[data-left]");
    if (!left) return;
    left.end ??= performance.now() + left.dataset.left * 1000;
    const seconds = Math.max(0, Math.ceil((left.end - performance.now()) / 1000));
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (seconds || left.isOver) return;
    left.isOver = true;
    refresh().catch(() => {});
  }, 1000);
  dress(main);
  tell();
  byId("notice")?.focus();
  listen();
})();
