import { apiUrl } from './request.js';

/** Told what comes of a stream of server-sent events. */
export interface Listener<T> {
  onOpen(): void;
  onValue(value: T): void;
  /** The server has said that nothing more will come. */
  onEnd(): void;
  /** The connection is gone. */
  onLost(): void;
}

/** Listens to server-sent events; gives a function that stops. */
export const listenTo = <T>(path: string, listener: Listener<T>): (() => void) => {
  const source = new EventSource(apiUrl(path));
  source.addEventListener('open', listener.onOpen);
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    listener.onValue(JSON.parse(data) as T); // the protocol says what is there
  });
  source.addEventListener('end', () => {
    source.close();
    listener.onEnd();
  });
  source.addEventListener('error', () => {
    source.close();
    listener.onLost();
  });
  return () => source.close();
};
