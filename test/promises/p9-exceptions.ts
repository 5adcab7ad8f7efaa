import { expectedOf, type Row } from './p9-rows.js';

/** Rows that a host cannot promise, with the reason from the guide. */
export interface Exception {
  readonly holds: (row: Row) => boolean;
  readonly why: string;
}

const isRetry = ({ verdict }: Row): boolean => verdict === 'retry' || verdict === 'exhausted';

/** The behavior of Mastra's own loop with any guards. */
export const stockExceptions: readonly Exception[] = [
  {
    why: 'Only `processOutputStep` can retry. A retry that another hook requests is a tripwire.',
    holds: (row) =>
      (row.verdict === 'retry' && row.phase !== 'outputStep' && row.phase !== 'apiError') ||
      (row.verdict === 'exhausted' && ['outputStream', 'llmResponse', 'toolResult', 'outputResult'].includes(row.phase)),
  },
  {
    why: 'A block in `processAPIError` fails the call.',
    holds: (row) => row.phase === 'apiError' && (row.verdict === 'trip' || isRetry(row)),
  },
  {
    why: 'If `processOutputStep` blocks, the answer stays in the result and in memory.',
    holds: ({ phase, verdict, tools, memory }) =>
      phase === 'outputStep' && (verdict === 'trip' || verdict === 'exhausted') && (memory || !tools),
  },
  {
    why: 'If `processOutputResult` blocks, the answer stays in the messages of the result.',
    holds: ({ phase, verdict }) => phase === 'outputResult' && verdict === 'trip',
  },
  {
    why: 'A stream guard that fails ends the run as a tripwire, not as a failure.',
    holds: ({ phase, verdict }) => phase === 'outputStream' && verdict === 'fail',
  },
  {
    why: 'Memory saves the turn of a run that failed in the model call or right after it.',
    holds: ({ phase, verdict, memory }) =>
      memory &&
      ((phase === 'apiError' && (verdict === 'pass' || verdict === 'fail')) || (phase === 'llmResponse' && verdict === 'fail')),
  },
  { why: 'Memory forgets the tools that ran if their run is rejected.', holds: (row) => expectedOf(row).saved === 'calls' },
];

/** Rows without a place in the AI SDK's loop. */
export const sdkExceptions: readonly Exception[] = [
  { why: 'There is no memory: the application stores its messages.', holds: (row) => expectedOf(row).saved !== 'nothing' },
  {
    why: "A retry on a tool's result becomes that tool's error; no step is repeated.",
    holds: (row) => row.phase === 'toolResult' && isRetry(row),
  },
];
