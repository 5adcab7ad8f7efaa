import { calls, effectsAre, endedAs, guard, noEffect, textReply, type Scenario } from '../scenario.js';

const pays = { replies: [calls(['pay', 'all']), textReply('Paid.')], tools: { pay: 'receipt 7' } };
const row = (id: string, title: string, rest: Omit<Scenario, 'id' | 'title' | 'promise'>): Scenario => ({
  id: `p1-${id}`,
  promise: 'P1',
  title,
  ...rest,
});

export const p1: readonly Scenario[] = [
  row('block-input', 'input blocked: no tool runs', {
    ...pays,
    guards: [guard('input', 'block')],
    checks: [noEffect('pay'), endedAs('blocked')],
  }),
  row('block-request', 'request blocked: no tool runs', {
    ...pays,
    guards: [guard('request', 'block')],
    checks: [noEffect('pay'), endedAs('blocked')],
  }),
  row('block-stream', 'words before a call blocked: the call does not run', {
    modes: ['stream'],
    replies: [{ kind: 'tool-calls', text: 'I will pay.', calls: [{ name: 'pay', args: { text: 'all' } }] }, textReply('Paid.')],
    tools: pays.tools,
    guards: [guard('stream', 'block', 'pay')],
    checks: [noEffect('pay'), endedAs('blocked')],
  }),
  row('block-step', 'step blocked: its call does not run', {
    ...pays,
    guards: [guard('step', 'block')],
    checks: [noEffect('pay'), endedAs('blocked')],
  }),
  row('block-call', 'call blocked: it does not run', {
    ...pays,
    guards: [guard('toolCall', 'block', 'all')],
    checks: [noEffect('pay')],
  }),
  row('block-second-call', 'one of two calls in a step blocked: it does not run', {
    replies: [calls(['pay', 'little'], ['pay', 'all']), textReply('Paid.')],
    tools: pays.tools,
    guards: [guard('toolCall', 'block', 'all')],
    checks: [({ effects }) => (effects.includes('pay(all)') ? 'the blocked call ran' : undefined)],
  }),
  row('edit-call', 'call edited: the tool gets the edited argument', {
    ...pays,
    guards: [guard('toolCall', 'edit', 'all', { to: 'half' })],
    checks: [effectsAre('pay(half)')],
  }),
  row('block-result', 'tool result blocked: the next call does not run', {
    replies: [calls(['look', 'up']), calls(['pay', 'all']), textReply('Paid.')],
    tools: { look: 'poison', pay: 'receipt 7' },
    guards: [guard('toolResult', 'block', 'poison')],
    checks: [noEffect('pay')],
  }),
  row('retry-step', 'step retried: the call of the rejected attempt does not run', {
    replies: [calls(['pay', 'all']), textReply('I will ask first.')],
    tools: pays.tools,
    guards: [guard('step', 'retry', '', { times: 1 })],
    checks: [noEffect('pay')],
  }),
  row('throw-step', 'guard of the step throws: the call does not run', {
    ...pays,
    guards: [guard('step', 'throw')],
    checks: [noEffect('pay')],
  }),
  row('throw-call', 'guard of the call throws: the call does not run', {
    ...pays,
    guards: [guard('toolCall', 'throw', 'all')],
    checks: [noEffect('pay')],
  }),
  row('throw-stream', 'guard of the stream throws: the call does not run', {
    modes: ['stream'],
    replies: [{ kind: 'tool-calls', text: 'I will pay.', calls: [{ name: 'pay', args: { text: 'all' } }] }, textReply('Paid.')],
    tools: pays.tools,
    guards: [guard('stream', 'throw', 'pay')],
    checks: [noEffect('pay')],
  }),
  row('hang-call', 'guard of the call hangs: the call does not run', {
    ...pays,
    guards: [guard('toolCall', 'hang', 'all')],
    checks: [noEffect('pay')],
  }),
];
