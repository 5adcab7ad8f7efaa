import type { Pieces } from './cuts.js';
import { type Part, finishOf } from './scripted-parts.js';

/** The position of a text in a model's stream. */
export const streamShapes = [
  /** The words of one part. */
  'text',
  /** The reasoning of one part. */
  'reasoning',
  /** Words, with a piece of reasoning between each two pieces. */
  'around-reasoning',
  /** Words, with a source between each two pieces. */
  'around-sources',
  /** The words of two concurrent parts, whose pieces alternate. */
  'two-texts',
  /** A text in the arguments of a tool call, which are cut as JSON. */
  'arguments',
] as const;

export type StreamShape = (typeof streamShapes)[number];

const start = (kind: 'text' | 'reasoning', id: string): Part => ({ type: `${kind}-start`, id });
const delta = (kind: 'text' | 'reasoning', id: string, text: string): Part => ({ type: `${kind}-delta`, id, delta: text });
const end = (kind: 'text' | 'reasoning', id: string): Part => ({ type: `${kind}-end`, id });

const part = (kind: 'text' | 'reasoning', pieces: Pieces): Part[] => [
  start(kind, 'one'),
  ...pieces.map((piece) => delta(kind, 'one', piece)),
  end(kind, 'one'),
];

const around =
  (between: (index: number) => Part[]) =>
  (pieces: Pieces): Part[] => [
    start('text', 'one'),
    ...pieces.flatMap((piece, index) => [...(index > 0 ? between(index) : []), delta('text', 'one', piece)]),
    end('text', 'one'),
  ];

const thought = (index: number): Part[] => [
  start('reasoning', `around-${index}`),
  delta('reasoning', `around-${index}`, 'Hm.'),
  end('reasoning', `around-${index}`),
];
const source = (index: number): Part[] => [{ type: 'source', sourceType: 'url', id: `around-${index}`, url: 'urn:0' }];

const call = (pieces: Pieces): Part[] => [
  { type: 'tool-input-start', id: 'call', toolName: 'note' },
  ...pieces.map((piece) => ({ type: 'tool-input-delta', id: 'call', delta: piece })),
  { type: 'tool-input-end', id: 'call' },
  { type: 'tool-call', toolCallId: 'call', toolName: 'note', input: pieces.join('') },
];

const bodies: Record<StreamShape, (pieces: Pieces) => Part[]> = {
  text: (pieces) => part('text', pieces),
  reasoning: (pieces) => part('reasoning', pieces),
  'around-reasoning': around(thought),
  'around-sources': around(source),
  'two-texts': (pieces) => [
    start('text', 'one'),
    start('text', 'two'),
    ...pieces.flatMap((piece) => [delta('text', 'one', piece), delta('text', 'two', piece)]),
    end('text', 'one'),
    end('text', 'two'),
  ],
  arguments: call,
};

/** The part to cut: the text, or the JSON that contains it. */
export const cutText = (shape: StreamShape, text: string): string => (shape === 'arguments' ? JSON.stringify({ text }) : text);

/** The parts of a model's answer that contains a text in these pieces. */
export const partsOfShape = (shape: StreamShape, pieces: Pieces): Part[] => [
  { type: 'stream-start', warnings: [] },
  ...bodies[shape](pieces),
  { type: 'finish', ...finishOf.v2(shape === 'arguments' ? 'tool-calls' : 'stop') },
];
