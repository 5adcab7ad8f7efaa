import { createTool } from '@mastra/core/tools';
import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectTraces, compareTraces, formatTrace, replay } from '../../src/replay.js';
import { InterlockAgent, phases, pipeline, type Phase } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { times } from '../modes.js';

/** A guard's behavior, as data: a drawn run can be repeated. */
interface Act {
  readonly phase: Phase;
  readonly verdict: 'pass' | 'trip' | 'retry' | 'throw' | 'edit';
  /** The call on which it acts, from 0; it passes the others. */
  readonly on: number;
  readonly isSlow: boolean;
}

interface Drawn {
  readonly mode: 'generate' | 'stream';
  readonly hold: 'none' | 'step' | 'run';
  readonly isParallel: boolean;
  readonly maxProcessorRetries: number;
  readonly steps: readonly ('text' | 'long' | 'tool' | 'tools' | 'fails' | 'breaks')[];
  readonly acts: readonly Act[];
}

const act: fc.Arbitrary<Act> = fc.record({
  phase: fc.constantFrom(...phaseNames),
  verdict: fc.constantFrom('pass' as const, 'trip' as const, 'retry' as const, 'throw' as const, 'edit' as const),
  on: fc.nat({ max: 3 }),
  isSlow: fc.boolean(),
});

const drawn: fc.Arbitrary<Drawn> = fc.record({
  mode: fc.constantFrom('generate' as const, 'stream' as const),
  hold: fc.constantFrom('none' as const, 'step' as const, 'run' as const),
  isParallel: fc.boolean(),
  maxProcessorRetries: fc.nat({ max: 2 }),
  steps: fc.array(
    fc.constantFrom('text' as const, 'long' as const, 'tool' as const, 'tools' as const, 'fails' as const, 'breaks' as const),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  acts: fc.array(act, { maxLength: 4 }),
});

const scripts: Record<Drawn['steps'][number], ScriptedStep<'v2'>> = {
  text: { text: ['Hel', 'lo.'] },
  long: { reasoning: 'Hm.', text: Array.from('One sentence. Another one! And the last.') },
  tool: { text: 'A moment.', toolCalls: [{ name: 'echo', args: { say: 'a' }, fragments: 2 }] },
  tools: {
    toolCalls: [
      { name: 'echo', args: { say: 'a' } },
      { name: 'fail', args: {} },
      { name: 'echo', args: { say: 'b' } },
    ],
  },
  fails: { error: new Error('busy') },
  breaks: { text: ['Hel'], error: new Error('cut off') },
};

interface HookArgs {
  readonly abort: (reason: string, options?: { retry?: boolean }) => never;
  readonly part?: { type: string; payload?: { text?: string } };
  readonly messages?: readonly object[];
  readonly state: { calls?: number };
}

/** A guard with drawn behavior. Its counter belongs to the run, so that a replay starts again. */
const guardFor = ({ phase, verdict, on, isSlow }: Act, index: number): Processor => {
  const judge = ({ abort, part, messages, state }: HookArgs): unknown => {
    const call = (state.calls ??= 0);
    state.calls += 1;
    const edited = part ?? undefined;
    if (call !== on || verdict === 'pass') return edited;
    if (verdict === 'throw') throw new Error('out of order');
    if (verdict === 'trip' || verdict === 'retry') return abort('Not like this.', { retry: verdict === 'retry' });
    if (part?.payload?.text !== undefined)
      return { ...part, payload: { ...part.payload, text: part.payload.text.toUpperCase() } };
    return part ?? (phase === 'input' && messages ? messages.slice(0) : undefined);
  };
  const hook = (args: HookArgs): unknown =>
    isSlow ? new Promise((resolve) => setTimeout(resolve, 1)).then(() => judge(args)) : judge(args);
  return { id: `guard-${index}`, [phases[phase].hook]: hook };
};

const createAgent = ({ acts, steps, isParallel, hold, maxProcessorRetries }: Drawn): InterlockAgent => {
  const lane = (name: string) => {
    const guards = acts.flatMap((one, index) => (phases[one.phase].lane === name ? [guardFor(one, index)] : []));
    return guards.length > 1 && isParallel ? pipeline(`${name}-block`).parallel(guards) : guards;
  };
  const tool = (id: string, execute: (text: string) => unknown) =>
    createTool({
      id,
      description: id,
      inputSchema: z.object({ say: z.string().optional() }),
      execute: async ({ say: text = '' }) => execute(text),
    });
  return new InterlockAgent({
    id: 'drawn',
    name: 'Drawn',
    instructions: 'Answer.',
    model: scriptedModel({ steps: ({ index }) => scripts[steps[index] ?? 'text'] }),
    tools: {
      echo: tool('echo', (text) => ({ said: text })),
      fail: tool('fail', () => {
        throw new Error('no such thing');
      }),
    },
    hold,
    maxProcessorRetries,
    inputProcessors: lane('input'),
    outputProcessors: lane('output'),
    errorProcessors: lane('error'),
  });
};

const record = async (one: Drawn) => {
  const agent = createAgent(one);
  const recording = collectTraces();
  if (one.mode === 'generate') await agent.generate('Hi.', { record: recording.record }).catch(() => undefined);
  else await (await agent.stream('Hi.', { record: recording.record })).consumeStream();
  return { agent, trace: recording.trace };
};

describe('any drawn run', () => {
  it('replays with the same guards to the same trace, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        const { agent, trace } = await record(one);
        const replayed = await replay(trace, agent);
        expect(replayed.endedAt).toBeUndefined();
        expect(formatTrace(replayed.trace)).toBe(formatTrace(trace));
        expect(compareTraces(trace, replayed.trace).differs).toBe(false);
      }),
      times(40, 150),
    );
  });

  it('replays with other guards to an end and repeats no recorded call', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.array(act, { maxLength: 3 }), async (one, acts) => {
        const { trace } = await record(one);
        const replayed = await replay(trace, createAgent({ ...one, acts }));
        expect(replayed.endedAt === undefined).toBe(replayed.status !== undefined);
        const calls = (of: typeof trace) => of.filter(({ kind }) => kind === 'opened').length;
        expect(calls(replayed.trace)).toBeLessThanOrEqual(calls(trace));
      }),
      times(25, 80),
    );
  });
});
