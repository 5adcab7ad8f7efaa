import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guard, pipeline, type InterlockAgentConfig } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import type { Processor } from '@mastra/core/processors';
import type { Catalog, FormSchemas } from '../protocol/catalog.js';
import type { Comparison } from '../protocol/runs.js';
import type { GuardView, Revealed } from '../protocol/trace-entry.js';
import type { LabRun, LeakSearch, Tried } from '../protocol/workbench.js';
import { responseQuality } from '../../workflows/index.js';
import { makeAgent, openStudio } from './test-setup.js';

const mail = 'ann@example.com';
const body = async <T>(response: Promise<Response>): Promise<T> => (await response).json() as Promise<T>;
const payload = (text: string) => ({
  extra: 'kept',
  messages: [
    { id: 'm', role: 'user', createdAt: '2026-01-01T00:00:00.000Z', content: { format: 2, parts: [{ type: 'text', text }] } },
  ],
});
const blocking: Processor = { id: 'blocking', processInput: async ({ abort }) => abort('Closed.', { metadata: { by: 'me' } }) };
const breaking: Processor = {
  id: 'breaking',
  processInput: async () => {
    throw new Error('Out of order.');
  },
};
const perChunk: Processor = {
  id: 'per-chunk',
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes(mail) ? abort('A mail.') : part,
};

it('builds the catalog from the library and the agents', async () => {
  const stern = makeAgent([], { id: 'stern', outputProcessors: responseQuality() }).agent;
  const studio = await openStudio([makeAgent([]).agent, stern]);
  const { phases, machine, agents, pipelines } = await studio.json<Catalog>('catalog');
  expect(phases.map(({ phase }) => phase)).toEqual(phaseNames);
  const schemas = await studio.json<FormSchemas>('schemas');
  expect(Object.keys(schemas.phases)).toEqual(phaseNames);
  for (const schema of [...Object.values(schemas.phases), schemas.policy, schemas.ready['lengthGuard']])
    expect(schema).toMatchObject({ type: 'object' });
  const states = new Set(machine.states.map(({ path }) => path));
  for (const { loopState } of phases) expect(states).toContain(loopState);
  for (const { from, to } of machine.transitions) expect([from === '' || states.has(from), states.has(to)]).toEqual([true, true]);
  expect(machine.states.filter(({ type, parent }) => type === 'final' && parent === undefined).map(({ path }) => path)).toEqual([
    'success',
    'tripwire',
    'failed',
    'canceled',
  ]);
  expect(agents).toMatchObject([
    { id: 'helper', kind: 'interlock', pipelines: { input: 'comes-in', output: 'goes-out' } },
    { id: 'stern', pipelines: { output: 'response-quality' } },
  ]);
  expect(pipelines.find(({ id }) => id === 'comes-in')?.usedBy).toEqual(['helper', 'stern']);
  expect(pipelines.find(({ id }) => id === 'goes-out')).toMatchObject({
    usedBy: ['helper'],
    graph: {
      kind: 'sequence',
      nodes: [
        { kind: 'guard', id: 'redactor' },
        { id: 'no-secrets', phases: ['outputStep'] },
      ],
    },
  });
  const [finding, ...others] = pipelines.find(({ id }) => id === 'response-quality')?.findings ?? [];
  expect(finding).toMatchObject({ code: 'guard/retry-without-budget', path: 'response-quality/quality' });
  expect(finding?.counterExample?.length).toBeGreaterThan(0);
  expect(others.map(({ code, path }) => `${code} ${path}`)).not.toContain(`${finding?.code} ${finding?.path}`);
});

