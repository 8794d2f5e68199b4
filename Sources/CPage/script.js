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
  const warn = (text) => {
    const place = byId("unsaved");
    // What was said before is not so any more; the place says the rest itself.
    say(place ? "" : text);
    if (place) place.textContent = text;
  };

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

  // What stands for a control in what was drawn anew.
  const again = (former, place = main) => {
    if (former.id) return byId(former.id);
    const action = (one) => one.form?.getAttribute("action");
    const isChosen = /^(submit|radio|checkbox)$/.test(former.type);
    return [...place.querySelectorAll(former.localName)].find((one) =>
      ["name", "type", "href", "aria-label"].every((trait) => one.getAttribute(trait) === former.getAttribute(trait))
      && (!isChosen || one.value === former.value) && (!former.form || action(one) === action(former)));
  };
  // What may have the focus once a button was used, the best first. Items of a list are known by their places.
  const heirs = (used) => {
    const [, verb, lead, last] = /^(add|up|down|remove):((?:\d+\.)*)(\d*)$/.exec(used.value) ?? [], place = Number(last);
    const at = (verb, place) => main.querySelector(`button[value="${verb}:${lead}${place}"]`);
    const back = verb === "up", now = back ? place - 1 : place + 1;
    if (verb === "up" || verb === "down") return [at(verb, now), at(back ? "down" : "up", now), again(used)];
    if (verb === "remove") {
      return [at(verb, place), at(verb, place - 1), main.querySelector(`button[value="add:${lead.slice(0, -1)}"]`)];
    }
    if (verb === "add") {
      const path = lead + last, count = main.querySelector(`input[name="n:${path}"]`)?.value;
      const item = main.querySelector(`button[value="remove:${path && path + "."}${count - 1}"]`)?.closest(".item");
      return [...item?.querySelectorAll("input:not([type=hidden]), select, textarea, button") ?? [], again(used)];
    }
    // Others are known by their forms: of the same item, of those after it, of those before it.
    const item = used.closest(".items > li"), items = [...item?.parentNode.children ?? []], index = items.indexOf(item);
    const form = item && [...main.querySelectorAll("form")].find((one) => one.action === used.form?.action);
    const others = [...items.slice(index + 1), ...items.slice(0, Math.max(index, 0)).reverse()]
      .map((one) => [...one.querySelectorAll("button")].find((button) => button.value === used.value));
    const row = byId(used.closest(".row")?.id);
    return [again(used), ...form?.querySelectorAll("button") ?? [], ...others.map((one) => one && again(one)),
      row?.querySelector("input[name^='v:']:checked"), ...row?.querySelectorAll("[name^='v:'], a") ?? []];
  };
  const take = (places, options) => places.some((one) => { one?.focus(options); return one && one === document.activeElement; });

  // Whoever has used something is told what became of it, and goes on there. The focus stays where nobody has.
  const show = (html, focus, used) => {
    const former = document.activeElement, isInside = main.contains(former);
    main.innerHTML = html;
    dress(main);
    tell();
    const same = isInside && former !== main && former !== used ? again(former) : null;
    if (!focus) {
      if (isInside) take([same, main], { preventScroll: true });
      return;
    }
    const notice = byId("notice");
    // What was moved is read by itself.
    const isMoved = /^(up|down|remove)$/.test(used?.value) && !notice?.matches(".bad");
    if (notice && !isMoved) notice.focus();
    else if (isInside || former === document.body) take([same, ...used ? heirs(used) : [], notice, main]);
    const told = [...main.querySelectorAll("#notice, [role=status], #verdict")].find((one) => one.textContent.trim());
    say(told?.textContent ?? "");
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
    if (answer.status === 403) return refuse(answer.content);
    if (!answer.ok || !part) return show(answer.content, true, button);
    const link = [...main.querySelectorAll("a[data-part]")].find((one) => one.href === part.dataset.of);
    if (part.contains(document.activeElement)) take([link, main]);
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
  // Says why something may not be done, and leaves what is shown, and what was typed, as it is.
  const refuse = (html) => {
    const place = document.createElement("template");
    place.innerHTML = html;
    const notice = place.content.querySelector("#notice");
    if (byId("unsaved") || !notice) return warn(noticeOf(html));
    byId("notice")?.remove();
    main.prepend(notice);
    notice.focus();
    say(notice.textContent);
  };
  const send = async (form, button) => {
    const data = new FormData(form);
    if (button && button.name) data.append(button.name, button.value);
    const hasFiles = form.enctype === "multipart/form-data";
    const answer = await ask(form.action, { method: "POST", body: hasFiles ? data : new URLSearchParams(data) });
    if (answer.status === 403) return refuse(answer.content);
    const secrets = [...main.querySelectorAll("input[type=password]")].filter((field) => field.value);
    // Whoever decides on a trial goes on typing.
    if (typed && form !== byId("form")) return answer.ok ? keep(answer.content) : warn(noticeOf(answer.content));
    show(answer.content, true, button);
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

  // What a row shows, without what travels with it and what is added here.
  const bare = (row) => {
    const copy = row.cloneNode(true);
    for (const one of copy.querySelectorAll("input[type=hidden], input[type=color]")) one.remove();
    return copy.outerHTML;
  };
  // What others change.
  const replace = (row) => {
    const old = byId(row.id);
    if (!old) return;
    const field = row.querySelector("[name^='v:']");
    if (!isChanged(old)) {
      if (bare(old) === bare(row)) {
        for (const mark of row.querySelectorAll("input[type=hidden]")) {
          for (const one of old.querySelectorAll("input[type=hidden]")) if (one.name === mark.name) one.value = mark.value;
        }
        return;
      }
      const active = document.activeElement, hasFocus = old.contains(active);
      old.replaceWith(row);
      dress(row.parentNode);
      if (hasFocus) take([again(active, row), field, row.querySelector("a")], { preventScroll: true });
      return;
    }
    // What has changed may be what it depends on alone. When it was drawn is left out: before what was shown, and after a verb.
    const seen = (one) => [...one.querySelectorAll("input[name^='s:'], input[name^='z:']")]
      .map((mark) => mark.value.replace(mark.name.startsWith("s:") ? /^\d+\./ : /\.\d+$/, "")).join("\n");
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
    const verb = row.querySelector("select.verb")?.selectedOptions[0]?.textContent;
    note.textContent = `${words.changed} ${[value, verb].filter(Boolean).join(", ")}`;
  };
  const rows = (html) => {
    const place = document.createElement("template");
    place.innerHTML = html;
    for (const row of [...place.content.querySelectorAll(".row[data-name]")]) replace(row);
  };
  const noticeOf = (html) => new DOMParser().parseFromString(html, "text/html").querySelector("#notice")?.textContent ?? words.offline;
  // Draws anew all but what is being typed.
  const keep = (html) => {
    const place = document.createElement("template"), old = byId("trial");
    place.innerHTML = html;
    const now = place.content.querySelector("#trial"), active = document.activeElement;
    const hadFocus = old?.contains(active);
    if (old) old.remove();
    if (now) main.prepend(now);
    if (hadFocus) take([again(active), main], { preventScroll: true });
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
    const address = shown, form = byId("form");
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
      if (hasFocus) take([again(active, part), main], { preventScroll: true });
      const told = part.querySelector("[data-told]");
      if (told && told.textContent !== old.querySelector("[data-told]")?.textContent) say(told.textContent);
    }
    // What stands in such a page may be a form as well.
    const now = place.content.querySelector("#form");
    if (!now || !form?.dataset.revision || byId("form") !== form) return;
    const names = (one) => [...one.querySelectorAll(".row[data-name]")].map((row) => row.id).join();
    typed || names(now) === names(form) ? keep(answer.content) : show(answer.content, false);
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
