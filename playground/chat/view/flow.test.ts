import { describe, expect, it } from 'vitest';
import { createFlow } from './flow.js';
import { openTerminal } from './terminal.js';

/** A stream, and what a screen makes of it: the two sequences that a flow writes, and the wrap at the last column. */
const createScreen = (columns: number, isTTY = true) => {
  let written = '';
  const stream = { isTTY, columns, write: (text: string) => void (written += text) };
  const shown = () => {
    const lines: string[][] = [[]];
    let at = 0;
    for (const [, back, clear, character = ''] of written.matchAll(/\p{Cc}\[(\d+)D|(\p{Cc}\[K)|(.)/gsu)) {
      const line = lines.at(-1) ?? [];
      if (back) at -= Number(back);
      else if (clear) line.splice(at);
      else if (character === '\n') {
        lines.push([]);
        at = 0;
      } else if (at === columns) {
        lines.push([character]);
        at = 1;
      } else line[at++] = character;
    }
    return lines.map((line) => line.join('').trimEnd());
  };
  return { terminal: openTerminal(stream as never, {}), shown, written: () => written };
};

describe('running text', () => {
  const text = 'The quick brown fox jumps over the lazy dog, and extraordinarily-long-words-are-cut.\n\nThen more.';
  const lines = [
    'The quick brown fox',
    'jumps over the lazy',
    'dog, and',
    'extraordinarily-lon',
    'g-words-are-cut.',
    '',
    'Then more.',
  ];

  it.each([1, 2, 3, 7, 100])('wraps at words on a screen, however it was cut (%i)', (size) => {
    const { terminal, shown } = createScreen(20);
    const flow = createFlow({ ...terminal, columns: 20 });
    for (let at = 0; at < text.length; at += size) flow.text(text.slice(at, at + size));
    flow.fresh();
    expect(shown()).toEqual([...lines, '']);
  });

  it('shows each piece at once', () => {
    const { terminal, shown } = createScreen(80);
    const flow = createFlow(terminal);
    flow.text('Hel');
    expect(shown()).toEqual(['Hel']);
  });

  it('leaves paragraphs whole where it does not go to a screen', () => {
    const { terminal, written } = createScreen(20, false);
    const flow = createFlow(terminal);
    flow.text(text);
    flow.line('next');
    expect(written()).toBe(`${text}\nnext\n`);
  });

  it('breaks what is twice as wide', () => {
    const { terminal, shown } = createScreen(40);
    const flow = createFlow(terminal);
    flow.text('こんにちは世界'.repeat(4));
    for (const line of shown()) expect(line.length * 2).toBeLessThanOrEqual(40);
    expect(shown().join('')).toBe('こんにちは世界'.repeat(4));
  });
});
