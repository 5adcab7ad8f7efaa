import type { At } from '../host.js';
import {
  answers,
  calls,
  endedAs,
  absent,
  guard,
  oneEnd,
  requestsAtMost,
  textReply,
  sent,
  type Scenario,
  type Observation,
} from '../scenario.js';

const stream = ['stream'] as const;
const speaks = { modes: stream, replies: [textReply('Some bad words here.', 6)] };
const closes = (...ends: Observation['ended'][]) => [oneEnd, endedAs(...ends)];

const p5Row = (id: string, title: string, rest: Omit<Scenario, 'id' | 'title' | 'promise'>): Scenario => ({
  id: `p5-${id}`,
  promise: 'P5',
  title,
  ...rest,
});

export const p5: readonly Scenario[] = [
  p5Row('plain', 'plain stream: one terminal event', { ...speaks, guards: [], checks: closes('completed') }),
  ...(['input', 'request', 'stream', 'step', 'answer'] as const).map((at) =>
    p5Row(`block-${at}`, `blocked at ${at}: one terminal event, blocked`, {
      ...speaks,
      guards: [guard(at, 'block')],
      checks: closes('blocked'),
    }),
  ),
  p5Row('provider-error', 'provider answers 400: one terminal event, failed', {
    modes: stream,
    replies: [{ kind: 'error', status: 400, message: 'no' }],
    guards: [guard('input', 'block', 'nothing')],
    checks: closes('failed'),
  }),
  p5Row('provider-drop', 'connection to the provider breaks: one terminal event, failed', {
    modes: stream,
    replies: [
      { kind: 'drop', after: { kind: 'text', text: 'Some words that break off in the middle of it.', chunks: 4 }, bytes: 700 },
    ],
    guards: [guard('input', 'block', 'nothing')],
    checks: closes('failed'),
  }),
];

/** A guard at each place asks for another attempt. */
const retried: readonly At[] = ['stream', 'step', 'toolResult', 'answer'];
const script = (at: At): Pick<Scenario, 'replies' | 'tools'> =>
  at === 'toolResult'
    ? { replies: [calls(['look', 'bad']), calls(['look', 'good']), textReply('Good words.')], tools: { look: 'bad data' } }
    : { replies: [textReply('Some bad words.'), textReply('Good words.')] };
const always = (at: At): Pick<Scenario, 'replies' | 'tools'> =>
  at === 'toolResult'
    ? { replies: [calls(['look', 'bad'])], tools: { look: 'bad data' } }
    : { replies: [textReply('Some bad words.')] };

export const p6: readonly Scenario[] = retried.flatMap((at): Scenario[] => [
  {
    id: `p6-bounded-${at}`,
    promise: 'P6',
    title: `guard at ${at} always requests a retry: at most 1 + 2 attempts`,
    ...always(at),
    retries: 2,
    guards: [guard(at, 'retry', 'bad')],
    checks: [requestsAtMost(at === 'toolResult' ? 4 : 3), endedAs('blocked', 'failed')],
  },
  {
    id: `p6-once-${at}`,
    promise: 'P6',
    title: `guard at ${at} requests one retry: the second attempt is the answer, and the model gets the reason`,
    ...script(at),
    guards: [guard(at, 'retry', 'bad', { times: 1 })],
    checks: [
      answers('Good words.'),
      endedAs('completed'),
      sent('say it better'),
      ...(at === 'toolResult' ? [] : [absent('bad words', 'shown', 'answer')]),
    ],
  },
]);
