import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { compile, InterlockAgent } from '../../src/index.js';
import { createRun } from '../../src/loop/create-run.js';
import { streamPayload } from '../../src/loop/judge.js';
import { planStream } from '../../src/pipeline/stream-plan.js';
import { createStreamGate } from '../../src/release/gate/stream-gate.js';
import type { Work } from '../case.js';
import { benchModel } from '../model.js';
import { runOptions } from '../subjects/plan.js';
import { countText, deltasIn, sentenceChunks, sentences } from './answers.js';
import { gateGuards, type WindowName } from './guards.js';

export interface Line {
  readonly window: WindowName;
  readonly guards: number;
}

/** The gate alone, driven as the loop drives it. */
export const gate =
  ({ window, guards }: Line) =>
  (deltas: number): Work => {
    const parts = sentenceChunks(deltas);
    const { open } = benchModel(() => ({ parts, content: [], reason: 'stop' }));
    const { graph } = compile(gateGuards(window, guards));
    const { stretches } = planStream(graph) ?? { stretches: [] };
    return async () => {
      const run = createRun(runOptions());
      let chars = 0;
      const passage = createStreamGate({
        stretches,
        scope: run.scope,
        payloadOf: (part) => streamPayload(run, part),
        release: ({ type, payload }) => {
          if (type === 'text-delta') chars += (payload as { text: string }).text.length;
        },
      });
      for await (const part of open()) await passage.push(part);
      await passage.idle();
      passage.close();
      return deltasIn(chars);
    };
  };

const streamOf =
  (
    agentOf: (config: { model: never; outputProcessors: Processor[] }) => {
      stream(prompt: string): Promise<{ fullStream: unknown }>;
    },
  ) =>
  ({ window, guards }: Line) =>
  (deltas: number): Work => {
    const answer = sentences(deltas);
    const model = benchModel(() => answer).forMastra as never; // either agent takes it
    const agent = agentOf({ model, outputProcessors: gateGuards(window, guards) });
    return async () => countText((await agent.stream('Say it.')).fullStream as AsyncIterable<unknown>);
  };

const named = { id: 'bench', name: 'bench', instructions: 'Be brief.' };

/** An agent of ours, whose gate gives each guard its window. */
export const interlock = streamOf((config) => new InterlockAgent({ ...named, ...config }));

/** A stock agent, which asks every guard about every chunk. */
export const mastra = streamOf((config) => new Agent({ ...named, ...config } as never));
