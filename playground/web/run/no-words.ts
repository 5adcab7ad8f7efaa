import { createContext } from 'react';

/** Why the words of the run on the page cannot be shown; `undefined` where the server has them. */
export const NoWords = createContext<string | undefined>(undefined);

/** A run of a loop that is another host's. */
export const notRecorded =
  'The words that this guard was given are not recorded: the run’s loop belongs to another host, and only an InterlockAgent records a trace.';
