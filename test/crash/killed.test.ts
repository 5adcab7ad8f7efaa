import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { startOpenAIServer, type OpenAIServer } from '../../src/testing/index.js';
import { cashier, forbidden } from './cashier.js';
import type { Orders } from './mortal.js';

/** `npm run test:crash` kills at every boundary; `npm test` at two of them. */
const isWhole = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'every-boundary'; // vitest's own types are not everywhere

let folder: string;
let model: OpenAIServer;
let sink: ReturnType<typeof createServer>;
let effects: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-crash-'));
  model = await startOpenAIServer({
    reply: ({ messages }) => {
      if (!JSON.stringify(messages).includes('Processor Feedback') && !messages.some(({ role }) => role === 'tool'))
        return { kind: 'text', text: forbidden };
      if (messages.some(({ role }) => role === 'tool')) return { kind: 'text', text: 'All is paid.' };
      return { kind: 'tool-calls', text: 'I charge. ', calls: [1, 2].map((amount) => ({ name: 'charge', args: { amount } })) };
    },
  });
  sink = createServer((request, response) => {
    const count = async (): Promise<void> => {
      effects.push(await readText(request));
      response.end();
    };
    void count();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await model.close();
  sink.close();
  await rm(folder, { recursive: true, force: true });
});

const outside = () => ({ modelUrl: model.baseUrl, sinkUrl: `http://127.0.0.1:${(sink.address() as AddressInfo).port}` });

interface Died {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
}

/** Runs a process until it has ended, or has killed itself. */
const live = (orders: Orders): Promise<Died> =>
  new Promise((resolve, reject) => {
    const args = ['--import', 'tsx', join(import.meta.dirname, 'mortal.ts'), JSON.stringify(orders)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.on('error', reject);
    child.on('exit', (_code, signal) => resolve({ signal, out }));
  });

const ordersFor = (name: string, dieAt?: number): Orders => ({
  ...outside(),
  path: join(folder, `${name}.db`),
  runId: 'run',
  dieAt,
});

/** Goes on in this process with what a killed one has left. */
const goOn = async ({ path, runId }: Orders) => {
  const engine = openWorkflow({ path, leaseMs: 1_000 });
  try {
    const stream = await cashier(outside(), engine).attach(runId);
    return await stream.getFullOutput();
  } finally {
    await engine.close();
  }
};

describe('P11: a process that is killed with kill -9', () => {
  it('leaves a run that another process ends, with every finished effect once', { timeout: 600_000 }, async () => {
    const whole = await live(ordersFor('whole'));
    expect(whole.signal).toBeNull();
    const boundaries = JSON.parse(whole.out) as string[];
    expect(boundaries.length).toBeGreaterThan(20);
    expect(effects.toSorted()).toEqual(['1', '2']);
    const sampled = new Set([/^unkept tool/, /^before \d+ end/].map((wanted) => boundaries.findIndex((one) => wanted.test(one))));
    for (const [dieAt, boundary] of boundaries.entries()) {
      if (!isWhole && !sampled.has(dieAt)) continue;
      effects = [];
      const orders = ordersFor(`at-${dieAt}`, dieAt);
      expect((await live(orders)).signal, boundary).toBe('SIGKILL');
      const result = await goOn(orders);
      expect([result.status, result.text], boundary).toEqual(['success', 'I charge. All is paid.']);
      expect(JSON.stringify([result.steps, result.messages, result.runEvents]), boundary).not.toContain(forbidden);
      const isToolUnderWay = boundary.startsWith('unkept tool'); // its effect is known outside, and nowhere else
      if (!isToolUnderWay) expect(effects.toSorted(), boundary).toEqual(['1', '2']);
      expect(new Set(effects), boundary).toEqual(new Set(['1', '2']));
      expect(effects.length, boundary).toBeLessThanOrEqual(isToolUnderWay ? 4 : 2);
    }
  });
});
