import { describe, expect, it } from 'vitest';

import { memoryEngine } from '../../src/durable/memory-engine.js';
import type { Engine } from '../../src/engine.js';
import type { InterlockAgent, InterlockResult } from '../../src/index.js';
import { decode, encode } from '../../src/loop/state/encode.js';
import { createDisk, mortalEngine, type Disk } from './mortal-engine.js';
import { answerAll, approving, scenarios, type Scenario } from './scenarios.js';

const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (['createdAt', 'toolCallId'].includes(key) ? undefined : one)));

/** The parts of a result that do not depend on time and chance. */
const outcomeOf = ({ status, text, steps, tripwire, finishReason, usage, messages }: InterlockResult) => ({
  status,
  text,
  tripwire,
  finishReason,
  usage,
  steps: steps.map(({ stepNumber, attempt, reason, text: answerText, toolResults }) => [
    stepNumber,
    attempt,
    reason,
    answerText,
    toolResults.length,
  ]),
  messages: messages.map(({ role, content }) => [role, timeless(content.parts)]),
});

/** The events, regardless of the order of concurrent ones. */
const eventsOf = ({ runEvents }: InterlockResult) => {
  expect(runEvents.map(({ seq }) => seq)).toEqual(runEvents.map((_, index) => index));
  return runEvents.map(({ type, stepNumber, attempt }) => `${stepNumber}.${attempt} ${type}`).toSorted();
};

const prompt = 'Please charge me.';

interface Killed {
  readonly result: InterlockResult;
  /** Effects whose tools had ended, with a stored result, when the process was killed. */
  readonly finished: readonly string[];
}

/** A run in a process that is killed at a boundary, and continues in another one, possibly with other options. */
const killedAt = async ({ agent }: Scenario, dieAt: number, deployed = {}): Promise<Killed> => {
  const disk = createDisk();
  const mortal = mortalEngine(disk, dieAt);
  const call = agent({ durability: mortal }).generate(prompt, { runId: 'run' });
  const isDead = await Promise.race([mortal.died.then(() => true), call.then(() => false)]);
  if (!isDead) throw new Error('The process was not killed.');
  const finished = finishedTools(disk);
  const stream = await agent({ durability: mortalEngine(disk), ...deployed }).attach('run');
  return { result: await stream.getFullOutput(), finished };
};

const finishedTools = ({ runs }: Disk): string[] =>
  [...runs.values()]
    .flatMap(({ kept }) => [...kept])
    .filter(([key]) => key.startsWith('tool '))
    .map(([, text]) => `charge ${/receipt (\d)/.exec(text)?.[1]}`);

const scenarioOf = (name: string): Scenario => (scenarios[name] as () => Scenario)();

const countOf = (effects: readonly string[], effect: string): number => effects.filter((one) => one === effect).length;

describe.each(Object.keys(scenarios))('P11: killed at any point, it resumes (%s)', (name) => {
  const make = scenarios[name] as () => Scenario;

  it('ends as without an engine', async () => {
    const inProcess = await make().agent().generate(prompt);
    const kept = await make().agent({ durability: memoryEngine() }).generate(prompt);
    expect(outcomeOf(kept)).toEqual(outcomeOf(inProcess));
    expect(eventsOf(kept)).toEqual(eventsOf(inProcess));
  });

  it('ends the same, with each finished effect once, for a kill at every point', async () => {
    const whole = make();
    const engine = mortalEngine(createDisk());
    const expected = await whole.agent({ durability: engine }).generate(prompt);
    expect(engine.passed.length).toBeGreaterThan(10);
    for (const [dieAt, boundary] of engine.passed.entries()) {
      const scenario = make();
      const { result, finished } = await killedAt(scenario, dieAt);
      const label = `${boundary.at} ${boundary.key}`;
      expect(outcomeOf(result), label).toEqual(outcomeOf(expected));
      if (name !== 'failing') expect(eventsOf(result), label).toEqual(eventsOf(expected)); // its failures depend on the number of calls
      for (const effect of new Set(whole.effects)) {
        const once = countOf(whole.effects, effect);
        const count = countOf(scenario.effects, effect);
        const isUnderWay = boundary.at === 'unkept' && boundary.key.startsWith('tool ') && countOf(finished, effect) === 0;
        if (!isUnderWay) expect(count, `${label}: ${effect}`).toBe(once);
        else expect(count, `${label}: ${effect}`).toBeLessThanOrEqual(once + 1); // it was under way
      }
    }
  });
});

