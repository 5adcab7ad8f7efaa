import type { BenchCase, Work } from './case.js';
import type { Figures } from './figures.js';
import type { Goal } from './goal.js';
import { number, tableOf } from './table.js';

/** In UTF-16 units: a unit of work is a thousand of them. */
const size = 32_000;

export const prose = 'The parcel left on Monday and arrives in three days. Please write again if it does not. ';
/** What a text repeats: tables of values, and what begins like one again and again. */
export const repeated: Readonly<Record<string, string>> = {
  'addresses in a table': '17,Jane Roe,jane.roe17@example.com,active\n',
  'phones in a table': '17,Jane Roe,+44 20 7946 0958,active\n',
  'cards in a table': '17,Jane Roe,4111 1111 1111 1111,active\n',
  'a@b.com, ': 'a@b.com, ',
  'a@': 'a@',
  'a.b@': 'a.b@',
  'a@a.a@': 'a@a.a@',
  '4-4-': '4-4-',
  '4-4-4-': '4-4-4-',
  '4 4 ': '4 4 ',
  '44 44 ': '44 44 ',
  '4539 1488 ': '4539 1488 ',
  'one digit': '4',
  ':': ':',
  'a:b:': 'a:b:',
  '1:2:': '1:2:',
  '1.2.3.': '1.2.3.',
  '1.1.1.1 ': '1.1.1.1 ',
  '2001:db8::1 ': '2001:db8::1 ',
  'ab:cd:': 'ab:cd:',
  'BEGIN A': '-----BEGIN A-----',
  dashes: '-',
  eyJ: 'eyJ',
  'eyJhbGciOiJIUzI1NiJ9.': 'eyJhbGciOiJIUzI1NiJ9.',
  'sk-a-': 'sk-a-',
  AKIA: 'AKIA',
  'bearer ': 'bearer ',
  'authorization: ': 'authorization: ',
  'https://a:b@': 'https://a:b@',
  'h://a': 'h://a',
  '+1 ': '+1 ',
  '00': '00',
  'GB82 ': 'GB82 ',
  'ssn ': 'ssn ',
  'api_key=': 'api_key=',
  'password=': 'password=',
  'token: a1': 'token: a1',
  'Slack webhooks': 'hooks.slack.com/services/',
  'card and IBAN': '4539 1488 0343 6467\nDE89 3704 0044 0532 0130 00\n',
  'escaped signs': '\\.\\@',
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
};

const guards = ['redactor', 'unicode', 'prompt-injection'] as const;
type GuardName = (typeof guards)[number];
const modes = ['input', 'generate'] as const;

const nameOf = (guard: GuardName, mode: (typeof modes)[number], shape: string): string => `text ${guard} ${mode}: ${shape}`;

const load = async (guard: GuardName, mode: (typeof modes)[number], unit: string): Promise<() => Work> => {
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

/** What guards cost for a thousand characters of a text, in a message and in an answer that comes as one delta. */
export const textCases: readonly BenchCase[] = guards.flatMap((guard) =>
  modes
    .filter((mode) => mode === 'input' || guard !== 'prompt-injection') // which does not read answers
    .flatMap((mode) =>
      Object.entries({ prose, ...repeated }).map(([shape, unit]): BenchCase => ({
        name: nameOf(guard, mode, shape),
        process: `text ${guard} ${mode}`,
        sizes: [size],
        quick: shape === 'prose' || shape === 'addresses in a table',
        units: (chars) => chars / 1_000,
        load: () => load(guard, mode, unit),
      })),
    ),
);

/** Microseconds for a thousand characters: 10 MB/s for prose, 3 MB/s for everything else. */
const atMostUs = (shape: string): number => (shape === 'prose' ? 100 : 333);

/** What reading a text may cost. */
export const textGoals = ({ cpu }: Figures): Goal[] =>
  textCases.map(({ name }) => ({
    says: name,
    measured: cpu(name, size),
    atMost: atMostUs(name.slice(name.indexOf(': ') + 2)),
    unit: 'us/kB',
  }));

/** How many megabytes each guard reads in a second. */
export const textTable = ({ cpu }: Figures): string =>
  tableOf(
    ['text', 'MB/s'],
    textCases.flatMap(({ name }) => {
      const us = cpu(name, size);
      return us === undefined ? [] : [[name, number(1_000 / us)]];
    }),
  );
