import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { phaseJsonSchema } from '../../schemas/phase-payload.js';
import { phaseSchemas, ProcessorStepOutputSchema, safeParsePayload, type PhaseName } from '../../schemas/index.js';
import { collectTraces, formatTrace, parseTrace, type Trace } from '../../src/replay.js';
import { guard, isInterlockError } from '../../src/index.js';
import { callThen, echo, makeAgent } from '../mastra/support.js';
import { times } from '../modes.js';
import { anything, anyJson, spoiled, spoiling } from './hostile.js';

const runs = times(1_000);

/** A payload of each phase, as JSON. */
const payloads = (Object.keys(phaseSchemas) as PhaseName[]).flatMap((phase) => {
  const { examples = [] } = phaseJsonSchema(phase);
  return examples.map((example: unknown) => JSON.parse(JSON.stringify(example)) as unknown);
});

/** The result of an act, or our error that it raised; any other error breaks the law. */
const orRefused = <T>(act: () => T, codes: RegExp): T | undefined => {
  try {
    return act();
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    expect(error.code).toMatch(codes);
    return undefined;
  }
};

describe('payloads', () => {
  const payload = fc.oneof(anything, spoiled(payloads));

  it('any input is parsed, or rejected with a code and a path', () => {
    fc.assert(
      fc.property(payload, (given) => {
        const read = safeParsePayload(given);
        if (read.success) return;
        expect(read.error.code).toMatch(/^(?:schema\/invalid-payload|phase\/unknown)$/);
        expect(read.error.path).toBeTruthy();
      }),
      runs,
    );
  });

  it('a parsed value parses again without changes and keeps unknown fields', () => {
    let accepted = 0;
    fc.assert(
      fc.property(spoiled(payloads), fc.string({ minLength: 1 }), anything, (given, name, value) => {
        const read = safeParsePayload(given);
        if (!read.success) return;
        accepted += 1;
        expect(safeParsePayload(read.data)).toEqual(read);
        if (Object.hasOwn(read.data, name) || name in {}) return;
        const more = { ...read.data, [`x-${name}`]: value };
        expect((safeParsePayload(more) as { data: Record<string, unknown> }).data[`x-${name}`]).toBe(value);
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(runs.numRuns / 10); // a law about nothing proves nothing
  });

  it('parsing does not change the input', () => {
    fc.assert(
      fc.property(spoiled(payloads, anyJson), (given) => {
        const before = structuredClone(given);
        safeParsePayload(given);
        ProcessorStepOutputSchema.safeParse(given);
        expect(given).toEqual(before);
      }),
      runs,
    );
  });
});

describe('policies', () => {
  const policies = [
    { deadlineMs: 5, onUnavailable: 'trip', breaker: { failures: 1, halfOpenAfterMs: 1 } },
    { concurrency: { limit: 1, queue: 2 }, cache: { maxEntries: 1, ttlMs: 1, windows: true }, shadow: true, sampleRate: 0.5 },
    { window: { chars: 3 } },
  ];

  it('any input makes a guard, or is rejected with a code', () => {
    fc.assert(
      fc.property(fc.oneof(anything, spoiled(policies)), (policy) => {
        orRefused(
          () => guard({ id: 'g', processInput: ({ messages }) => messages }, policy as never),
          /^(?:guard\/(?:unknown-option|invalid-option|overlap-edits)|pipeline\/)/,
        );
      }),
      runs,
    );
  });
});

describe('traces', () => {
  let trace: Trace;
  beforeAll(async () => {
    const recording = collectTraces();
    const { agent } = makeAgent(callThen('echo', { say: 'hello' }), {
      tools: { echo },
      outputProcessors: [{ id: 'calm', processOutputStream: async ({ part }) => part }],
      record: recording.record,
    });
    await agent.generate('Say hello.');
    ({ trace } = recording);
  });

  it('changed lines are parsed, or rejected with a code', () => {
    fc.assert(
      fc.property(fc.nat(trace.length - 1), spoiling(anyJson), (at, spoil) => {
        const changed = trace.map((entry, index) => (index === at ? spoil(entry) : entry));
        const lines = orRefused(() => parseTrace(changed.map((entry) => JSON.stringify(entry)).join('\n')), /^trace\//);
        if (lines) expect(lines).toEqual(JSON.parse(JSON.stringify(changed)));
      }),
      times(200),
    );
  });

  it('truncated, joined and other texts are rejected with a code', () => {
    const whole = formatTrace(trace);
    const text = fc.oneof(
      fc.string(),
      fc.nat(whole.length).map((end) => whole.slice(0, end)),
      fc.tuple(fc.nat(whole.length), fc.string()).map(([at, more]) => whole.slice(0, at) + more + whole.slice(at)),
    );
    fc.assert(
      fc.property(text, (lines) => void orRefused(() => parseTrace(lines), /^trace\//)),
      times(500),
    );
    expect(formatTrace(parseTrace(whole))).toBe(whole);
  });
});
