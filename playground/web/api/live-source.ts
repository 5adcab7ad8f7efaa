import type { RunSummary } from '../../protocol/runs.js';

/** The reports of the stream of changes: a new or changed run, and whether the server is reachable. */
export type News =
  | { readonly kind: 'run'; readonly run: RunSummary }
  /** Connected, at first or again: earlier changes must be requested. */
  | { readonly kind: 'open' }
  /** The server is away; the connection is retried. */
  | { readonly kind: 'lost' };

const tryAgainMs = 1500;

/** Reads the server's stream of changes, and reconnects after a disconnect. Returns a function that stops. */
export const openLiveSource = (url: string, onNews: (news: News) => void): (() => void) => {
  let stop: () => void;
  const connect = (): void => {
    const source = new EventSource(url);
    stop = () => source.close();
    source.addEventListener('open', () => onNews({ kind: 'open' }));
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      onNews({ kind: 'run', run: JSON.parse(data) as RunSummary }); // by the protocol
    });
    source.addEventListener('error', () => {
      source.close();
      const timer = setTimeout(connect, tryAgainMs);
      stop = () => clearTimeout(timer);
      onNews({ kind: 'lost' });
    });
  };
  connect();
  return () => stop();
};
