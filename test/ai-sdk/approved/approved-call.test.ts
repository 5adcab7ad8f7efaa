import { spawn } from 'node:child_process';
import { tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../../src/ai-sdk/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { tripping } from '../support.js';
import { approvedMessages, approvedWays, kinds } from './approved-call.js';

/** The exit code and the output of a process of its own. */
const runProgram = () =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const program = ['--import', './scripts/strip-types.mjs', 'test/ai-sdk/approved/program.ts'];
    const child = spawn(process.execPath, ['--no-warnings', ...program]);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });

it('a guard that stops the run of an approved call ends neither the process nor later runs in it', async () => {
  const { code, stdout, stderr } = await runProgram();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  const errorOf = (kind: string): string => (kind.includes('fails') ? 'GuardUnavailableError' : 'TripwireError');
  const expected = approvedWays.flatMap((way) => Object.keys(kinds).map((kind) => ({ way, kind, error: errorOf(kind) })));
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(expected.map((one) => expect.objectContaining(one)));
});

it('a stream ends although another approved tool never does', async () => {
  const model = scriptedModel({ specificationVersion: 'v4', steps: [] });
  const tools = {
    pay: tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => (amount === 2 ? new Promise<string>(() => undefined) : 'paid'),
    }),
  };
  const agent = guardedToolLoop({ model, tools, guards: [tripping('toolResult')], onError: () => undefined });
  const { stream, text } = await agent.stream({ messages: approvedMessages([{ amount: 1 }, { amount: 2 }]) });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types).toEqual(['start', 'error']);
  await expect(Promise.resolve(text)).rejects.toMatchObject({ name: 'TripwireError' });
});
