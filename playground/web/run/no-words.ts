import { createContext } from 'react';

/** The reason why the text of the page's run cannot be shown; `undefined` if the server has it. */
export const NoWords = createContext<string | undefined>(undefined);

/** A run in another host's loop. */
export const notRecorded =
  'The words that this guard was given are not recorded: the run’s loop belongs to another host, and only an InterlockAgent records a trace.';
