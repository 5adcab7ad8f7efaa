import { describe, expect, it, vi } from 'vitest';
import { runEventSchema, type RunEvent } from '../../schemas/index.js';
import type { GuardReport } from '../phase/scope.js';
import { phaseNames, phases } from '../phase/table.js';
import type { Author, Verdict } from '../verdict.js';
import { bypassesOf } from '../mastra/agent/result.js';
import { createRecorder, type Recorder } from './recorder.js';

const author = (phase = 'input', processorId = 'guard'): Author => ({ processorId, phase, path: `p/${processorId}` });

const verdicts: { readonly [K in Verdict<unknown>['kind']]: (by: Author) => Verdict<unknown> } = {
  pass: () => ({ kind: 'pass' }),
  edit: () => ({ kind: 'edit', data: {} }),
  trip: (by) => ({ kind: 'trip', ...by, reason: 'bad', metadata: { n: 1 } }),
  retry: (by) => ({ kind: 'retry', ...by, reason: 'again' }),
  unavailable: (by) => ({ kind: 'unavailable', ...by, error: new Error('down') }),
};

const report = (by: Author, kind: keyof typeof verdicts = 'pass', durationMs = 1): GuardReport => ({
  author: by,
  verdict: verdicts[kind](by),
  durationMs,
});

const setUp = (onEvent?: (event: RunEvent) => void) => {
  let time = 1_000;
  const position = { stepNumber: 0, attempt: 1 };
  const recorder = createRecorder({ runId: 'run', position: () => ({ ...position }), wallClock: () => time++, onEvent });
  return { recorder, position };
};

type RunFact = Parameters<Recorder['record']>[0];

const finish: RunFact = { type: 'run-finish', status: 'success', retries: 0 };

const facts: RunFact[] = [
  { type: 'run-start', agentId: 'agent', mode: 'stream', maxSteps: 5, maxRetries: 1 },
  { type: 'state-enter', state: 'step.calling' },
  { type: 'model-call', modelId: 'm', provider: 'p' },
  { type: 'model-finish', finishReason: 'stop', usage: { totalTokens: 3 }, durationMs: 2, fromCache: false },
  { type: 'model-error', message: '400', recovered: true },
  { type: 'model-wasted', durationMs: 2, inputTokens: 3, outputTokens: 0, isEstimated: true },
  { type: 'tool-start', toolCallId: 'c', toolName: 't' },
  { type: 'tool-finish', toolCallId: 'c', toolName: 't', outcome: 'result', durationMs: 1 },
  { type: 'retract', partIds: ['1'] },
  { type: 'step-finish', reason: 'stop' },
  finish,
];

const bypass = (by: Author, reason = 'guard/deadline'): GuardReport => ({
  author: by,
  verdict: { kind: 'pass', bypass: { reason } },
  durationMs: 1,
});

describe('bypasses', () => {
  it('are separate events, not passes', () => {
    const { recorder } = setUp();
    recorder.reportGuard(bypass(author()));
    recorder.reportGuard(bypass(author(), 'sampled-out'));
    expect(recorder.events).toMatchObject([
      { type: 'guard-bypass', ...author(), reason: 'guard/deadline', calls: 1 },
      { type: 'guard-bypass', ...author(), reason: 'sampled-out', calls: 1 },
    ]);
    for (const event of recorder.events) expect(runEventSchema.parse(event)).toEqual(event);
  });

  it('of a stream are summed per step and reason', () => {
    const { recorder } = setUp();
    const by = author('outputStream');
    for (const reason of ['guard/deadline', 'guard/breaker-open', 'guard/breaker-open']) recorder.reportGuard(bypass(by, reason));
    recorder.reportGuard(report(by));
    expect(recorder.events).toEqual([]);
    recorder.flush();
    expect(recorder.events).toMatchObject([
      { type: 'guard-bypass', reason: 'guard/deadline', calls: 1 },
      { type: 'guard-bypass', reason: 'guard/breaker-open', calls: 2 },
      { type: 'guard', verdict: 'pass', calls: 1 },
    ]);
    recorder.flush();
    expect(recorder.events).toHaveLength(3);
    expect(bypassesOf([...recorder.events, ...recorder.events])).toEqual([
      { ...by, reason: 'guard/deadline', count: 2 },
      { ...by, reason: 'guard/breaker-open', count: 4 },
    ]);
  });

  it('exclude an outage that blocks, which is reported as unavailable', () => {
    const { recorder } = setUp();
    const verdict = { kind: 'trip', ...author(), reason: 'no verdict', metadata: { code: 'c' }, outage: { error: 1 } } as const;
    recorder.reportGuard({ author: author(), verdict, durationMs: 1 });
    expect(recorder.events).toMatchObject([
      { type: 'guard', verdict: 'unavailable', reason: 'no verdict', metadata: { code: 'c' } },
    ]);
  });
});

