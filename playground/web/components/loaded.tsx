import type { ReactNode } from 'react';
import type { Loading } from '../api/use-loaded.js';
import { ErrorNotice } from './error-notice.js';
import { Waiting } from './waiting.js';

interface LoadedProps<T> {
  readonly loaded: Loading<T>;
  readonly noun: string;
  readonly children: (value: T) => ReactNode;
}

/** Loaded data; in its place the progress, or the error. */
export const Loaded = <T,>({ loaded, noun, children }: LoadedProps<T>) => {
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  return loaded.state === 'loading' ? <Waiting noun={noun} /> : children(loaded.value);
};
