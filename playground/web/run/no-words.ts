import { createContext } from 'react';

/** The reason why the text of the page's run cannot be shown; `undefined` if the server has it. */
export const NoWords = createContext<string | undefined>(undefined);

/** A run in another host's loop. */
export const notRecorded =
  'The input of this guard is not recorded. Another host runs the loop; only an InterlockAgent records a trace.';
