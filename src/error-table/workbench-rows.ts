import { errorRows, type ErrorRow } from './error-row.js';

/** Errors of the studio, traces, evaluations and the command line. */
export const workbenchRows = errorRows({
  'studio/not-found': {
    actor: 'caller',
    say: 'The studio has nothing with this id; see the lists of runs, agents and pipelines.',
  },
  'studio/invalid-request': { actor: 'caller', say: 'The request is invalid; correct the named field.' },
  'studio/not-suspended': {
    actor: 'caller',
    say: 'The run is not suspended in this process: it is still running, has ended, or its process is gone; see the list of runs.',
  },
  'studio/content-withheld': {
    actor: 'operator',
    say: "The studio does not store text that was never emitted; start it with content: 'all'.",
  },
  'studio/unauthorized': {
    actor: 'caller',
    say: 'The studio requires a login; log in to the application that serves it, or open the address that it printed when it started.',
  },
  'studio/forbidden': { actor: 'caller', say: 'The request comes from another site; open the studio at its own address.' },
  'studio/interrupted': { actor: 'operator', say: 'The process of this run has ended; start the run again.' },
  'studio/port-taken': {
    actor: 'operator',
    say: 'Another program uses this port; stop it, or choose another port with --port.',
  },
  'studio/unusable-file': {
    actor: 'operator',
    say: 'Runs cannot be stored in this file; name a writable file, or use --file memory.',
  },
  'studio/invalid-option': { actor: 'operator', say: 'The value of this option is invalid; see --help.' },
  'studio/invalid-entry': {
    actor: 'operator',
    say: 'The entry file exports no Mastra instance and no agent of the AI SDK; export one, a Mastra instance as `mastra` or as the default.',
  },
  'studio/no-assets': { actor: 'operator', say: 'The pages are not built; run npm run build.' },
  'trace/invalid': { actor: 'caller', say: 'This is not a valid trace; record the run again.' },
  'trace/version': {
    actor: 'caller',
    say: 'The trace has another version of the format; read it with the version of the library that wrote it.',
  },
  'trace/redacted': {
    actor: 'caller',
    say: 'The trace was redacted: text that was not emitted is missing, so this part cannot be shown or replayed. Use the original trace, or export the run with all text.',
  },
  'eval/invalid-data': {
    actor: 'caller',
    say: 'The data set is invalid; correct the named line.',
  },
  'eval/no-judge': {
    actor: 'caller',
    say: 'No guard judges this line, so it would always pass; add guards for its side, or remove the line.',
  },
  'eval/unknown-metric': { actor: 'caller', say: 'The metric does not exist; use one that the message lists.' },
  'eval/invalid-bound': {
    actor: 'caller',
    say: 'This bound is always or never met; write a share as 0.01, not as 1 %.',
  },
  'command/invalid-module': {
    actor: 'caller',
    say: 'The module exports no guards; export an InterlockAgent, a pipeline, a guard or guards by array, as its default or as `agent`, `pipeline` or `guards`.',
  },
  'command/failed-module': { actor: 'caller', say: 'The module does not load; see its error and correct the module.' },
  'command/unreadable-file': { actor: 'caller', say: 'The file cannot be read; name a readable file.' },
}) satisfies Record<`${'studio' | 'trace' | 'eval' | 'command'}/${string}`, ErrorRow>;
