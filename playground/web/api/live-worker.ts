import { openLiveSource, type News } from './live-source.js';

const ports = new Set<MessagePort>();
let latest: News | undefined;

const postNews = (news: News): void => {
  if (news.kind !== 'run') latest = news;
  for (const port of ports) port.postMessage(news);
};

/** A browser opens six connections to a host: all tabs of the studio share this one. Each tab sends the address first. */
globalThis.addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports; // the types of pages lack the event
  if (!port) return;
  port.addEventListener('message', ({ data: url }: MessageEvent<string>) => {
    if (ports.size === 0) openLiveSource(url, postNews);
    ports.add(port);
    if (latest) port.postMessage(latest);
  });
  port.start();
});