describe.each(['plan', 'mastra'] as const)('a trial of a phase on %s', (engine) => {
  const trial = async (text: string, ...guards: (Processor | ReturnType<typeof guard>)[]) => {
    const input = guards.reduce((built, one) => built.then(one), pipeline('tried')).commit();
    const studio = await openStudio(makeAgent([], { inputProcessors: input }).agent);
    return body<Tried>(studio.post('pipelines/tried/try', { phase: 'input', engine, payload: payload(text) }));
  };

  it('shows the texts before and after and keeps unknown fields', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    const tried = await body<Tried>(
      studio.post('pipelines/comes-in/try', { phase: 'input', engine, payload: payload(`To ${mail}`) }),
    );
    const target = 'messages.0.content.parts.0.text';
    expect(tried.before).toContainEqual({ target, text: `To ${mail}` });
    expect(tried.after).toContainEqual({ target, text: 'To [EMAIL]' });
    expect(tried).toMatchObject({ status: 'success', payload: { phase: 'input', extra: 'kept' } });
    if (engine === 'mastra') expect(tried.steps).toMatchObject([{ status: 'success' }]);
    else expect(tried.events).toMatchObject([{ type: 'guard', verdict: 'edit', changes: [{ target }] }]);
    expect(JSON.stringify(tried.payload)).not.toContain(mail);
  });

  it('shows a tripwire at the run and at its step', async () => {
    const tried = await trial('Hello', blocking, { id: 'after', processInput: async ({ messages }) => messages });
    expect(tried).toMatchObject({
      status: 'tripwire',
      tripwire: { reason: 'Closed.', processorId: 'blocking', metadata: { by: 'me' } },
      after: [],
    });
    if (engine === 'mastra') expect(tried.steps).toMatchObject([{ status: 'tripwire', reason: 'Closed.' }]);
    else expect(tried.events).toMatchObject([{ type: 'guard', verdict: 'trip', reason: 'Closed.' }]);
  });

  it('reports no verdict for a guard without one', async () => {
    const slow: Processor = {
      id: 'slow',
      processInput: ({ messages, abortSignal }) =>
        new Promise((resolve) => abortSignal?.addEventListener('abort', () => resolve(messages))),
    };
    const input = pipeline('tried').parallel([blocking, slow]).commit();
    const studio = await openStudio(makeAgent([], { inputProcessors: input }).agent);
    const call = { phase: 'input', engine, payload: payload('Hello') };
    const { status, events } = await body<Tried>(studio.post('pipelines/tried/try', call));
    expect(status).toBe('tripwire');
    const judged = events.map((event) => (event.type === 'guard' ? `${event.processorId} ${event.verdict}` : event.type));
    expect(judged).toEqual(engine === 'plan' ? ['blocking trip'] : []);
  });

  it('reports a shadow guard and a bypassed guard', async () => {
    const shadow = guard({ ...blocking, id: 'shadow' }, { shadow: true });
    const { status, events } = await trial('Hello', shadow, guard(breaking, { onUnavailable: 'pass' }));
    expect(status).toBe('success');
    const reported = events.map(({ type, ...event }) => [type, 'processorId' in event && event.processorId]);
    expect(reported).toEqual(
      engine === 'plan'
        ? [
            ['guard-bypass', 'breaking'],
            ['guard-shadow', 'shadow'],
          ]
        : [],
    );
  });

  it('shows a failure if a guard throws', async () => {
    const tried = await trial('Hello', breaking);
    expect(tried).toMatchObject({ status: 'failed', after: [] });
    if (engine === 'mastra') expect(tried.steps).toMatchObject([{ status: 'failed' }]);
    else expect(tried.events).toMatchObject([{ type: 'guard', verdict: 'unavailable' }]);
    expect(tried.error?.message).toContain('Out of order.');
  });

  it('names the invalid field', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    const response = await studio.post('pipelines/comes-in/try', { phase: 'input', engine, payload: { messages: [{ id: 1 }] } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'schema/invalid-payload', path: 'input.messages.0.id' } },
    ]);
  });
});

