// One stream of events for all tabs of a browser. Each tab says which event its page is from, and is sent what happened
// since.
const ports = new Set();
let source = null;
let state = "joining";
let recent = [];
let last = 0;

function tell(message) {
  for (const p of ports) p.postMessage(message);
}

function open() {
  source = new EventSource(`/v1/events/stream?since_id=${last}`);
  source.onopen = () => { state = "live"; tell({ state }); };
  source.onmessage = (e) => {
    const { id, project, task, kind } = JSON.parse(e.data);
    last = id;
    recent.push({ id, project, task, kind });
    if (recent.length > 1000) recent = recent.slice(-500);
    tell({ event: { id, project, task, kind } });
  };
  source.onerror = () => {
    state = "lost";
    tell({ state });
    if (source.readyState === EventSource.CLOSED) setTimeout(open, 3000);
  };
}

onconnect = (e) => {
  const port = e.ports[0];
  port.onmessage = ({ data }) => {
    if (data.bye) { ports.delete(port); return; }
    ports.add(port);
    port.postMessage({ state });
    if (!source) {
      last = data.from;
      open();
      return;
    }
    const missed = recent.filter((r) => r.id > data.from);
    if (missed.length) port.postMessage({ event: missed.at(-1), several: missed });
    else if (recent.length === 0 || recent[0].id > data.from + 1 && data.from < last) port.postMessage({ event: { id: last } });
  };
};
