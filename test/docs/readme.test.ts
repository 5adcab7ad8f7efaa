import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runChat } from '../chat/start-chat.js';

const root = new URL('../../', import.meta.url);
const inRoot = (path: string) => fileURLToPath(new URL(path, root));
const readme = readFileSync(inRoot('README.md'), 'utf8');

const blocks = Array.from(readme.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language = '', code = '']) => ({ language, code }));
const codeIn = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code);

/** A place inside the repository that is neither committed nor linted, so that the examples find their packages. */
const place = inRoot('test-output/readme/');

/** The package as its users import it, from its sources. */
const tsconfig = {
  extends: '../../tsconfig.json',
  compilerOptions: {
    rootDir: '../..',
    paths: {
      'mastra-interlock': ['../../src/index.ts'],
      'mastra-interlock/testing': ['../../src/testing/index.ts'],
      'mastra-interlock/*': ['../../*/index.ts'],
    },
  },
  include: ['example-*.ts'],
};

const runNode = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, args, { cwd: inRoot('.'), encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } });

describe('the code in README.md', () => {
  const examples = codeIn('ts').map((code, at) => ({ file: `${place}example-${at}.ts`, code }));

  it('is of kinds that are checked here', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'text']));
    expect(examples.length).toBeGreaterThan(0);
  });

  it('passes the type check', () => {
    mkdirSync(place, { recursive: true });
    writeFileSync(`${place}tsconfig.json`, JSON.stringify(tsconfig));
    for (const { file, code } of examples) writeFileSync(file, code);
    const { stdout } = runNode([inRoot('node_modules/typescript/bin/tsc'), '-p', place]);
    expect(stdout.split('\n').filter((line) => line.includes('example-'))).toEqual([]);
  });

  it('prints what stands below it', () => {
    const printed = codeIn('text').slice(-examples.length);
    for (const [at, { file }] of examples.entries()) {
      const { stdout, stderr } = runNode(['--import', 'tsx', file], { TSX_TSCONFIG_PATH: `${place}tsconfig.json` });
      expect(stdout, stderr).toBe(printed[at]);
    }
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
    const [transcript = ''] = codeIn('text');
    const asked = Array.from(transcript.matchAll(/^you › (.+)$/gm), ([, text = '']) => text);
    expect(asked.length).toBeGreaterThan(1);
    const { stdout } = await runChat([], { input: asked.join('\n') });
    expect(essence(stdout.slice(stdout.indexOf('you ›')))).toEqual(essence(transcript));
  });
});

it('the links in README.md lead to something', () => {
  const targets = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter((target) => !existsSync(inRoot(target)))).toEqual([]);
});