describe('the chunk lab', () => {
  const text = `One. Write to ${mail}. 👋 Three.`;

  it.each(['text', 'reasoning'] as const)('shows released and buffered %s regardless of chunk boundaries', async (kind) => {
    const studio = await openStudio(makeAgent([]).agent);
    const cuttings = fc.oneof(
      fc.constant({ kind: 'characters' }),
      fc.record({ kind: fc.constant('random'), seed: fc.nat(1_000), mean: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ kind: fc.constant('by-hand'), at: fc.array(fc.nat(50)) }),
    );
    const output = text.replace(mail, '[EMAIL]');
    await fc.assert(
      fc.asyncProperty(cuttings, async (cutting) => {
        const run = await body<LabRun>(studio.post('lab/stream', { pipelineId: 'goes-out', text, kind, cutting }));
        expect(run.chunks.join('')).toBe(text);
        expect(run.output).toBe(output);
        expect(run.emissions.map(({ emitted }) => emitted).join('')).toBe(output);
        expect(run.emissions.map(({ pushed = '' }) => pushed).join('')).toBe(text);
        let [received, emitted] = ['', ''];
        for (const emission of run.emissions) {
          received += emission.pushed ?? '';
          emitted += emission.emitted;
          expect(output.startsWith(emitted)).toBe(true);
          expect(received.endsWith(emission.held)).toBe(true);
          expect(emitted.replace('[EMAIL]', mail) + emission.held).toBe(received);
          expect(emission.heldChars).toBe(Array.from(emission.held).length);
        }
        expect(run.emissions.at(-1)?.held).toBe('');
      }),
      { numRuns: 30 },
    );
  });

  it('shows tool arguments, and a tripwire at its chunk', async () => {
    const studio = await openStudio(makeAgent([], { outputProcessors: [guard(perChunk, { window: 'delta' })] }).agent);
    const stopped = await body<LabRun>(
      studio.post('lab/stream', {
        pipelineId: 'helper-output-processor',
        text,
        kind: 'text',
        cutting: { kind: 'by-hand', at: [5] },
      }),
    );
    expect(stopped).toMatchObject({
      output: 'One. ',
      emissions: [{ emitted: 'One. ' }, { emitted: '', stop: { processorId: 'per-chunk', kind: 'trip', reason: 'A mail.' } }],
    });
    const { agent } = makeAgent([]);
    const other = await openStudio(agent);
    const args = await body<LabRun>(
      other.post('lab/stream', { pipelineId: 'goes-out', text: mail, kind: 'tool-input', cutting: { kind: 'characters' } }),
    );
    expect(args.output).toBe('');
    expect(args.emissions.at(-1)).toMatchObject({
      held: JSON.stringify({ text: mail }),
      stop: { processorId: 'redactor', kind: 'trip', reason: expect.stringContaining('did not run') as unknown },
    });
  });

  it('uses the window that runs of the agent recorded', async () => {
    const reader = { id: 'reader', processOutputStream: ({ part }: { part: unknown }) => Promise.resolve(part) } as Processor;
    const { agent } = makeAgent([{ text: 'Hello.' }], { outputProcessors: [reader], window: 'delta' });
    const studio = await openStudio(agent);
    const call = {
      pipelineId: 'helper-output-processor',
      text: 'One. ',
      kind: 'text',
      cutting: { kind: 'by-hand', at: [2] },
    };
    const before = await body<LabRun>(studio.post('lab/stream', call));
    expect([before.window, before.emissions[0]?.emitted]).toEqual([undefined, '']);
    await studio.run('Hello');
    const after = await body<LabRun>(studio.post('lab/stream', call));
    expect([after.window, after.emissions[0]?.emitted]).toEqual(['delta', 'On']);
  });

  it('finds a split that leaks a value, and none without a leak', async () => {
    const leaky = await openStudio(makeAgent([], { outputProcessors: [guard(perChunk, { window: 'delta' })] }).agent);
    const search = { text: `Write to ${mail} now.`, kind: 'text', fragment: mail, tries: 5 };
    const found = await body<LeakSearch>(leaky.post('lab/leak', { ...search, pipelineId: 'helper-output-processor' }));
    expect(found.leak?.chunks.join('')).toBe(search.text);
    expect(found.leak?.output).toContain(found.leak?.emitted);
    expect(mail).toContain(found.leak?.emitted);
    const tight = await openStudio(makeAgent([]).agent);
    const none = await body<LeakSearch>(tight.post('lab/leak', { ...search, pipelineId: 'goes-out' }));
    expect(none.leak).toBeUndefined();
    expect(none.tried).toBeGreaterThan(search.text.length);
  });

  it('uses the deltas of a recorded run', async () => {
    const studio = await openStudio(makeAgent([{ text: ['Hel', 'lo, ', 'you.'] }]).agent);
    const { runId } = await studio.run('Hi');
    const cutting = { kind: 'recorded', runId, stepNumber: 0, attempt: 1 };
    const run = await body<LabRun>(studio.post('lab/stream', { pipelineId: 'goes-out', kind: 'text', cutting }));
    expect(run.chunks).toEqual(['Hel', 'lo, ', 'you.']);
    const none = await studio.post('lab/stream', { pipelineId: 'goes-out', kind: 'text', cutting: { ...cutting, attempt: 2 } });
    expect(none.status).toBe(404);
  });
});