describe('shadows', () => {
  it('are reported with the position of their start', () => {
    const { recorder, position } = setUp();
    const recordShadow = recorder.openShadow();
    position.stepNumber = 4;
    recordShadow(report(author(), 'trip', 7));
    expect(recorder.events).toMatchObject([
      { type: 'guard-shadow', ...author(), stepNumber: 0, verdict: 'trip', reason: 'bad', durationMs: 7, calls: 1 },
    ]);
    for (const event of recorder.events) expect(runEventSchema.parse(event)).toEqual(event);
  });

  it('are the only events after the end, with the next sequence number', () => {
    const eventTypes: string[] = [];
    const { recorder } = setUp(({ type }) => void eventTypes.push(type));
    const late = [recorder.openShadow(), recorder.openShadow()];
    recorder.record(finish);
    recorder.reportGuard(report(author()));
    recorder.reportGuard(bypass(author()));
    late[0]?.(report(author()));
    late[1]?.(report(author('outputStream')));
    recorder.reportGuard(report(author()));
    expect(eventTypes).toEqual(['run-finish', 'guard-shadow', 'guard-shadow']);
    expect(recorder.events.map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });

  it('of a stream are summed per step, with a separate event for an unavailable guard', () => {
    const { recorder, position } = setUp();
    const by = author('outputStream');
    const open = () => recorder.openShadow();
    const [first, second, third] = [open(), open(), open()];
    position.stepNumber = 1;
    const fourth = open();
    first(report(by, 'pass', 1));
    second(report(by, 'edit', 2));
    third(report(by, 'unavailable'));
    fourth(report(by, 'pass', 4));
    recorder.flush();
    expect(recorder.events).toMatchObject([
      { verdict: 'unavailable', stepNumber: 0, calls: 1 },
      { verdict: 'edit', stepNumber: 0, calls: 2, edits: 1, durationMs: 3 },
      { verdict: 'pass', stepNumber: 1, calls: 1, edits: 0, durationMs: 4 },
    ]);
  });
});

describe('events', () => {
  it('are numbered from 0 without gaps, with time and position', () => {
    const { recorder, position } = setUp();
    for (const fact of facts) {
      recorder.record(fact);
      position.stepNumber += 1;
      position.attempt += 1;
    }
    expect(recorder.events.map(({ seq }) => seq)).toEqual(facts.map((_, index) => index));
    expect(recorder.events.map(({ at }) => at)).toEqual(facts.map((_, index) => 1_000 + index));
    expect(recorder.events.map(({ stepNumber, attempt }) => [stepNumber, attempt])).toEqual(
      facts.map((_, index) => [index, index + 1]),
    );
    expect(recorder.events.every(({ runId }) => runId === 'run')).toBe(true);
  });

  it('match their schema, from every reporter', () => {
    const { recorder } = setUp();
    for (const phase of phaseNames)
      for (const kind of Object.keys(verdicts) as (keyof typeof verdicts)[]) recorder.reportGuard(report(author(phase), kind));
    recorder.reportConflict({
      phase: 'input',
      path: 'p',
      rule: 'first',
      target: 'messages.0',
      authors: Object.freeze(['a', 'b']),
    });
    recorder.flush();
    for (const fact of facts) recorder.record(fact);
    for (const event of recorder.events) expect(runEventSchema.parse(event)).toEqual(event);
    expect(recorder.events.map(({ seq }) => seq)).toEqual(recorder.events.map((_, index) => index));
    expect(new Set(recorder.events.map(({ type }) => type)).size).toBe(facts.length + 2);
  });

  it('end with the run', () => {
    const { recorder } = setUp();
    recorder.reportGuard(report(author('outputStream')));
    recorder.record(finish);
    recorder.reportGuard(report(author()));
    recorder.record({ type: 'state-enter', state: 'late' });
    recorder.flush();
    expect(recorder.events.map(({ type }) => type)).toEqual(['run-finish']);
  });
});

describe('guards', () => {
  const perCall = phaseNames.filter((phase) => phases[phase].cadence !== 'chunk');

  it.each(perCall)('of phase %s report one event per call', (phase) => {
    const { recorder } = setUp();
    recorder.reportGuard(report(author(phase), 'pass', 3));
    recorder.reportGuard(report(author(phase), 'edit', 4));
    expect(recorder.events).toMatchObject([
      { type: 'guard', phase, processorId: 'guard', path: 'p/guard', verdict: 'pass', durationMs: 3, calls: 1, edits: 0 },
      { verdict: 'edit', durationMs: 4, calls: 1, edits: 1 },
    ]);
  });

  it('report the reason and the processor of a stop', () => {
    const { recorder } = setUp();
    const by = author();
    recorder.reportGuard({
      author: by,
      verdict: { kind: 'trip', ...by, processorId: 'inner', reason: 'bad', metadata: 7 },
      durationMs: 1,
    });
    recorder.reportGuard(report(by, 'retry'));
    recorder.reportGuard(report(by, 'unavailable'));
    expect(recorder.events).toMatchObject([
      { verdict: 'trip', processorId: 'inner', reason: 'bad', metadata: 7 },
      { verdict: 'retry', processorId: 'guard', reason: 'again' },
      { verdict: 'unavailable' },
    ]);
    expect(recorder.events[2]).not.toHaveProperty('reason');
  });

  it('called per chunk are summed per guard until a flush', () => {
    const { recorder } = setUp();
    const [a, b] = [author('outputStream', 'a'), author('outputStream', 'b')];
    for (const kind of ['pass', 'edit', 'pass'] as const) {
      recorder.reportGuard(report(a, kind, 2));
      recorder.reportGuard(report(b, 'pass', 1));
    }
    expect(recorder.events).toEqual([]);
    recorder.flush();
    expect(recorder.events).toMatchObject([
      { processorId: 'a', verdict: 'edit', durationMs: 6, calls: 3, edits: 1 },
      { processorId: 'b', verdict: 'pass', durationMs: 3, calls: 3, edits: 0 },
    ]);
    recorder.flush();
    expect(recorder.events).toHaveLength(2);
    recorder.reportGuard(report(a));
    recorder.flush();
    expect(recorder.events[2]).toMatchObject({ processorId: 'a', calls: 1, edits: 0 });
  });

  it('called per chunk report a stop at once, in addition to their sum', () => {
    const { recorder } = setUp();
    const by = author('outputStream');
    recorder.reportGuard(report(by, 'pass'));
    recorder.reportGuard(report(by, 'trip'));
    expect(recorder.events).toMatchObject([{ verdict: 'trip', calls: 1, reason: 'bad' }]);
    recorder.flush();
    expect(recorder.events[1]).toMatchObject({ verdict: 'pass', calls: 1 });
  });
});

describe('a listener', () => {
  it('receives each event as it happens', () => {
    const events: RunEvent[] = [];
    const { recorder } = setUp((event) => void events.push(event));
    recorder.record({ type: 'state-enter', state: 'input' });
    expect(events).toEqual(recorder.events);
  });

  it('that throws does not affect the recorder', () => {
    const onEvent = vi.fn(() => {
      throw new Error('listener');
    });
    const { recorder } = setUp(onEvent);
    recorder.record({ type: 'state-enter', state: 'a' });
    recorder.reportGuard(report(author('outputStream')));
    recorder.flush();
    expect(recorder.events).toHaveLength(2);
    expect(onEvent).toHaveBeenCalledTimes(2);
  });

  it('may cause events without gaps in their numbers', () => {
    const setup: ReturnType<typeof setUp> = setUp((event) => {
      if (event.type === 'guard' && event.calls === 1) setup.recorder.reportGuard(report(author('outputStream', 'other')));
    });
    setup.recorder.reportGuard(report(author('outputStream', 'first')));
    setup.recorder.flush();
    setup.recorder.flush();
    expect(setup.recorder.events.map(({ seq }) => seq)).toEqual([0, 1]);
  });
});

describe('stale verdicts', () => {
  const stale = (phase: string) => ({ phase, path: 'p/parallel.0', isRerun: false, readers: ['j'], authors: ['r'] });
  const events = { path: 'p/parallel.0', rerun: false, readers: ['j'], authors: ['r'] };

  it.each(phaseNames.filter((phase) => phases[phase].cadence !== 'chunk'))('are separate events in %s', (phase) => {
    const { recorder } = setUp();
    recorder.reportStale(stale(phase));
    recorder.reportStale(stale(phase));
    const event = { type: 'stale-verdict', phase, ...events, calls: 1 };
    expect(recorder.events).toMatchObject([event, event]);
    for (const one of recorder.events) expect(runEventSchema.safeParse(one).success).toBe(true);
  });

  it('of a stream are summed per step', () => {
    const { recorder } = setUp();
    for (let chunk = 0; chunk < 3; chunk += 1) recorder.reportStale(stale('outputStream'));
    recorder.reportStale({ ...stale('outputStream'), isRerun: true });
    expect(recorder.events).toEqual([]);
    recorder.flush();
    recorder.flush();
    expect(recorder.events).toMatchObject([
      { type: 'stale-verdict', phase: 'outputStream', ...events, calls: 3 },
      { type: 'stale-verdict', phase: 'outputStream', ...events, rerun: true, calls: 1 },
    ]);
  });
});
