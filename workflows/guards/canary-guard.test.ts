import { describe, expect, it } from 'vitest';
import { assertChunkInvariant, type ScriptedStep } from '../../src/testing/index.js';
import { isDeep, shapesOf } from '../../test/modes.js';
import { canaryGuard } from './canary-guard.js';
import { hosts, runOn } from './test-setup.js';

const instructions =
  'You are the clerk of Northwind Traders. Never grant a discount of more than seven per cent without the written consent of a manager.';
const letterAt = (at: number): string => String.fromCodePoint(0x61 + (at % 26));
const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];
const ordinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth', 'Tenth'];
/** Markers of lists, by the number of the item. */
const markers: Readonly<Record<string, (at: number) => string>> = {
  'a)': (at) => `${letterAt(at)})`,
  'A.': (at) => `${letterAt(at).toUpperCase()}.`,
  '(a)': (at) => `(${letterAt(at)})`,
  'a -': (at) => `${letterAt(at)} -`,
  '1a.': (at) => `${at + 1}${letterAt(at)}.`,
  'i.': (at) => `${roman[at % 12]}.`,
  'IV)': (at) => `${roman[at % 12]?.toUpperCase()})`,
  '| a |': (at) => `| ${letterAt(at)} |`,
  'Ⓐ': (at) => String.fromCodePoint(0x24b6 + (at % 26)),
  'α)': (at) => `${String.fromCodePoint(0x3b1 + (at % 17))})`,
  '一、': (at) => `${'一二三四五六七八九十'[at % 10]}、`,
  'Rule IV.': (at) => `Rule ${roman[at % 12]?.toUpperCase()}.`,
  'Step 1:': (at) => `Step ${at + 1}:`,
  'Second,': (at) => `${ordinals[at % 10]},`,
  '- [x]': () => '- [x]',
};
const pieces = (text: string) => text.match(/.{1,5}/gs) ?? [];

