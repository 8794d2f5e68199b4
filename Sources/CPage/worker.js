// One stream of events for all tabs of a browser, which has six connections to one address.
"use strict";
const tabs = new Set();
let events = null, revision = 0;
const tell = (kind, data) => { for (const tab of tabs) tab.postMessage([kind, data, revision]); };
const listen = () => {
  if (events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource("/events");
  for (const kind of ["now", "rows", "all", "resync"]) {
    events.addEventListener(kind, (event) => {
      revision = Math.max(revision, Number(kind === "now" ? event.data : event.lastEventId));
      tell(kind, event.data);
    });
  }
};
onconnect = (event) => {
  const tab = event.ports[0];
  const join = () => {
    tabs.add(tab);
    listen();
    // What came between its drawing and now.
    tab.postMessage(["now", "", revision]);
  };
  tab.onmessage = (told) => { if (told.data) join(); else tabs.delete(tab); };
  join();
};
