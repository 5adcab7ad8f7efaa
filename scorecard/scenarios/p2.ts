import { answers, calls, absent, guard, textReply, type Scenario } from '../scenario.js';

const secret = '4111-1111';
const replies = (chunks?: number | readonly string[]) => [textReply(`Your number is ${secret}, keep it.`, chunks)];
const halves = ['Your number is 4111', '-1111, keep it.'];
const row = (id: string, title: string, rest: Omit<Scenario, 'id' | 'title' | 'promise'>): Scenario => ({
  id: `p2-${id}`,
  promise: 'P2',
  title,
  ...rest,
});
const stays = [absent(secret, 'streamed', 'shown', 'answer')];
const stream = ['stream'] as const;

export const p2: readonly Scenario[] = [
  row('block-whole', 'value in one delta, a guard without a buffer blocks', {
    modes: stream,
    replies: replies(),
    guards: [guard('stream', 'block', secret)],
    checks: stays,
  }),
  row('edit-whole', 'value in one delta, a guard without a buffer edits', {
    modes: stream,
    replies: replies(),
    guards: [guard('stream', 'edit', secret, { to: '[number]' })],
    checks: [...stays, answers('[number]')],
  }),
  row('block-halves', 'value split over two deltas, a guard without a buffer blocks', {
    modes: stream,
    replies: replies(halves),
    guards: [guard('stream', 'block', secret)],
    checks: stays,
  }),
  row('edit-halves', 'value split over two deltas, a guard without a buffer edits', {
    modes: stream,
    replies: replies(halves),
    guards: [guard('stream', 'edit', secret, { to: '[number]' })],
    checks: stays,
  }),
  row('block-halves-buffered', 'value split over two deltas, a guard of whole values blocks', {
    modes: stream,
    replies: replies(halves),
    guards: [guard('stream', 'block', secret, { buffered: true })],
    checks: stays,
  }),
  row('edit-halves-buffered', 'value split over two deltas, a guard of whole values edits', {
    modes: stream,
    replies: replies(halves),
    guards: [guard('stream', 'edit', secret, { to: '[number]', buffered: true })],
    checks: [...stays, answers('[number]')],
  }),
  row('edit-letters-buffered', 'value in single letters, a guard of whole values edits', {
    modes: stream,
    replies: replies(1),
    guards: [guard('stream', 'edit', secret, { to: '[number]', buffered: true })],
    checks: [...stays, answers('[number]')],
  }),
  row('block-letters-buffered', 'value in single letters, a guard of whole values blocks', {
    modes: stream,
    replies: replies(1),
    guards: [guard('stream', 'block', secret, { buffered: true })],
    checks: stays,
  }),
  row('reasoning', 'value in the reasoning, a guard of whole values blocks', {
    modes: stream,
    replies: [{ kind: 'reasoning+text', reasoning: `They own ${secret}.`, text: 'Fine.' }],
    guards: [guard('stream', 'block', secret, { buffered: true })],
    checks: stays,
  }),
  row('block-step', 'step blocked: the reader never sees it', {
    modes: stream,
    replies: replies(),
    guards: [guard('step', 'block', secret)],
    checks: [absent(secret, 'shown')],
  }),
  row('edit-step', 'step edited: the reader ends with the edited words', {
    replies: replies(),
    guards: [guard('step', 'edit', secret, { to: '[number]' })],
    checks: [absent(secret, 'shown', 'answer'), answers('[number]')],
  }),
  row('block-answer', 'answer blocked: the reader does not keep it', {
    modes: stream,
    replies: replies(),
    guards: [guard('answer', 'block', secret)],
    checks: [absent(secret, 'shown')],
  }),
  row('edit-answer', 'answer edited: the reader ends with the edited words', {
    replies: replies(),
    guards: [guard('answer', 'edit', secret, { to: '[number]' })],
    checks: [absent(secret, 'shown', 'answer'), answers('[number]')],
  }),
  row('tool-input', 'call blocked: its arguments do not reach the reader', {
    modes: stream,
    replies: [calls(['save', secret]), textReply('Saved.')],
    tools: { save: 'ok' },
    guards: [guard('toolCall', 'block', secret)],
    checks: [absent(secret, 'streamed')],
  }),
];
