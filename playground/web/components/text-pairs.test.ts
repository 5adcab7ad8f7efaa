import { expect, it } from 'vitest';
import { pairsOf } from './text-pairs.js';

it('pairs the texts of two payloads by their places, also added and removed ones, each once', () => {
  const before = [
    { target: 'messages.0.content.content', text: 'same' },
    { target: 'messages.0.content.parts.0.text', text: 'same' },
    { target: 'messages.1.content.content', text: 'old' },
    { target: 'runId', text: 'gone' },
  ];
  const after = [
    { target: 'messages.0.content.content', text: 'same' },
    { target: 'messages.0.content.parts.0.text', text: 'same' },
    { target: 'messages.1.content.content', text: 'new' },
    { target: 'messageId', text: 'come' },
  ];
  expect(pairsOf(before, after)).toEqual([
    { target: 'runId', before: 'gone', after: '' },
    { target: 'messages.0.content.content', before: 'same', after: 'same' },
    { target: 'messages.1.content.content', before: 'old', after: 'new' },
    { target: 'messageId', before: '', after: 'come' },
  ]);
});
