import type { RunSummary } from '../../protocol/runs.js';

/** What the stream of changes reports: a run that is new or has changed, and whether the server is there. */
export type News =
  | { readonly kind: 'run'; readonly run: RunSummary }
  /** Connected, at first or again: what happened before has to be asked for. */
  | { readonly kind: 'open' }
  /** The server is away; the connection is tried again. */
  | { readonly kind: 'lost' };

const tryAgainMs = 1500;

/** Reads the server's stream of changes, and connects again when it was cut. Returns a function that stops. */
export const openLiveSource = (url: string, tell: (news: News) => void): (() => void) => {
  let stop: () => void;
  const connect = (): void => {
    const source = new EventSource(url);
    stop = () => source.close();
    source.addEventListener('open', () => tell({ kind: 'open' }));
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      tell({ kind: 'run', run: JSON.parse(data) as RunSummary }); // the protocol says what is there
    });
    source.addEventListener('error', () => {
      source.close();
      const timer = setTimeout(connect, tryAgainMs);
      stop = () => clearTimeout(timer);
      tell({ kind: 'lost' });
    });
  };
  connect();
  return () => stop();
};
