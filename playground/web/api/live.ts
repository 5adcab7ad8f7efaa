import { openLiveSource, type News } from './live-source.js';
import { apiUrl, runFile } from './request.js';

type Listener = (news: News) => void;

/** Connects at the first listener. */
const createLive = (connect: (onNews: Listener) => void) => {
  const listeners = new Set<Listener>();
  let isConnected = false;
  return {
    /** Reports changes of runs to a page. Returns a function that stops. */
    listen: (listener: Listener): (() => void) => {
      listeners.add(listener);
      if (!isConnected) connect((news) => listeners.forEach((one) => one(news)));
      isConnected = true;
      return () => void listeners.delete(listener);
    },
  };
};

const connectToWorker = (onNews: Listener): void => {
  const { port } = new SharedWorker(new URL('live-worker.ts', import.meta.url), { type: 'module' });
  port.addEventListener('message', ({ data }: MessageEvent<News>) => onNews(data));
  port.start();
  port.postMessage(apiUrl('live'));
};

const connectAlone = (onNews: Listener): void => void openLiveSource(apiUrl('live'), onNews);

/** The stream of changes: all tabs share one, in browsers with shared workers. */
export const live = createLive(runFile ? () => undefined : 'SharedWorker' in globalThis ? connectToWorker : connectAlone);
