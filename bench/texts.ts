import { readFileSync } from 'node:fs';
import type { WarmCase, Work } from './case.js';
import { countDeltas } from './model.js';

/** In UTF-16 units; a unit of work is a thousand of them. */
const size = 32_000;

/** The repeated content of a text: prose, tables of values, and repeated beginnings of values. */
const shapes: Readonly<Record<string, string>> = {
  prose: 'The parcel left on Monday and arrives in three days. Please write again if it does not. ',
  'addresses in a table': '17,Jane Roe,jane.roe17@example.com,active\n',
  'phones in a table': '17,Jane Roe,+44 20 7946 0958,active\n',
  'cards in a table': '17,Jane Roe,4111 1111 1111 1111,active\n',
  'zero-width spaces': '\u200b',
  'a letter and a zero-width space': 'a\u200b',
  'soft hyphens': 'so\u00adft hy\u00adphens ',
  'look-alikes': 'іgnоrе ',
  'backslash codes': '\\u0040',
  'percent codes': '%40',
  'entity codes': '&#64;',
  'full-width digits': '４-',
  isolates: '\u2066',
  emoji: '👩‍👩‍👧 ',
  'Chinese characters': '漢字',
  'Slack webhooks': 'hooks.slack.com/services/',
  'card and IBAN': '4539 1488 0343 6467\nDE89 3704 0044 0532 0130 00\n',
  'escaped signs': '\\.\\@',
  ...Object.fromEntries(
    `a@b.com, |a@|a.b@|a@a.a@|4|4-4-|4-4-4-|4 4 |44 44 |4539 1488 |00|+1 |GB82 |ssn |:|a:b:|1:2:|1.2.3.|1.1.1.1 |2001:db8::1 |ab:cd:|-|-----BEGIN A-----|eyJ|eyJhbGciOiJIUzI1NiJ9.|sk-a-|AKIA|bearer |authorization: |api_key=|password=|token: a1|https://a:b@|h://a`
      .split('|')
      .map((piece) => [JSON.stringify(piece), piece]),
  ),
};

const guards = ['redactor', 'unicode', 'prompt-injection'] as const;
type GuardName = (typeof guards)[number];
type Mode = 'input' | 'generate';

const load = async (guard: GuardName, mode: Mode, unit: string): Promise<() => Work> => {
  const made = await import('../workflows/guards/index.js');
  const { callHook, user } = await import('../workflows/test-setup.js');
  const { InterlockAgent } = await import('../src/index.js');
  const { scriptedModel } = await import('../src/testing/index.js');
  const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  const make = {
    redactor: () => made.redactor({ strategy: 'replace' }),
    unicode: () => made.unicodeGuard(),
    'prompt-injection': () => made.promptInjectionGuard({ strategy: 'warn' }),
  }[guard];
  const generate = async (): Promise<unknown> => {
    const model = scriptedModel({ steps: [{ text }] });
    return new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, outputProcessors: [make()] }).generate('Go.');
  };
  const read = mode === 'input' ? () => callHook(make(), 'processInput', { messages: [user(text)] }) : generate;
  return () => async () => {
    await read();
    return size / 1_000;
  };
};

/** This project's own pages, as an answer in deltas. */
const streamed = (guard: 'redactor' | 'link', deltaChars: number) => async () => {
  const made = await import('../workflows/guards/index.js');
  const { InterlockAgent } = await import('../src/index.js');
  const { scriptedModel } = await import('../src/testing/index.js');
  const pages = ['README.md', 'CONTRIBUTING.md', 'docs/README.md'].map((path) => readFileSync(path, 'utf8')).join('\n');
  const whole = pages.repeat(Math.ceil(size / pages.length)).slice(0, size);
  const text = whole.match(new RegExp(`[^]{1,${deltaChars}}`, 'g')) ?? [];
  const make = {
    redactor: () => made.redactor({ strategy: 'replace' }),
    link: () => made.linkGuard({ hosts: ['*'], strategy: 'strip' }),
  };
  return () => async () => {
    const agent = new InterlockAgent({
      id: 'a',
      name: 'A',
      instructions: 'Help.',
      model: scriptedModel({ steps: [{ text }] }),
      outputProcessors: [make[guard]()],
    });
    return (await countDeltas((await agent.stream('Go.')).fullStream)) > 0 ? size / 1_000 : NaN;
  };
};

const pages = (['redactor', 'link'] as const).map((guard): WarmCase => ({
  name: `text: ${guard}, deltas of 400, pages`,
  quick: true,
  sizes: [size],
  units: (chars) => chars / 1_000,
  load: streamed(guard, 400),
}));

/** The cost of guards per thousand characters of a text, in a message and in an answer that arrives as one delta (P12). */
export const textCases: readonly WarmCase[] = [
  ...pages,
  ...guards.flatMap((guard) =>
    (['input', 'generate'] as const)
      .filter((mode) => mode === 'input' || guard !== 'prompt-injection') // it reads no answers
      .flatMap((mode) =>
        Object.entries(shapes).map(([shape, unit]): WarmCase => ({
          name: `text: ${guard}, ${mode}, ${shape}`,
          quick: guard === 'redactor' && mode === 'input' && ['prose', 'addresses in a table', '"a@"', '"4-4-"'].includes(shape),
          sizes: [size],
          units: (chars) => chars / 1_000,
          load: () => load(guard, mode, unit),
        })),
      ),
  ),
];