/** The text that a follower from the start has at the end: a killed process leaves parts, which the next one retracts. */
const followedText = async (agent: InterlockAgent): Promise<string> => {
  const parts = new Map<string, string>();
  const { fullStream } = await agent.attach('run', { from: 0 });
  for await (const { type, payload, data } of fullStream as AsyncIterable<FollowedChunk>) {
    if (type === 'text-delta' && payload) parts.set(payload.id, (parts.get(payload.id) ?? '') + payload.text);
    if (type === 'data-interlock-retract') for (const id of data?.partIds ?? []) parts.delete(id);
  }
  return [...parts.values()].join('');
};

interface FollowedChunk {
  readonly type: string;
  readonly payload?: { readonly id: string; readonly text: string };
  readonly data?: { readonly partIds: readonly string[] };
}

describe.each(['none', 'step', 'run'] as const)('P11: killed at any point after a person answered, with hold %s', (hold) => {
  const answered = async (dieAt?: number) => {
    const scenario = approving();
    const disk = createDisk();
    const agentIn = (durability: Engine) => scenario.agent({ durability, hold });
    await agentIn(mortalEngine(disk)).generate(prompt, { runId: 'run' });
    const second = mortalEngine(disk, dieAt);
    const ended = answerAll(agentIn(second), 'run');
    await Promise.race([second.died, ended]);
    const third = agentIn(mortalEngine(disk));
    const outcome = outcomeOf(await answerAll(third, 'run'));
    return { boundaries: second.passed, outcome, text: await followedText(third) };
  };

  it('the run ends the same, and followers read the same text', async () => {
    const { boundaries, ...expected } = await answered();
    expect(expected).toMatchObject({ text: 'I charge. All is paid.', outcome: { status: 'success' } });
    expect(boundaries.length).toBeGreaterThan(10);
    for (const [dieAt, { at, key }] of boundaries.entries()) {
      const { outcome, text } = await answered(dieAt);
      expect({ outcome, text }, `${at} ${key}`).toEqual(expected);
    }
  });
});

describe('P11: a deployment that changes limits does not change the past', () => {
  it('keeps the initial limits of a run, for a kill at every point', async () => {
    const engine = mortalEngine(createDisk());
    const expected = await scenarioOf('guards').agent({ durability: engine }).generate(prompt);
    expect(expected.status).toBe('success');
    expect(expected.steps.some(({ reason }) => reason === 'retry')).toBe(true);
    for (const [dieAt, { key, at }] of engine.passed.entries()) {
      if (key === 'begin') continue; // no limits are persisted yet
      const { result } = await killedAt(scenarioOf('guards'), dieAt, { maxProcessorRetries: 0 });
      expect(outcomeOf(result), `${at} ${key}`).toEqual(outcomeOf(expected));
    }
  });

  it('rejects a journal with a model that the agent no longer has, and a journal of another format', async () => {
    const spoiled = async (spoil: (persisted: string) => string) => {
      const disk = createDisk();
      const mortal = mortalEngine(disk, 6);
      void scenarioOf('tools')
        .agent({ durability: mortal })
        .generate(prompt, { runId: 'run' })
        .catch(() => undefined);
      await mortal.died;
      const [run] = disk.runs.values();
      run?.kept.set('begin', spoil(run.kept.get('begin') ?? ''));
      const refused = Promise.withResolvers<unknown>();
      const after = mortalEngine(disk);
      const engine: Engine = {
        ...after,
        host: (program) =>
          after.host({
            ...program,
            run: (...args) =>
              program.run(...args).catch((error: unknown) => {
                refused.resolve(error);
                return new Promise<never>(() => undefined);
              }),
          }),
      };
      scenarioOf('tools').agent({ durability: engine });
      return refused.promise;
    };
    const withFields = (fields: object) => (text: string) => {
      const persisted = decode(text) as { limits: object };
      return encode({ ...persisted, ...fields });
    };
    await expect(spoiled(withFields({ format: 99 }))).resolves.toMatchObject({ code: 'durable/unknown-format', path: 'run' });
    const limits = { maxSteps: 5, maxRetries: 0, maxRecoveries: 0, models: 2 };
    await expect(spoiled(withFields({ limits }))).resolves.toMatchObject({ code: 'durable/changed-code', path: 'run' });
  });
});
