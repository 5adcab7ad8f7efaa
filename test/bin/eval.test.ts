import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCommand } from '../../bin/run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-eval-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (args: string, isTerminal = false) => {
  let [out, err] = ['', ''];
  const io = { out: (text: string) => (out += text), err: (text: string) => (err += text), cwd: folder, isTerminal };
  const code = await runCommand(['eval', ...args.split(' ').filter(Boolean)], io);
  return { code, out, err };
};

const unsafe = '</td><script>alert(1)</script>"><img src=http://example.com/x>';
const lines = [
  { label: true, text: 'risk 0.9' },
  { label: true, text: `risk 0.2 ${unsafe}` },
  { label: false, text: 'risk 0.1' },
];

beforeAll(() => {
  writeFileSync(
    join(folder, 'scoring.mjs'),
    `export default { inputProcessors: [{ id: 'scoring', processInput: ({ messages, abort }) => {
      const score = Number(/risk (0\\.\\d)/.exec(JSON.stringify(messages))[1]);
      abort('as asked', { metadata: { score } });
    } }] };`,
  );
  writeFileSync(
    join(folder, 'broken.mjs'),
    `export default { inputProcessors: [{ id: 'broken', processInput: () => { throw new Error('the judge is down'); } }] };`,
  );
  for (const onUnavailable of ['trip', 'pass'])
    writeFileSync(
      join(folder, `${onUnavailable}.mjs`),
      `import { guard } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
      export default guard({ id: 'broken', processInput: () => { throw new Error('broken'); } }, { onUnavailable: '${onUnavailable}' });`,
    );
  writeFileSync(join(folder, 'set.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
  writeFileSync(join(folder, 'bad.jsonl'), `${JSON.stringify(lines[0])}\n{"label":1}\n`);
});

const usual = '--pipeline scoring.mjs --data set.jsonl --threshold 0.5';

describe('eval', () => {
  it('prints a table and exits with 1 if a bound is not met', async () => {
    const kept = await run(`${usual} --min recall=0.5 --max falsePositiveRate=0`);
    expect(kept).toMatchObject({ code: 0, err: '' });
    expect(kept.out).toMatch(/^3 samples, 2 with label true\n/);
    for (const line of [
      /precision +1\.000 +1\.000\n/,
      /recall +0\.500 +0\.500\n/,
      /false positive rate +0\.000 +0\.000\n/,
      /AUC +1\.000 +1\.000\n/,
      /false negatives +1 +1\n/,
      /calls +3 +3\n/,
    ])
      expect(kept.out).toMatch(line);
    const broken = await run(`${usual} --min recall=0.6 --min precision=1`);
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('bound not met: recall is 0.5, expected at least 0.6');
    expect(broken.out).not.toContain('bound not met: precision');
  });

  it('exits with 1 if a guard gave no verdict, unless allowed', async () => {
    const broken = await run('--pipeline broken.mjs --data set.jsonl');
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/unavailable +3 +3\n/);
    expect(broken.out).toMatch(/recall +n\/a +n\/a\n/);
    expect(broken.out).toContain('bound not met: unavailable is 3, expected at most 0');
    expect(broken.out).toMatch(/^no verdict: set\.jsonl:1: \[guard\/unavailable\] at input .*\/broken: the judge is down\./m);
    for (const onUnavailable of ['trip', 'pass'])
      expect((await run(`--pipeline ${onUnavailable}.mjs --data set.jsonl`)).out).toMatch(/^no verdict: set\.jsonl:1: .*broken/m);
    expect((await run('--pipeline broken.mjs --data set.jsonl --max unavailable=3')).code).toBe(0);
  });

  it('writes the evaluation as JSON', async () => {
    await run(`${usual} --min recall=0.6 --json out.json`);
    const written = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as unknown;
    expect(written).toMatchObject({
      together: { truePositives: 1, falseNegatives: 1, trueNegatives: 1, auc: 1 },
      guards: { scoring: { calls: 3 } },
      broken: [{ side: 'min', metric: 'recall', value: 0.6, actual: 0.5 }],
      samples: [
        { id: 'set.jsonl:1', label: true, verdict: 'trip', objected: true, score: 0.9 },
        { id: 'set.jsonl:2', label: true, objected: false, score: 0.2 },
        { id: 'set.jsonl:3', label: false, objected: false, score: 0.1 },
      ],
    });
  });

  it('writes a page with the curve, without external resources and with escaped samples', async () => {
    await run(`${usual} --html out.html`);
    const page = readFileSync(join(folder, 'out.html'), 'utf8');
    expect(page).toContain('<polyline points="0.0,300.0 0.0,150.0 0.0,0.0 300.0,0.0"'); // first up, then to the right
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=http://example.com/x&gt;');
    expect(page).not.toMatch(/<(script|img|link|iframe)|\ssrc="|href=|url\(/);
    expect(page).toContain('<td data-name="recall">0.500</td>');
    expect(page).toContain('<td data-name="score">0.200</td>');
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    await run('--pipeline broken.mjs --data set.jsonl --html of/today/none.html');
    const none = readFileSync(join(folder, 'of/today/none.html'), 'utf8');
    expect(none).toContain('the judge is down');
    expect(none).toContain('No curve: 0 of 0 verdicts carry a score.');
    expect(none).toContain('<td data-name="mistake">no verdict</td>');
  });

  it('shows progress in a terminal', async () => {
    const { err, out } = await run(usual, true);
    expect(err).toContain(`\r${'█'.repeat(10)}${'░'.repeat(20)} 1/3`);
    expect(err).toMatch(/█{30} 3\/3\r +\r$/);
    expect(out).not.toContain('█');
  });

  it('rejects invalid arguments and data before anything runs', async () => {
    for (const [args, message] of [
      ['', '--pipeline is missing'],
      ['--pipeline scoring.mjs', '--data is missing'],
      [`${usual} --concurrency 0`, '--concurrency must be'],
      [`${usual} --threshold high`, '--threshold must be'],
    ] as const) {
      const { code, err, out } = await run(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(new RegExp(`^eval: ${message}[^]*--pipeline FILE --data SET\\.jsonl`));
    }
    for (const bound of ['--max falsePositiveRate=1', '--min recall=90', '--min recall=-1'])
      expect(await run(`${usual} ${bound}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('eval/invalid-bound') as string,
      });
    for (const bound of ['--min recall=0', '--min precision=1', '--max p95Ms=60000', '--max calls=3'])
      expect((await run(`${usual} ${bound}`)).err).toBe('');
    writeFileSync(join(folder, 'yes.jsonl'), '{"label":"yes","text":"a"}');
    expect((await run('--pipeline scoring.mjs --data yes.jsonl')).err).toContain('yes.jsonl:1: label: it is true, false, 1 or 0');
    expect(await run('--pipeline scoring.mjs --data bad.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/eval\/invalid-data\] at bad\.jsonl:2: .*correct the named line/) as string,
    });
    expect(await run(`${usual} --min recal=1`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('eval/unknown-metric') as string,
    });
  });
});
