import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Processor } from '@mastra/core/processors';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { runCommand } from '../../bin/run-command.js';
import {
  collectTraces,
  formatTrace,
  redactTrace,
  shadowReport,
  watchShadows,
  type ShadowComparison,
  type ShadowReport,
  type Trace,
} from '../../src/replay.js';
import { guard, InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A guard that objects to a word of the caller; the words `crash` and `mend` make it fail and edit. */
const forbids = (id: string, word: string): Processor => ({
  id,
  processInput: ({ messages, abort }) => {
    const lastMessage = JSON.stringify(messages.at(-1));
    if (lastMessage.includes(`${word}-crash`)) throw new Error('broken');
    if (lastMessage.includes(word)) abort(`It says ${word}.`);
    return lastMessage.includes('mend')
      ? messages.map((message) => ({ ...message, content: { ...message.content, parts: [{ type: 'text', text: 'mended' }] } }))
      : messages;
  },
});

const prompts = ['fine', 'fine too', 'old', 'new', 'old and new', 'new-crash', 'old-crash', 'mend'];

describe('a report on shadows', () => {
  const watch = watchShadows({ against: 'in-force' });
  const events: RunEvent[] = [];
  let traces: readonly Trace[];
  const own = (report: ShadowReport): ShadowComparison => {
    expect(report.shadows).toHaveLength(1);
    return report.shadows[0] as ShadowComparison;
  };

  beforeAll(async () => {
    const recording = collectTraces();
    const agent = new InterlockAgent({
      id: 'desk',
      name: 'Desk',
      instructions: 'Help.',
      model: scriptedModel({ steps: () => ({ text: 'Well.' }) }),
      inputProcessors: [
        guard(forbids('candidate', 'new'), { shadow: true }),
        forbids('in-force', 'old'),
        forbids('other', 'never'),
      ],
      record: recording.record,
      onRunEvent: (event) => {
        watch.onRunEvent(event);
        events.push(event);
      },
    });
    for (const text of prompts) await agent.generate(text, { runId: text }).catch(() => undefined);
    await vi.waitUntil(() => events.filter(({ type }) => type === 'guard-shadow').length === prompts.length);
    traces = recording.traces;
  });

  it('counts objections and separates missing verdicts', () => {
    const one = own(shadowReport(traces, { against: 'in-force' }));
    expect(one).toMatchObject({
      processorId: 'candidate',
      lane: 'input',
      against: 'in-force',
      compared: 6, // of eight: in one the shadow failed, in one the other
      both: 1,
      onlyShadow: 1,
      onlyIncumbent: 1,
      neither: 3,
      agreement: 4 / 6,
      shadowUnavailable: 1,
      incumbentUnavailable: 1,
      incumbentNotCalled: 0,
      shadowNotCalled: 0,
    });
    expect(new Set(one.verdicts)).toEqual(
      new Set([
        { shadow: 'pass', incumbent: 'pass', count: 2 },
        { shadow: 'pass', incumbent: 'trip', count: 1 },
        { shadow: 'trip', incumbent: 'pass', count: 1 },
        { shadow: 'trip', incumbent: 'trip', count: 1 },
        { shadow: 'edit', incumbent: 'edit', count: 1 },
      ]),
    );
    const times = events.flatMap((event) => (event.type === 'guard-shadow' ? [event.durationMs] : [])).toSorted((a, b) => a - b);
    expect(one.latencyMs.shadow).toEqual({ p50: times[3], p95: times[7] });
    expect(own(shadowReport(traces, { against: 'in-force', countEdits: true }))).toMatchObject({ both: 2, neither: 2 });
  });

  it('compares with the array if no guard is given, and with nothing for an unknown name', () => {
    expect(own(shadowReport(traces))).toMatchObject({ compared: 6, both: 1, onlyIncumbent: 1, incumbentUnavailable: 1 });
    expect(own(shadowReport(traces)).latencyMs).not.toHaveProperty('incumbent');
    const none = own(shadowReport(traces, { against: 'missing' }));
    expect(none).toMatchObject({ compared: 0, incumbentNotCalled: prompts.length });
    expect(none).not.toHaveProperty('agreement');
    expect(own(shadowReport(traces, { against: 'other' }))).toMatchObject({ incumbentNotCalled: 3 }); // it follows the other
    expect(shadowReport(traces, { guard: 'missing' }).shadows).toEqual([]);
  });

  it('reports the same during the runs, without text', () => {
    const recorded = own(shadowReport(traces, { against: 'in-force' }));
    const live = own(watch.report());
    expect(live).toEqual({ ...recorded, examples: recorded.examples.map(({ words: _words, ...example }) => example) });
  });

  it('keeps no more positions than configured', () => {
    const short = watchShadows({ maxPlaces: 2 });
    for (const runId of prompts) for (const event of events) if (event.runId === runId) short.onRunEvent(event);
    expect(own(short.report())).toMatchObject({ compared: 1, shadowUnavailable: 0, incumbentUnavailable: 1 }); // of the last two
  });

  it('shows accepted text, and rejected text on request', () => {
    const wordsIn = (report: ShadowReport) =>
      own(report).examples.map(({ agreement, runId, words }) => [agreement, runId, words]);
    expect(wordsIn(shadowReport(traces))).toEqual([
      ['onlyShadow', 'new', 'new'],
      ['onlyIncumbent', 'old', undefined],
    ]);
    expect(wordsIn(shadowReport(traces, { words: 'all' }))).toEqual([
      ['onlyShadow', 'new', 'new'],
      ['onlyIncumbent', 'old', 'old'],
    ]);
    expect(
      wordsIn(
        shadowReport(
          traces.map((trace) => redactTrace(trace)),
          { words: 'all' },
        ),
      )[1]?.[2],
    ).toBeUndefined();
    expect(own(shadowReport(traces, { maxExamples: 0 })).examples).toEqual([]);
  });

  it('reports a shadow after the objecting guard, and none that was never called', async () => {
    const report = async (sampleRate: number): Promise<ShadowReport> => {
      const recording = collectTraces();
      const behind = guard(forbids('behind', 'new'), { shadow: true, sampleRate });
      const agent = new InterlockAgent({
        name: 'Desk',
        model: scriptedModel({ steps: () => ({ text: 'Well.' }) }),
        inputProcessors: [forbids('in-force', 'old'), behind],
        record: recording.record,
      });
      for (const text of ['old', 'fine', 'old']) await agent.generate(text);
      await expect.poll(() => JSON.stringify(recording.traces).split('guard-shadow').length - 1).toBe(sampleRate);
      return shadowReport(recording.traces);
    };
    expect(own(await report(1))).toMatchObject({ compared: 1, neither: 1, shadowNotCalled: 2 });
    expect((await report(0)).shadows).toEqual([]); // it never judged
  });

  it('compares stream guards per step, with the text of the answer', async () => {
    const recording = collectTraces();
    const stops = (id: string, word: string): Processor => ({
      id,
      processOutputStream: async ({ part, abort }) => {
        if (part.type === 'text-delta' && part.payload.text.includes(word)) abort('no');
        return part;
      },
    });
    const agent = new InterlockAgent({
      name: 'Desk',
      model: scriptedModel({ steps: () => ({ text: ['One ', 'two ', 'three.'] }) }),
      outputProcessors: [guard(stops('candidate', 'two'), { shadow: true }), stops('in-force', 'nine')],
      record: recording.record,
    });
    await agent.generate('Count.');
    await expect.poll(() => JSON.stringify(recording.traces)).toContain('"verdict":"trip"');
    const [one] = shadowReport(recording.traces, { against: 'in-force' }).shadows;
    expect(one).toMatchObject({ lane: 'output', compared: 1, onlyShadow: 1 });
    expect(one?.examples[0]).toMatchObject({
      words: 'One two three.',
      shadow: { verdict: 'trip', reason: 'no', phase: 'outputStream' },
    });
  });

  describe('from the command line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'interlock-shadow-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const run = async (...args: string[]) => {
      let [out, err] = ['', ''];
      const code = await runCommand(['shadow', ...args], {
        out: (text) => (out += text),
        err: (text) => (err += text),
        cwd: folder,
      });
      return { code, out, err };
    };

    it('prints the table and the examples, or JSON', async () => {
      const files = traces.map((trace, index) => {
        writeFileSync(join(folder, `${index}.jsonl`), formatTrace(trace));
        return `${index}.jsonl`;
      });
      const { code, out } = await run(...files, '--against', 'in-force');
      expect(code).toBe(0);
      expect(out).toContain('candidate (shadow) compared with in-force: 6 verdicts, 66.7 % agree');
      expect(out).toMatch(/candidate objects +1 +1\ndoes not object +1 +3\n/);
      expect(out).toContain('1 times in-force was unavailable');
      expect(out).toContain('only the shadow guard objects  new, step 0, attempt 1: trip: It says new. / pass  "new"');
      expect(out).toContain('trip: It says old.  text not shown');
      const json = await run(...files, '--json', '--guard', 'candidate', '--words', 'all', '--examples', '1');
      expect(JSON.parse(json.out)).toEqual(shadowReport(traces, { words: 'all', maxExamples: 1 }));
      expect(await run(...files, '--guard', 'missing')).toMatchObject({
        code: 2,
        err: 'These runs have no verdict of shadow guard "missing".\n',
      });
      const refused = await run(...files, '--against', 'in-frce');
      expect(refused).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^Guard "in-frce" has no verdict/) as string,
      });
      const most = await run('missing.jsonl', ...files);
      expect(most).toMatchObject({ code: 2, err: expect.stringMatching(/^missing\.jsonl: /) as string });
      expect(most.out).toContain('candidate (shadow) compared with');
    });

    it('rejects invalid arguments and files', async () => {
      expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('--against') as string });
      expect(await run('missing.jsonl')).toMatchObject({ code: 2, err: expect.stringContaining('missing.jsonl') as string });
      expect((await run('0.jsonl', '--words', 'some')).code).toBe(2);
      expect((await run('0.jsonl', '--examples', '-1')).code).toBe(2);
    });
  });
});
