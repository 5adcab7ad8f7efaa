import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';
import { phases } from '../phase/table.js';
import { delayed, hanging, throwing, tripping } from './faults.js';
import { scriptedModel } from './scripted-model.js';

const hooks = Object.values(phases).map(({ hook }) => hook);
type AnyHook = (args: object) => Promise<unknown>;
const hooksOf = (processor: Processor) => Object.keys(processor).filter((key) => key.startsWith('process'));

describe.each(hooks)('%s', (hook) => {
  const run = (processor: Processor, args: object) => (processor[hook] as unknown as AnyHook)(args);

  it('can throw', async () => {
    const error = new Error('on purpose');
    const processor = throwing(hook, error);
    expect([hooksOf(processor), processor.id]).toEqual([[hook], `throwing-${hook}`]);
    await expect(run(processor, {})).rejects.toBe(error);
    await expect(run(throwing(hook), {})).rejects.toThrow(hook);
    expect(throwing(hook, error, { id: 'mine' }).id).toBe('mine');
  });

  it('can hang until it is aborted', async () => {
    const reason = new Error('enough');
    expect(hooksOf(hanging(hook))).toEqual([hook]);
    await expect(run(hanging(hook), { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stubborn = run(hanging(hook, { ignoreAbort: true }), { abortSignal: AbortSignal.abort(reason) });
    expect(await Promise.race([stubborn, new Promise((resolve) => setTimeout(resolve, 20, 'still hanging'))])).toBe(
      'still hanging',
    );
  });

  it('can trip a limited number of times', async () => {
    const abort = vi.fn<(reason: string, options: object) => never>((reason, options) => {
      throw Object.assign(new Error(reason), options);
    });
    const args = { abort, part: { type: 'finish' }, messageList: { list: true } };
    const processor = tripping(hook, 'No.', { retry: true, metadata: { score: 1 }, times: 2 });
    expect(hooksOf(processor)).toEqual([hook]);
    await expect(run(processor, args)).rejects.toThrow('No.');
    await expect(run(processor, args)).rejects.toMatchObject({ retry: true, metadata: { score: 1 } });
    expect([undefined, args.part, args.messageList]).toContain(await run(processor, args));
    expect(abort).toHaveBeenCalledTimes(2);
    await expect(run(tripping(hook, 'No.'), args)).rejects.toThrow('No.');
    expect(abort).toHaveBeenLastCalledWith('No.', {});
  });
});

describe('delayed', () => {
  it('delays every hook and keeps the rest, including private fields', async () => {
    class Counting implements Processor {
      readonly id = 'counting';
      #seen = 0;
      processLLMRequest() {
        this.#seen += 1;
      }
      seen() {
        return this.#seen;
      }
    }
    const processor = delayed(new Counting(), 30);
    const before = performance.now();
    await (processor.processLLMRequest as unknown as AnyHook)({});
    expect(performance.now() - before).toBeGreaterThanOrEqual(25);
    expect([processor.id, processor.seen(), 'processLLMRequest' in processor, 'processInput' in processor]).toEqual([
      'counting',
      1,
      true,
      false,
    ]);
  });

  it('stops waiting when it is aborted', async () => {
    const processor = delayed(throwing('processInput'), 60_000);
    const reason = new Error('enough');
    const call = (processor.processInput as unknown as AnyHook)({ abortSignal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

it("is accepted by Mastra's own agent", async () => {
  const guarded = new Agent({
    id: 'guarded',
    name: 'Guarded',
    instructions: 'Answer.',
    model: scriptedModel({ steps: () => ({ text: 'Hello' }) }),
    inputProcessors: [tripping('processInput', 'Not today.', { times: 1 })],
    outputProcessors: [delayed(tripping('processOutputResult', 'Never seen.', { times: 0 }), 1)],
  });
  const agent = new Mastra({ agents: { guarded }, logger: false }).getAgent('guarded');
  expect((await agent.generate('Hi')).tripwire).toMatchObject({ reason: 'Not today.', processorId: 'tripping-processInput' });
  expect(await agent.generate('Hi')).toMatchObject({ text: 'Hello', tripwire: undefined });
});
