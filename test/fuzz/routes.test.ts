import { Mastra } from '@mastra/core/mastra';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { createApp } from '../../playground/server/http/app.js';
import { openMemoryStore } from '../../playground/server/store/open-store.js';
import { createStudio, type Studio } from '../../playground/server/studio.js';
import { errorTable } from '../../src/errors.js';
import { InterlockAgent, pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { spoiledBytes } from './bytes.js';
import { times } from '../modes.js';
import { anyJson, spoiling } from './hostile.js';

const silence = vi.spyOn(console, 'error').mockReturnValue(undefined); // Mastra logs the rejections of its workflows to the console
afterAll(() => silence.mockRestore());

let studio: Studio;
let app: ReturnType<typeof createApp>;
let runId = '';

beforeAll(async () => {
  const guards = pipeline('masking')
    .then(redactor({ strategy: 'replace', kinds: ['email'] }))
    .commit();
  const agent = new InterlockAgent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Help.',
    model: scriptedModel({ steps: () => ({ text: 'Write to ann@example.com.' }) }),
    inputProcessors: guards,
    outputProcessors: guards,
  });
  const mastra = new Mastra({ agents: { helper: agent }, logger: false });
  studio = createStudio({ mastra, store: openMemoryStore() });
  app = createApp(studio, { authorize: () => true });
  const started = await app.request('/api/agents/helper/runs', { method: 'POST', body: JSON.stringify({ text: 'Hello' }) });
  ({ runId } = (await started.json()) as { runId: string });
  const ended = async () => expect(await (await app.request(`/api/runs/${runId}`)).json()).toMatchObject({ status: 'success' });
  await vi.waitFor(ended, { timeout: 30_000 });
});
afterAll(() => studio.close());

const payloads = {
  outputStep: { stepNumber: 0, text: 'Hi', messages: [], steps: [], retryCount: 0, toolCalls: [] },
  input: { messages: [], systemMessages: [], retryCount: 0 },
};

/** Valid bodies of routes; other routes get random ones. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  '/api/agents/:agentId/runs': [{ text: 'Hello', threadId: 'thread' }],
  '/api/runs/:runId/answer': [{ toolCallId: 'call', approved: true, reason: 'Fine.', data: { n: 1 } }],
  '/api/pipelines/:id/try': [
    { phase: 'outputStep', engine: 'plan', payload: payloads.outputStep },
    { phase: 'input', engine: 'mastra', payload: payloads.input },
  ],
  '/api/lab/stream': [
    { pipelineId: 'masking', text: 'ann@example.com', kind: 'text', cutting: { kind: 'random', seed: 1, mean: 3 } },
    { pipelineId: 'masking', text: 'ann@example.com', kind: 'text', cutting: { kind: 'by-hand', at: [1, 2] } },
  ],
  '/api/lab/leak': [{ pipelineId: 'masking', text: 'ann@e.org', kind: 'text', fragment: 'ann@e', tries: 1 }],
  '/api/runs/:runId/replay': [{ pipelines: { masking: 'masking' } }],
};

const asBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const bodyFor = (path: string): fc.Arbitrary<Uint8Array> => {
  const own = bodies[path];
  const good = fc.constantFrom(...(own ?? Object.values(bodies).flat()));
  return fc.oneof(
    { weight: 1, arbitrary: good.map(asBytes) },
    { weight: 3, arbitrary: fc.tuple(good, spoiling(anyJson)).map(([value, spoil]) => asBytes(spoil(value) ?? null)) },
    { weight: 2, arbitrary: spoiledBytes(good.map(asBytes)) },
  );
};

const odd = [
  '__proto__',
  'constructor',
  '..',
  '%2e%2e',
  '%',
  '%00',
  '%ff',
  '%ED%A0%80',
  '\u{1F600}',
  'x'.repeat(5_000),
  '-1',
  '0',
  ' ',
];
const word = fc.oneof(fc.constantFrom(...odd), fc.string({ maxLength: 8 }));
const queryNames = ['status', 'limit', 'before', 'text', 'from', 'to', 'name', 'reveal', 'after', '__proto__'];
const query = fc.array(fc.tuple(fc.constantFrom(...queryNames), word), { maxLength: 3 });

/** All routes, from `createApp`, so that a new one is tested too. */
const routes = createApp({} as Studio).routes.filter(
  // they are only listed
  ({ path, method }) => path.startsWith('/api/') && !path.endsWith('*') && method !== 'ALL',
);

/** Valid values of the parameters. */
const known = (name: string): string => ({ runId, agentId: 'helper', id: 'masking', seq: '1' })[name] ?? name;

interface Call {
  readonly method: string;
  readonly path: string;
  /** Replacements for parameters, in place of the valid values. */
  readonly words: readonly (string | undefined)[];
  readonly query: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly type: string;
}

const call: fc.Arbitrary<Call> = fc.constantFrom(...routes).chain(({ method, path }) =>
  fc.record({
    method: fc.constant(method),
    path: fc.constant(path),
    words: fc.array(fc.option(word, { nil: undefined, freq: 2 }), { minLength: 2, maxLength: 2 }),
    query,
    body: bodyFor(path),
    type: fc.constantFrom('application/json', 'application/json', 'text/plain', 'multipart/form-data', ''),
  }),
);

/** One call for each kind of answer, so that each kind is seen. */
const certain: [Call][] = [
  ['GET', '/api/runs', {}],
  ['GET', '/api/runs/:runId', {}, 'nobody'],
  ['POST', '/api/agents/:agentId/runs', { text: 'Hello' }],
  ['POST', '/api/agents/:agentId/runs', { text: 42 }],
  ['POST', '/api/pipelines/:id/try', { phase: 'outputStep', engine: 'plan', payload: {} }],
].map(([method, path, body, label]) => [
  { method, path, words: [undefined, label], query: [], body: asBytes(body), type: 'application/json' } as Call,
]);

const requestOf = ({ method, path, words, query: parameters, body, type }: Call): Request => {
  const remaining = [...words];
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => remaining.pop() ?? known(name));
  const url = new URL(`http://localhost${filled}`);
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  return new Request(url, { method, headers: type === '' ? {} : { 'content-type': type }, ...(method === 'POST' && { body }) });
};

/** The answer's text; for an unfinished stream, its beginning. */
const beginningOf = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value as Uint8Array | undefined);
};

describe('the routes of the studio', () => {
  it('answer any request, and reject invalid ones with a code', async () => {
    const statuses = new Map<number, number>();
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(call, async (drawn) => {
        const request = requestOf(drawn);
        const response = await app.request(request);
        const text = await beginningOf(response);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status, `${request.method} ${request.url} ${text}`).toBeLessThan(500);
        if (response.status < 400) return;
        const { error } = JSON.parse(text) as { error: { code: string; message: string } };
        expect(Object.keys(errorTable)).toContain(error.code);
        expect(error.message).toBeTruthy();
        codes.add(error.code);
        expect({}).not.toHaveProperty('polluted');
      }),
      { ...times(600), examples: certain, timeout: 30_000 }, // a missing answer is a counter-example
    );
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]));
    expect([...codes]).toEqual(expect.arrayContaining(['studio/not-found', 'studio/invalid-request', 'schema/invalid-payload']));
  });
});