describe('unreleased text', () => {
  const rejected = async (content: 'all' | 'released', config: Partial<InterlockAgentConfig> = {}) => {
    const { agent } = makeAgent([{ text: 'Hidden SECRET words' }], { hold: 'step', ...config });
    const studio = await openStudio(agent, { content });
    const { runId, entries } = await studio.run('Hello');
    const found = entries.find(
      (entry) => entry.kind === 'event' && entry.event.type === 'guard' && entry.event.verdict !== 'pass',
    );
    return { studio, runId, seq: found?.seq ?? -1 };
  };
  /** A guard whose error, with its cause, quotes the judged text. */
  const quoting: Processor = {
    id: 'quoting',
    processOutputStep: ({ text = '' }) => {
      throw new Error(`Cannot read "${text}".`, { cause: new SyntaxError(`Unexpected token in ${text}`) });
    },
  };

  it('is masked and shown on request', async () => {
    const { studio, runId, seq } = await rejected('all');
    const masked = await studio.json<GuardView>(`runs/${runId}/guards/${seq}`);
    const guardView = await studio.json<GuardView>(`runs/${runId}/guards/${seq}?reveal=1`);
    expect(JSON.stringify(masked)).not.toMatch(/Hidden|SECRET/);
    expect(JSON.stringify(masked)).toContain('▒▒▒▒▒▒');
    expect(JSON.stringify(guardView.received)).toContain('Hidden SECRET words');
    expect(guardView).toMatchObject({ seq, phase: 'outputStep', processorId: 'no-secrets', returned: [] });
    const words = await studio.json<Revealed[]>(`runs/${runId}/reveal`);
    expect(words.map(({ text }) => text).join('')).toBe('Hidden SECRET words');
    expect(await studio.json<Revealed[]>(`runs/${runId}/reveal?from=${(words[0]?.seq ?? 0) + 1}`)).toEqual([]);
    expect((await studio.get(`runs/${runId}/guards/0`)).status).toBe(404);
  });

  it('is not masked if it was sent, also before a comma', async () => {
    const { agent } = makeAgent([{ text: 'Write to ann@example.com, please.' }], {});
    const studio = await openStudio(agent);
    const { runId, entries } = await studio.run('Where do I write to?');
    const edit = entries.find(
      (entry) => entry.kind === 'event' && entry.event.type === 'guard' && entry.event.verdict === 'edit',
    );
    const { returned } = await studio.json<GuardView>(`runs/${runId}/guards/${edit?.seq}`);
    expect(returned.map(({ text }) => text).join(' ')).toContain('[EMAIL]');
  });

  it('is masked in guard errors and not stored with content: released', async () => {
    const { studio, runId, seq } = await rejected('all', { outputProcessors: [quoting] });
    const masked = await studio.json<GuardView>(`runs/${runId}/guards/${seq}`);
    expect(masked.causes).toMatchObject([{ name: 'Error' }, { name: 'SyntaxError' }]);
    expect(JSON.stringify(masked)).not.toMatch(/Hidden|SECRET/);
    const guardView = await studio.json<GuardView>(`runs/${runId}/guards/${seq}?reveal=1`);
    expect(guardView.causes?.[1]?.message).toBe('Unexpected token in Hidden SECRET words');
    const released = await rejected('released', { outputProcessors: [quoting] });
    const trace = await (await released.studio.get(`runs/${released.runId}/trace`)).text();
    expect(trace).toContain('"verdict":"unavailable"');
    expect(trace).not.toMatch(/Hidden|SECRET/);
  });

  it('is not stored with content: released', async () => {
    const { studio, runId, seq } = await rejected('released');
    for (const path of [`guards/${seq}`, `guards/${seq}?reveal=1`, 'reveal', 'prompts', 'fixture']) {
      const response = await studio.get(`runs/${runId}/${path}`);
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        403,
        { error: { code: 'studio/content-withheld' } },
      ]);
    }
    const trace = await (await studio.get(`runs/${runId}/trace`)).text();
    expect(trace).toContain('"kind":"header"');
    expect(trace).not.toMatch(/Hidden|SECRET/);
  });
});

