import type { ErrorRow } from './error-row.js';

/** What looks at runs raises: the studio, traces, evaluations and the command line. */
export const workbenchRows = {
  'studio/not-found': { actor: 'caller', say: 'There is no such thing here; see the lists of runs, agents and pipelines.' },
  'studio/invalid-request': { actor: 'caller', say: 'The request cannot be understood; correct the named field.' },
  'studio/not-suspended': {
    actor: 'caller',
    say: 'The run waits for nobody in this process: it goes on, has ended, or its process is gone.',
  },
  'studio/content-withheld': {
    actor: 'operator',
    say: "Words that nobody has seen are not kept here; start the studio with content: 'all'.",
  },
  'studio/unauthorized': {
    actor: 'caller',
    say: 'The studio wants its token; open the address that it printed when it started.',
  },
  'studio/forbidden': { actor: 'caller', say: 'The request comes from another site; open the studio at its own address.' },
  'studio/interrupted': { actor: 'operator', say: 'The process that held this run has ended; start the run again.' },
  'studio/port-taken': {
    actor: 'operator',
    say: 'Another program listens on this port; stop it, or choose another with --port.',
  },
  'studio/unusable-file': {
    actor: 'operator',
    say: 'Runs cannot be kept in this file; give a file that can be written to, or --file memory.',
  },
  'studio/invalid-option': { actor: 'operator', say: 'An option has a value that cannot be used; see --help.' },
  'studio/invalid-entry': {
    actor: 'operator',
    say: 'The entry file gives no Mastra instance; export one as `mastra` or as the default.',
  },
  'studio/no-assets': { actor: 'operator', say: 'The pages are not built; run npm run build.' },
  'trace/invalid': { actor: 'caller', say: 'This is no trace that can be read; record the run again.' },
  'trace/version': {
    actor: 'caller',
    say: 'The trace is of another version of the format; read it with the version of the library that wrote it.',
  },
  'trace/redacted': {
    actor: 'caller',
    say: 'The trace was redacted, so that nothing can be replayed; take the trace as it was recorded.',
  },
  'eval/invalid-data': {
    actor: 'caller',
    say: 'This is no data set that guards can be evaluated on; correct the line that is named.',
  },
  'eval/nobody-judges': {
    actor: 'caller',
    say: 'No guard would be asked about this line, so that it would always pass; give guards for its side, or take the line out.',
  },
  'eval/unknown-metric': { actor: 'caller', say: 'There is no such metric to set a bound for; use one of those that are named.' },
  'eval/invalid-bound': {
    actor: 'caller',
    say: 'This bound cannot be kept, or cannot be broken; a share is written as 0.01, not as 1 %.',
  },
  'command/invalid-module': {
    actor: 'caller',
    say: 'The module exports no guards; export an InterlockAgent, a pipeline, a guard or guards by lane, as its default or as `agent`, `pipeline` or `guards`.',
  },
  'command/failed-module': { actor: 'caller', say: 'The module does not load; correct what its own error names.' },
  'command/unreadable-file': { actor: 'caller', say: 'The file cannot be read; name one that can.' },
} as const satisfies Record<`${'studio' | 'trace' | 'eval' | 'command'}/${string}`, ErrorRow>;
