import type { Difference } from './compare.js';

/** A difference on purpose: its line in docs/guide/hosts.md, and the differences that it explains. */
export interface Known {
  readonly line: string;
  readonly explains: (difference: Difference) => boolean;
}

type Fields = Record<string, unknown> | undefined;

const fieldsOf = (value: unknown): Fields => value as Fields; // compared values are plain

/** The type of a chunk or span that one of the two lacks; in the stream of a sub-agent, too. */
const extraType = ({ stock, ours }: Difference): unknown => {
  const own = fieldsOf(stock === undefined ? ours : ours === undefined ? stock : undefined);
  return own?.['type'] === 'tool-output' ? fieldsOf(own['output'])?.['type'] : own?.['type'];
};

const extra =
  (side: 'stock' | 'ours', path: RegExp, ...types: string[]) =>
  (difference: Difference): boolean =>
    difference[side === 'stock' ? 'ours' : 'stock'] === undefined &&
    path.test(difference.path) &&
    types.includes(String(extraType(difference)));

const missingIn =
  (side: 'stock' | 'ours', path: RegExp) =>
  (difference: Difference): boolean =>
    difference[side] === undefined && path.test(difference.path);

export const known: readonly Known[] = [
  {
    line: "A sub-agent gets its supervisor's conversation without the instructions, with the text of the step that calls it.",
    explains: ({ path, stock, ours }) =>
      /^\.requests\[\d+\]\.body\.(input|system)\[/.test(path) &&
      (/You are the supervisor/.test(JSON.stringify(stock) ?? '') ||
        (stock === undefined && fieldsOf(ours)?.['role'] === 'assistant')),
  },
  {
    line: "Text parts in a UI stream have the provider's ids.",
    explains: ({ path, stock, ours }) => /\.ui\[\d+\]\.id$/.test(path) && stock === 'ID' && /^\d+$/.test(String(ours)),
  },
  {
    line: 'Observational memory counts only accepted content, and observes the answer at the end of the run: marks have other numbers of tokens, the stream ends with a `data-om-status`, and the observer has a trace of its own, without spans of memory.',
    explains: (difference) =>
      /data\.(windows\.active\.messages\.tokens|tokens(ToObserve|Observed))$|tokenEstimate|providerMetadata\.mastra$|responseBoundary$/.test(
        difference.path,
      ) ||
      extra('ours', /\.(chunks|ui)\[\d+\]$/, 'data-om-status')(difference) ||
      extra('stock', /^\.talks\.\w+\.rows\[.*\.parts\[\d+\]$/, 'step-start')(difference) ||
      extra('stock', /^\.spans/, 'memory_operation')(difference) ||
      /observational-memory-observer/.test(String(fieldsOf(difference.ours)?.['name'])),
  },
  {
    line: 'The first chunk of a stopped stream is `start`, and `finish` follows the tripwire.',
    explains: extra('ours', /\.chunks\[\d+\]$/, 'start', 'finish'),
  },
  {
    line: 'In results, `toolCalls` and `toolResults` have no `providerMetadata`; the messages and the stream have it.',
    explains: missingIn('ours', /\.tool(Calls|Results)\[\d+\]\.providerMetadata$/),
  },
  {
    line: "In streams, a `tool-call` has the provider's metadata, and a `tool-result` only that of Mastra.",
    explains: ({ path }) => /\.ui\[\d+\]\.providerMetadata/.test(path),
  },
  {
    line: 'A workflow of processors has spans of its processors only, and the result of a tool is in the `tool_call` span only.',
    explains: (difference) =>
      extra('stock', /^\.spans/, 'workflow_run', 'mapping')(difference) ||
      /chunk: 'tool-result'/.test(JSON.stringify(difference.stock) ?? ''),
  },
  {
    line: 'The span of a stopped run has an empty `text`.',
    explains: ({ path, stock, ours }) => /^\.spans\[\d+\]\.output\.text$/.test(path) && stock === undefined && ours === '',
  },
];
