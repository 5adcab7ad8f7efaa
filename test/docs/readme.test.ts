import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runChat } from '../chat/start-chat.js';
import { blocksIn, examplesIn, inRoot } from './examples.js';

const blocks = blocksIn('README.md');
const codeIn = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code);

describe('the code in README.md', () => {
  const examples = examplesIn('README.md');

  it('is of kinds that are checked here', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'text']));
    expect(examples.length).toBeGreaterThan(0);
  });

  it('is short enough to be read at once', () => {
    for (const { code } of examples) expect(code.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(27);
  });

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { scripts: Record<string, string> };
    const lines = codeIn('sh').flatMap((code) => code.trimEnd().split('\n'));
    for (const line of lines) {
      const [, name = ''] = /^npm (?:run )?([\w:]+)/.exec(line) ?? [];
      expect(Object.keys(scripts), line).toContain(name);
    }
  });
});

describe('the transcript in README.md', () => {
  /** Line ends and figures are the terminal's and the day's; guards side by side come in any order. */
  const essence = (shown: string): string[] =>
    shown
      .split(/^(?=guard )|^(?=result )|^(?=you )/m)
      .map((part) => (part.startsWith('guard ') ? part.split('\n').toSorted().join(' ') : part))
      .map((part) =>
        part
          .replaceAll(/\d+(\.\d+)?( m?s$)?/gm, '#')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
      .filter((part) => part !== '');

  it('is what the chat shows', async () => {
    const transcript = codeIn('text').find((code) => code.startsWith('you › ')) ?? '';
    const asked = Array.from(transcript.matchAll(/^you › (.+)$/gm), ([, text = '']) => text);
    expect(asked.length).toBeGreaterThan(0);
    const { stdout } = await runChat([], { input: asked.join('\n') });
    expect(essence(stdout.slice(stdout.indexOf('you ›')))).toEqual(essence(transcript));
  });
});
