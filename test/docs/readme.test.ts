import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';

import { describe, expect, it } from 'vitest';
import { runChat } from '../../playground/chat/chat.js';
import { blocksIn, examplesIn, inRoot } from './examples.js';

const blocks = blocksIn('README.md');

describe('the code in README.md', () => {
  const examples = examplesIn('README.md');

  it('is in languages checked by this file', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['ts', 'text']));
    expect(examples.length).toBeGreaterThan(0);
  });

  it('is short enough to read at once', () => {
    for (const { code } of examples) expect(code.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(27);
  });

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { scripts: Record<string, string> };
    const text = readFileSync(inRoot('README.md'), 'utf8');
    const names = Array.from(text.matchAll(/`npm (?:run )?(?!ci\b)([\w:]+)/g), ([, name = '']) => name);
    expect(names).toContain('start');
    for (const name of names) expect(Object.keys(scripts)).toContain(name);
  });

  it('is one screen: at most 90 lines and 1,100 words, with a program before line 30', () => {
    const text = readFileSync(inRoot('README.md'), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(90);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(1100);
    expect(text.slice(0, text.indexOf('```ts')).split('\n').length).toBeLessThan(30);
  });
});

describe('the transcript in docs/guide/start.md', () => {
  /** Finds a line of the transcript in the output: `[…]` omits words, figures differ from run to run, and words are not wrapped. */
  const patternOf = (line: string): RegExp =>
    new RegExp(
      line
        .replaceAll(/[.*+?^${}()|\\]/g, String.raw`\$&`)
        .replaceAll(/\d+(?:\\\.\d+)?/g, String.raw`[\d.]+`)
        .replaceAll('[…]', '[^]*'),
    );

  it('equals the output of the chat', async () => {
    const transcript = blocksIn('docs/guide/start.md').find(({ code }) => code.startsWith('you › '))?.code ?? '';
    const questions = Array.from(transcript.matchAll(/^you › (.+)$/gm), ([, text = '']) => text);
    expect(questions.length).toBeGreaterThan(0);
    let printed = '';
    const output = { write: (text: string | Uint8Array) => (printed += String(text)) !== '' };
    const input = new PassThrough();
    input.end(`${questions.join('\n')}\n`);
    await runChat([], { env: {}, input, output, errors: output, onInterrupt: () => () => undefined });
    const lines = transcript.split('\n').filter((line) => line !== '' && !line.startsWith('you › '));
    expect(
      lines.filter((line) => !patternOf(line).test(printed)),
      printed,
    ).toEqual([]);
  });
});