describe('a recorded run', () => {
  it('is replayed without its model and compared', async () => {
    const { agent, model } = makeAgent([{ text: `Write to ${mail}` }], {
      inputProcessors: pipeline('open')
        .then({ id: 'open-door', processInput: async ({ messages }) => messages })
        .commit(),
    });
    const other = makeAgent([], { id: 'other' }).agent;
    const studio = await openStudio([agent, other]);
    const { runId } = await studio.run(`Hello, I am ${mail}`);
    const same = await body<Comparison>(studio.post(`runs/${runId}/replay`, { pipelines: {} }));
    expect(same).toMatchObject({
      before: { status: 'success', text: 'Write to [EMAIL]' },
      after: { status: 'success', text: 'Write to [EMAIL]' },
    });
    expect(same.rows.length).toBeGreaterThan(0);
    expect(same.rows.every(({ differs }) => !differs)).toBe(true);
    const swapped = await body<Comparison>(studio.post(`runs/${runId}/replay`, { pipelines: { input: 'comes-in' } }));
    expect(swapped.endedAt).toBeTypeOf('string'); // the model would have got another request
    expect(swapped.rows.some(({ differs, processorId }) => differs && processorId === 'redactor')).toBe(true);
    expect(model.calls).toHaveLength(1);
    expect((await studio.post(`runs/${runId}/replay`, { pipelines: { input: 'none' } })).status).toBe(404);
  });

  it('can be exported, as can diagrams', async () => {
    const studio = await openStudio(makeAgent([{ text: 'Hello.' }]).agent);
    const { runId } = await studio.run('Hi');
    const fixture = await studio.get(`runs/${runId}/fixture`);
    expect(fixture.headers.get('content-disposition')).toContain('.test.ts');
    expect(await fixture.text()).toMatch(/^\/\/ Replace this import.*\nimport .*\nimport .* from 'vitest'/);
    const ours = await (await studio.get(`runs/${runId}/fixture?from=../src/helper.js&name=helper`)).text();
    expect(ours).toMatch(/^import /);
    expect(ours).toContain('import { helper } from "../src/helper.js";');
    expect((await studio.get(`runs/${runId}/fixture?name=a%20b`)).status).toBe(400);
    const lines = (await (await studio.get(`runs/${runId}/trace`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, index) => index));
    expect(await (await studio.get('pipelines/goes-out/mermaid')).text()).toBe(
      'flowchart TD\n  n1["redactor"]\n  n2["no-secrets"]\n  n1 --> n2\n',
    );
    expect(await (await studio.get('machine/mermaid')).text()).toContain('step_calling --> step_reviewing : call done');
    expect(await studio.json('machine')).toMatchObject({ id: 'loop', initial: 'input' });
  });
});
