import {
  answers,
  calls,
  effectsAre,
  endedAs,
  absent,
  guard,
  notSent,
  textReply,
  sent,
  type Scenario,
  type Observation,
} from '../scenario.js';

const both = { group: 'both' } as const;
const names = (at: 'input' | 'answer' | 'step') => [
  guard(at, 'edit', 'Ann', { to: '[name]', ...both }),
  guard(at, 'edit', 'Oslo', { to: '[city]', ...both }),
];

export const p7: readonly Scenario[] = [
  {
    id: 'p7-input',
    promise: 'P7',
    title: 'two guards of the input edit different words: both edits reach the model, no other word changes',
    turns: ['Ann lives in Oslo today.'],
    replies: [textReply('Fine.')],
    guards: names('input'),
    checks: [sent('[name] lives in [city] today.')],
  },
  ...(['step', 'answer'] as const).map((at): Scenario => ({
    id: `p7-${at}`,
    promise: 'P7',
    title: `two guards of the ${at} edit different words: the caller has both edits`,
    replies: [textReply('Ann lives in Oslo today.')],
    guards: names(at),
    checks: [answers('[name] lives in [city] today.')],
  })),
  {
    id: 'p7-result',
    promise: 'P7',
    title: 'two guards of a tool result edit different words: the model reads both edits',
    replies: [calls(['look', 'up']), textReply('Done.')],
    tools: { look: 'Ann lives in Oslo today.' },
    guards: [
      guard('toolResult', 'edit', 'Ann', { to: '[name]', ...both }),
      guard('toolResult', 'edit', 'Oslo', { to: '[city]', ...both }),
    ],
    checks: [sent('[name] lives in [city] today.')],
  },
];

const slow = { workMs: 150, ...both };
const orders = [
  ['edit-block', [guard('input', 'edit', 'Hello', { to: 'Hi', ...both }), guard('input', 'block', 'Hello', both)]],
  ['block-edit', [guard('input', 'block', 'Hello', both), guard('input', 'edit', 'Hello', { to: 'Hi', ...both })]],
  ['slow-block', [guard('input', 'block', 'Hello', slow), guard('input', 'edit', 'Hello', { to: 'Hi', ...both })]],
] as const;

export const p8: readonly Scenario[] = [
  ...orders.map(([id, guards]): Scenario => ({
    id: `p8-${id}`,
    promise: 'P8',
    title: `in parallel, ${id.replace('-', ' and ')}: the run is blocked, in any order`,
    replies: [textReply('Fine.')],
    guards,
    checks: [endedAs('blocked'), ({ requests }) => (requests.length > 0 ? 'a request was sent' : undefined)],
  })),
  {
    id: 'p8-sibling',
    promise: 'P8',
    title: 'in parallel, one guard blocks at once: the other gets a signal to stop',
    replies: [textReply('Fine.')],
    guards: [guard('input', 'block', 'Hello', both), guard('input', 'edit', 'Hello', { to: 'Hi', ...both, workMs: 400 })],
    checks: [
      endedAs('blocked'),
      ({ canceled, judged }) => (canceled.length > 0 || judged <= 'Hello.'.length ? undefined : 'the other guard got no signal'),
    ],
  },
];

const same = ({ ended, answer, shown, effects, requests }: Observation) => ({
  ended,
  words: shown || answer,
  effects,
  requests: requests.length,
});
const p9Row = (id: string, title: string, rest: Omit<Scenario, 'id' | 'title' | 'promise' | 'checks' | 'equal'>): Scenario => ({
  id: `p9-${id}`,
  promise: 'P9',
  title: `generate and stream agree: ${title}`,
  checks: [],
  equal: same,
  ...rest,
});

export const p9: readonly Scenario[] = [
  p9Row('block-answer', 'blocked answer', { replies: [textReply('Bad words.')], guards: [guard('answer', 'block', 'Bad')] }),
  p9Row('edit-answer', 'edited answer', {
    replies: [textReply('Bad words.')],
    guards: [guard('answer', 'edit', 'Bad', { to: 'Good' })],
  }),
  p9Row('edit-step', 'edited step', {
    replies: [textReply('Bad words.')],
    guards: [guard('step', 'edit', 'Bad', { to: 'Good' })],
  }),
  p9Row('retry-step', 'retried step', {
    replies: [textReply('Bad words.'), textReply('Good words.')],
    guards: [guard('step', 'retry', 'Bad')],
  }),
  p9Row('block-call', 'blocked call', {
    replies: [calls(['pay', 'all']), textReply('Paid.')],
    tools: { pay: 'receipt' },
    guards: [guard('toolCall', 'block', 'all')],
  }),
  p9Row('throw-answer', 'guard of the answer throws', { replies: [textReply('Words.')], guards: [guard('answer', 'throw')] }),
];

const child = {
  tools: {},
  replies: [calls(['helper', 'Go.']), textReply('Blocked-words of the helper.'), textReply('All done.')],
};
const p10Row = (at: 'input' | 'step' | 'stream' | 'answer', on: string): Scenario => ({
  id: `p10-${at}`,
  promise: 'P10',
  title: `sub-agent blocked at ${at}: its supervisor reads a refusal, not the words`,
  ...child,
  ...(at === 'input' && { replies: [calls(['helper', 'Go.']), textReply('All done.')] }),
  guards: [],
  childGuards: [guard(at, 'block', on)],
  checks: [notSent('Blocked-words'), absent('Blocked-words', 'answer', 'shown', 'result')],
});

export const p10: readonly Scenario[] = [
  p10Row('input', 'Go'),
  p10Row('stream', 'Blocked-words'),
  p10Row('step', 'Blocked-words'),
  p10Row('answer', 'Blocked-words'),
];

const long = 'word '.repeat(1_000);
const linear = ({ judged }: Observation) =>
  judged > 4 * long.length ? `guards were given ${judged} characters for ${long.length}` : undefined;

export const p12: readonly Scenario[] = [
  {
    id: 'p12-stream',
    promise: 'P12',
    title: '1,000 deltas: a guard of the stream reads each character a bounded number of times',
    modes: ['stream'],
    replies: [textReply(long, 5)],
    guards: [guard('stream', 'block', 'nothing', { buffered: true })],
    checks: [linear, answers('word word')],
  },
  {
    id: 'p12-step',
    promise: 'P12',
    title: 'long answer after a tool call: a guard of steps reads each step once',
    replies: [calls(['look', 'up']), textReply(long)],
    tools: { look: 'data' },
    guards: [guard('step', 'block', 'nothing')],
    checks: [linear, effectsAre('look(up)')],
  },
];
