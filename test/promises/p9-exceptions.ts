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
    why: 'A retry is granted in processOutputStep alone; asked for elsewhere it is a tripwire.',
    holds: (row) =>
      (row.verdict === 'retry' && row.phase !== 'outputStep' && row.phase !== 'apiError') ||
      (row.verdict === 'exhausted' && ['outputStream', 'llmResponse', 'toolResult', 'outputResult'].includes(row.phase)),
  },
  {
    why: 'A trip in processAPIError is a failure of the call.',
    holds: (row) => row.phase === 'apiError' && (row.verdict === 'trip' || isRetry(row)),
  },
  {
    why: 'A step that processOutputStep trips on runs its tools, and its answer is in the result and in memory.',
    holds: ({ phase, verdict }) => phase === 'outputStep' && (verdict === 'trip' || verdict === 'exhausted'),
  },
  {
    why: 'An answer that processOutputResult trips on stays in the messages of the result.',
    holds: ({ phase, verdict }) => phase === 'outputResult' && verdict === 'trip',
  },
  {
    why: 'A guard of the stream that fails is a tripwire, and not reported as a failure.',
    holds: ({ phase, verdict }) => phase === 'outputStream' && verdict === 'fail',
  },
  {
    why: 'The tools of a step run on which processLLMResponse failed.',
    holds: ({ phase, verdict, tools }) => phase === 'llmResponse' && verdict === 'fail' && tools,
  },
  {
    why: 'Memory keeps the turn of a run that failed in the model’s call or right after it, and the reasoning and files of the first step alone.',
    holds: ({ phase, verdict, memory }) =>
      memory &&
      ((phase === 'apiError' && (verdict === 'pass' || verdict === 'fail')) || (phase === 'llmResponse' && verdict === 'fail')),
  },
];

/** Rows without a place in the AI SDK's loop. */
export const sdkExceptions: readonly Exception[] = [
  { why: 'There is no memory: the application keeps its messages.', holds: (row) => expectedOf(row).saved === 'turn' },
  {
    why: 'A retry on a tool’s result is that tool’s error to the model, and the next step answers it: no step is made again.',
    holds: (row) => row.phase === 'toolResult' && isRetry(row),
  },
];
