import type { At } from '../host.js';
import {
  calls,
  endedAs,
  absent,
  guard,
  noEffect,
  notSent,
  requestsAtMost,
  textReply,
  type Check,
  type Scenario,
} from '../scenario.js';

const look = { replies: [calls(['look', 'up']), textReply('Done: unjudged.')], tools: { look: 'raw data' } };
const speaks = { replies: [textReply('All unjudged words.', 4)] };

/** Events that must not happen when the guard at a place gives no verdict. */
const unjudged: readonly (readonly [at: At, consequence: string, script: Pick<Scenario, 'replies' | 'tools'>, check: Check])[] = [
  ['input', 'no request is sent', speaks, requestsAtMost(0)],
  ['request', 'no request is sent', speaks, requestsAtMost(0)],
  ['stream', 'its words do not stay with the reader', speaks, absent('unjudged', 'shown', 'answer')],
  ['step', 'its words do not stay with the caller', speaks, absent('unjudged', 'shown', 'answer')],
  ['toolCall', 'the tool does not run', look, noEffect('look')],
  ['toolResult', 'the model does not read the result', look, notSent('raw data')],
  ['answer', 'the caller does not get it', speaks, absent('unjudged', 'shown', 'answer')],
];

export const p3: readonly Scenario[] = unjudged.flatMap(([at, consequence, script, check]): Scenario[] => [
  {
    id: `p3-throw-${at}`,
    promise: 'P3',
    title: `guard at ${at} throws: ${consequence}`,
    ...script,
    guards: [guard(at, 'throw')],
    checks: [check],
  },
  {
    id: `p3-outage-${at}`,
    promise: 'P3',
    title: `guard at ${at} throws: the run does not end as completed or as a violation`,
    ...script,
    guards: [guard(at, 'throw')],
    checks: [endedAs('failed')],
  },
  {
    id: `p3-hang-${at}`,
    promise: 'P3',
    title: `guard at ${at} hangs: ${consequence}`,
    ...script,
    guards: [guard(at, 'hang')],
    checks: [check],
  },
]);
