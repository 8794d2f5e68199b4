// One stream of events for all tabs of a browser, which has six connections to one address.
"use strict";
const tabs = new Set();
let events = null;
const listen = () => {
  if (events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource("/events");
  for (const kind of ["rows", "all", "resync"]) {
    events.addEventListener(kind, (event) => { for (const tab of tabs) tab.postMessage([kind, event.data]); });
  }
};
onconnect = (event) => {
  const tab = event.ports[0];
  tabs.add(tab);
  tab.onmessage = (told) => { if (told.data) { tabs.add(tab); listen(); } else tabs.delete(tab); };
  listen();
};
