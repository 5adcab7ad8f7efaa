import { calls, absent, absentEverywhere, guard, notSent, textReply, sent, type Scenario } from '../scenario.js';

const bad = 'rejected-words';
const twice = { turns: ['Hello.', 'And now?'], needsHistory: true } as const;
const answer = { replies: [textReply(`These are ${bad}.`), textReply('Fine.')] };
const row = (id: string, title: string, rest: Omit<Scenario, 'id' | 'title' | 'promise'>): Scenario => ({
  id: `p4-${id}`,
  promise: 'P4',
  title,
  ...rest,
});

export const p4: readonly Scenario[] = [
  row('step-result', 'blocked step: its words are nowhere in the result', {
    ...answer,
    guards: [guard('step', 'block', bad)],
    checks: [absent(bad, 'answer', 'result')],
  }),
  row('step-history', 'blocked step: its words are not saved', {
    ...answer,
    needsHistory: true,
    guards: [guard('step', 'block', bad)],
    checks: [absent(bad, 'history')],
  }),
  row('step-next-turn', 'blocked step: the next turn does not send its words', {
    ...answer,
    ...twice,
    guards: [guard('step', 'block', bad)],
    checks: [notSent(bad)],
  }),
  row('answer-result', 'blocked answer: its words are nowhere in the result', {
    ...answer,
    guards: [guard('answer', 'block', bad)],
    checks: [absent(bad, 'answer', 'result')],
  }),
  row('answer-history', 'blocked answer: its words are not saved', {
    ...answer,
    needsHistory: true,
    guards: [guard('answer', 'block', bad)],
    checks: [absent(bad, 'history')],
  }),
  row('answer-next-turn', 'blocked answer: the next turn does not send its words', {
    ...answer,
    ...twice,
    guards: [guard('answer', 'block', bad)],
    checks: [notSent(bad)],
  }),
  row('edit-answer-next-turn', 'edited answer: the next turn sends the edited words', {
    ...answer,
    ...twice,
    guards: [guard('answer', 'edit', bad, { to: '[cut]' })],
    checks: [notSent(bad), sent('[cut]')],
  }),
  row('edit-step-next-turn', 'edited step: the next turn sends the edited words', {
    ...answer,
    ...twice,
    guards: [guard('step', 'edit', bad, { to: '[cut]' })],
    checks: [notSent(bad), sent('[cut]')],
  }),
  row('edit-input', 'edited input: the provider and the saved conversation get the edited words', {
    replies: [textReply('Fine.')],
    turns: [`My code is ${bad}.`],
    needsHistory: true,
    guards: [guard('input', 'edit', bad, { to: '[cut]' })],
    checks: [notSent(bad), sent('[cut]'), absent(bad, 'history')],
  }),
  row('block-input-next-turn', 'blocked input: the next turn does not send it', {
    replies: [textReply('Fine.')],
    turns: [`Say ${bad}.`, 'And now?'],
    needsHistory: true,
    guards: [guard('input', 'block', bad)],
    checks: [notSent(bad), ({ ended }) => (ended === 'completed' ? undefined : `the next turn ended as ${ended}`)],
  }),
  row('edit-tool-result', 'edited tool result: the original appears nowhere', {
    replies: [calls(['look', 'up']), textReply('Done.')],
    tools: { look: `data ${bad}` },
    guards: [guard('toolResult', 'edit', bad, { to: '[cut]' })],
    checks: [notSent(bad), sent('[cut]'), absentEverywhere(bad)],
  }),
  row('retry-step', 'retried step: the rejected attempt is neither in the result nor saved', {
    ...answer,
    needsHistory: true,
    guards: [guard('step', 'retry', bad)],
    checks: [absent(bad, 'answer', 'result', 'history', 'shown')],
  }),
  row('stream-history', 'words blocked in the stream are not saved', {
    ...answer,
    modes: ['stream'],
    needsHistory: true,
    guards: [guard('stream', 'block', bad)],
    checks: [absent(bad, 'history')],
  }),
];