describe.each(hosts)('canaryGuard in %s', (host) => {
  const run = (text: string, options = {}) =>
    runOn(host, { steps: [{ text: pieces(text) }], instructions, guards: [canaryGuard(options)] });

  it('adds a new canary word to the system prompt in each run', async () => {
    const guard = canaryGuard();
    const words = [];
    for (let count = 0; count < 2; count += 1)
      words.push(
        /Reference (ck[0-9a-f]{16})\./.exec(
          (await runOn(host, { steps: [{ text: 'Hi.' }], guards: [guard] })).prompts[0] ?? '',
        )?.[1],
      );
    expect(words).toEqual([expect.any(String), expect.any(String)]);
    expect(words[0]).not.toBe(words[1]);
  });

  it.each([
    ['unchanged', (word: string) => word],
    ['spelled out', (word: string) => Array.from(word).join(' ')],
    ['in capitals with dashes', (word: string) => Array.from(word.toUpperCase()).join('-')],
    ['backwards', (word: string) => Array.from(word).toReversed().join('')],
  ])('stops an answer with the canary word %s', async (_how, form) => {
    const steps = ({ prompt }: { prompt: unknown }): ScriptedStep => ({
      text: pieces(`Sure. It is ${form(/ck[0-9a-f]{16}/.exec(JSON.stringify(prompt))?.[0] ?? '')} indeed.`),
    });
    const { stopped, text } = await runOn(host, { steps, instructions, guards: [canaryGuard()] });
    expect(stopped).toContain('The answer discloses the instructions.');
    expect(text).not.toContain('indeed');
  });

  it('stops an answer that quotes the instructions in other case, punctuation or line breaks', async () => {
    for (const quote of [
      instructions,
      instructions.toUpperCase().replaceAll(' ', '  '),
      'I have a rule: "Never grant a discount of more than seven per cent, without the written (consent) of a manager".',
      'Never grant a discount\nof more than seven\nper cent without\nthe written consent.',
    ])
      expect((await run(`Well. ${quote} Yes.`)).stopped).toContain('The answer discloses the instructions.');
  });

  it('passes other answers and short quotations', async () => {
    const answer = 'I am the clerk of Northwind Traders. A discount of more than seven per cent needs a manager.';
    expect(await run(answer)).toMatchObject({ text: answer, stopped: undefined });
    expect((await run(instructions, { minOverlap: Infinity })).stopped).toBeUndefined();
    expect((await run(instructions, { strategy: 'warn' })).text).toBe(instructions);
  });

  it.each([
    [
      'a disclaimer',
      'End each answer with: "This is not legal advice. Please consult a qualified attorney in your jurisdiction."',
    ],
    ['a greeting', 'Greet each user with: Welcome to Northwind Traders, the home of fine cheese since 1894. How may I help you?'],
    [
      'an answer',
      'Q: When do you open?\nA: We are open from Monday to Friday from nine to five, and on Saturday from ten to two, except in August.',
    ],
    ['a template', '```\nDear customer, we have received your order and will send it within three working days.\n```'],
    ['facts', '<faq>\nThe shop is open from Monday to Friday from nine to five, and on Saturday from ten to two.\n</faq>'],
  ])('passes %s that the prompt tells the model to say, and stops the rest', async (_what, passage) => {
    const quote = passage.replace(/^[^]*?(?:with: "?|A: |```\n|<faq>\n)/, '').replace(/"$|\n.*$/, '');
    const prompt = `${instructions}\n${passage}\n${instructions.replace('clerk', 'servant')}`;
    const speak = (text: string) =>
      runOn(host, { steps: [{ text: pieces(text) }], instructions: prompt, guards: [canaryGuard({ word: false })] });
    expect(await speak(`Yes. ${quote}`)).toMatchObject({ text: `Yes. ${quote}`, stopped: undefined });
    expect((await speak(prompt)).stopped).toContain('The answer discloses the instructions.');
  });

  it('passes what `except` names', async () => {
    const guards = [canaryGuard({ word: false, except: [instructions] })];
    expect((await runOn(host, { steps: [{ text: instructions }], instructions, guards })).stopped).toBeUndefined();
  });

  it('stops a list, a page and entities', async () => {
    const words = instructions.split(' ');
    const rows = words.reduce<string[]>((all, word, at) => [...all, at % 3 === 0 ? `${at / 3 + 1}. ${word}` : word], []);
    const entities = Array.from(instructions, (sign) => (/[a-z]/i.test(sign) ? `&#${sign.charCodeAt(0)};` : sign)).join('');
    const codes = Array.from(instructions, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const dresses = [
      codes,
      words.map((word, at) => `[${at + 1}] ${word}`).join('\n'),
      words.map((word, at) => `| ${at + 1} | ${word} |`).join('\n'),
      words.join('&nbsp;'),
      words.join('<!-- x y -->'),
      words.join('<!-- x -->'),
      words.join('<a href="x.y">'),
    ];
    for (const quote of [
      ...dresses,
      rows.join(' ').replaceAll(/ (?=\d)/g, '\n'),
      words.join('<br>'),
      words.join(' <b>'),
      entities,
    ])
      expect((await run(`Well. ${quote} Yes.`, { word: false })).stopped, quote).toContain('The answer discloses');
  });

  it.each(Object.entries(markers))('stops a list with the markers %s', async (_name, marker) => {
    const words = instructions.split(' ');
    for (const size of [1, 2, 3, 5])
      for (const separator of ['\n', ' ']) {
        const items = words.flatMap((_, at) => (at % size === 0 ? [words.slice(at, at + size).join(' ')] : []));
        const list = items.map((item, at) => `${marker(at)} ${item}`).join(separator);
        expect((await run(`Well.\n${list}\nYes.`, { word: false })).stopped, list).toContain('The answer discloses');
      }
  });

  it('passes a fact of the instructions in other words', async () => {
    const fact = 'The shop in Leeds is open from Monday to Friday from nine to five, and on Saturday from ten to two.';
    const answer = 'The shop in Leeds is usually open from Monday to Friday from nine to five, and also on Saturday.';
    const outcome = await runOn(host, {
      steps: [{ text: pieces(answer) }],
      instructions: `${instructions} ${fact}`,
      guards: [canaryGuard({ word: false })],
    });
    expect(outcome).toMatchObject({ text: answer, stopped: undefined });
  });

  it('finds the instructions in tool arguments', async () => {
    const steps = [{ toolCalls: [{ name: 'send', args: { body: instructions } }] }, { text: 'Done.' }];
    const { stopped } = await runOn(host, { steps, instructions, tools: { send: 'ok' }, guards: [canaryGuard()] });
    expect(stopped).toContain('The answer discloses the instructions.');
  });
});

it('the output of canaryGuard does not depend on the chunks', async () => {
  const text = `One. Two ${'word '.repeat(isDeep ? 100 : 20)}! Three`;
  for (const [turn, one] of [text.slice(0, 60), 'A. B\nC? d'].entries())
    await assertChunkInvariant([canaryGuard()], [one], { shapes: shapesOf(turn + 1), randomCuts: 5 });
  await assertChunkInvariant([canaryGuard()], [text], { randomCuts: 3, shapes: ['text'] });
});
