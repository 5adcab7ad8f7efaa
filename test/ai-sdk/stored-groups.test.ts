import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { createStoredGroups, storeGroup } from '../../src/ai-sdk/stored-groups.js';
import { copyPlain } from '../../src/phase/plain-data.js';

const answer = (): ModelMessage[] => [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Wait.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: { x: 1 } } },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'json', value: { found: [1] } } }],
  },
];

/** Changes in place, at each level that a part repeats: the path of a field and its new value. */
const changes = {
  text: [[0, 'content', 0, 'text'], 'Stop.'],
  content: [[0, 'content'], 'Stop.'],
  'another part': [[0, 'content', 2], { type: 'text', text: 'Stop.' }],
  arguments: [[0, 'content', 1, 'input'], {}],
  'a field of the arguments': [[0, 'content', 1, 'input', 'at', 'x'], 2],
  result: [[1, 'content', 0, 'output', 'value'], 'Nothing.'],
  'a field of the result': [[1, 'content', 0, 'output', 'value', 'found', 1], 2],
} as const;

const change = (value: object, [path, to]: (typeof changes)[keyof typeof changes]): void => {
  const owner = path.slice(0, -1).reduce<object>((at, name) => Reflect.get(at, name) as object, value);
  Reflect.set(owner, path.at(-1) ?? '', to);
};

describe('the messages of the last step', () => {
  it('are converted once, whether they are the same objects or equal ones', () => {
    const { ofSteps } = createStoredGroups();
    const messages = answer();
    const parts = ofSteps(messages, 0, 1);
    expect(ofSteps(messages, 0, 2)).toBe(parts);
    expect(ofSteps(copyPlain(messages), 0, 3)).toBe(parts);
    expect(ofSteps(messages, 1, 4)).not.toBe(parts);
  });

  it('are kept in both forms', () => {
    const { ofSteps, ofPrompts } = createStoredGroups();
    const prompt: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }];
    const step: ModelMessage[] = [{ role: 'user', content: 'Hello.' }];
    const [ofStep, ofPrompt] = [ofSteps(step, 0, 1), ofPrompts(prompt, 0, 1)];
    expect(ofSteps(step, 0, 2)).toBe(ofStep);
    expect(ofPrompts(copyPlain(prompt), 0, 2)).toBe(ofPrompt);
  });

  it.each(Object.entries(changes))('are read again after a change in place: %s', (_name, one) => {
    const { ofSteps } = createStoredGroups();
    const messages = answer();
    ofSteps(messages, 0, 1);
    change(messages, one);
    expect(ofSteps(messages, 0, 1)).toEqual(storeGroup(messages, 0, 1));
  });
});
