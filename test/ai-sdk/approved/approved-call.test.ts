import { spawn } from 'node:child_process';
import { tool } from 'ai';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../../src/ai-sdk/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { guardOn, tripping } from '../support.js';
import { approvedMessages, approvedWays, kinds, runApproved } from './approved-call.js';

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

/** Kinds of stop that the tool comes before. */
const runsFirst = ['result', 'preparation', 'first response'];

it('a guard that stops the run of an approved call ends neither the process nor later runs in it', async () => {
  const { code, stdout, stderr } = await runProgram();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  const errorOf = (kind: string): string => (kind.includes('fails') ? 'GuardUnavailableError' : 'TripwireError');
  const expected = approvedWays.flatMap((way) =>
    Object.keys(kinds).map((kind) => ({
      way,
      kind,
      error: errorOf(kind),
      ran: runsFirst.some((one) => kind.includes(one)) ? 1 : 0,
    })),
  );
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
  expect(types).toEqual(['start', 'tool-error', 'tool-error', 'error']); // both calls have an outcome, so no page sends their approvals again
  await expect(Promise.resolve(text)).rejects.toMatchObject({ name: 'TripwireError' });
});

/** The refund limit of docs/guide/ai-sdk.md. */
const refunds: Processor = {
  id: 'refund-limit',
  processOutputStep: ({ toolCalls = [], abort, messageList }) =>
    toolCalls.some(({ args }) => (args as { amount: number }).amount > 500) ? abort('Refunds end at 500.') : messageList,
};

describe.each(approvedWays)('approved calls, %s', (way) => {
  it('are judged together by the guards of a step, before any of them runs', async () => {
    expect(await runApproved(way, refunds, { inputs: [{ amount: 1 }, { amount: 2 }] })).toMatchObject({
      ran: [{ amount: 1 }, { amount: 2 }],
      error: undefined,
    });
    const stopped = await runApproved(way, refunds, { inputs: [{ amount: 1 }, { amount: 501 }] });
    expect(stopped).toMatchObject({ ran: [], error: 'TripwireError' });
  });

  it('run with the arguments that guards of the stream and of a step left', async () => {
    const added = (amount: number) => (args: unknown) => ({ amount: (args as { amount: number }).amount + amount });
    const stream = guardOn('outputStream', ({ part }) => ({ ...part, payload: withArgs(part?.payload, added(10)) }), {
      when: ({ part }) => part?.type === 'tool-call',
    });
    const step: Processor = {
      id: 'step',
      processOutputStep: ({ messages, messageList }) => {
        for (const part of messages.at(-1)?.content.parts ?? [])
          if (part.type === 'tool-invocation' && messages.at(-1)?.role === 'assistant')
            part.toolInvocation.args = added(100)(part.toolInvocation.args);
        return messageList;
      },
    };
    for (const [guards, amount] of [
      [[stream], 11],
      [[step], 101],
      [[stream, step], 111],
    ] as const)
      expect(await runApproved(way, guards, { inputs: [{ amount: 1 }] })).toMatchObject({ ran: [{ amount }], error: undefined });
  });

  it.each([undefined, 'Be brief.'])(
    'the guards of the input judge once, and the model gets what they left, instructions %s',
    async (instructions) => {
      let judged = 0;
      const guard: Processor = {
        id: 'input',
        processInput: ({ messages, messageList }) => {
          judged += 1;
          const parts = messages.flatMap(({ role, content }) => (role === 'user' ? content.parts : []));
          for (const part of parts) if (part.type === 'text') part.text = 'Please do.';
          return messageList;
        },
      };
      const { ran, prompt } = await runApproved(way, [guard, refunds], { inputs: [{ amount: 1 }], instructions });
      expect(ran).toEqual([{ amount: 1 }]);
      expect(judged).toBe(way === 'streamText of adapters' && instructions ? 2 : 1); // `guardSettings` knows the instructions
      expect(prompt?.map(({ role }) => role)).toEqual([...(instructions ? ['system'] : []), 'user', 'assistant', 'tool']);
      expect(JSON.stringify(prompt)).toContain('Please do.');
      expect(JSON.stringify(prompt)).not.toContain('Please pay.');
      expect(JSON.stringify(prompt?.at(-1))).toContain('paid');
    },
  );
});

const withArgs = (payload: unknown, change: (args: unknown) => unknown) => {
  const call = payload as { args: unknown };
  return { ...call, args: change(call.args) };
};
