// One stream of events for all tabs of a browser, which has six connections to one address.
"use strict";
const tabs = new Set();
let events = null, revision = 0, first = null, prompts = null;
const tell = (...news) => {
  // The one that was looked at last does not wait for the others to draw.
  if (first) first.postMessage(news);
  for (const tab of tabs) if (tab !== first) tab.postMessage(news);
};
const listen = () => {
  if (events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource("/events");
  for (const kind of ["now", "rows", "all", "resync"]) {
    events.addEventListener(kind, (event) => {
      revision = Math.max(revision, Number(kind === "now" ? event.data : event.lastEventId));
      tell(kind, event.data, revision);
    });
  }
  events.addEventListener("prompts", (event) => { prompts = event.data; tell("prompts", prompts); });
};
onconnect = (event) => {
  const tab = event.ports[0];
  const join = () => {
    first = tab;
    tabs.add(tab);
    listen();
    // What came between its drawing and now.
    tab.postMessage(["now", "", revision]);
    if (prompts) tab.postMessage(["prompts", prompts]);
  };
  const leave = () => {
    tabs.delete(tab);
    if (first === tab) first = null;
  };
  tab.onmessage = (told) => { told.data ? join() : leave(); };
  join();
};
