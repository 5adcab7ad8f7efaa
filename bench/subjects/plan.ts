import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import { compile } from '../../src/index.js';
import { createRun } from '../../src/loop/create-run.js';
import { streamPayload } from '../../src/loop/judge.js';
import type { RunOptions } from '../../src/loop/run.js';
import { createHost } from '../../src/mastra/workflow/host.js';
import { createOutlet } from '../../src/release/outlet.js';
import type { Work } from '../case.js';
import { streamGuards } from '../guards.js';
import { source } from './loop.js';

/** The compiled plan alone, called for each chunk as the agent's loop calls it. */
export const planLoop =
  (guards: number) =>
  (chunks: number): Work => {
    const open = source(chunks);
    const plan = compile(streamGuards(guards));
    return async () => {
      const run = createRun(runOptions());
      const payload = streamPayload(run, null);
      let seen = 0;
      for await (const chunk of open()) {
        payload.part = chunk;
        const verdict = await plan.run('outputStream', payload, run.scope);
        if (verdict.kind === 'pass' && chunk.type === 'text-delta') seen += 1;
      }
      return seen;
    };
  };

/** A run of which only the scope is used: ports that a plan never calls are left out. */
export const runOptions = (): RunOptions => ({
  runId: 'bench',
  mode: 'stream',
  list: new MessageList(),
  lanes: { input: undefined, output: undefined, error: undefined, memory: undefined },
  ports: {
    host: createHost(),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    createId: () => 'bench',
  } as RunOptions['ports'],
  settings: {},
  limits: { maxSteps: 1, maxRetries: 0, maxRecoveries: 0, models: 1 },
  outlet: createOutlet(),
  toolConcurrency: 1,
  context: { agent: undefined, requestContext: new RequestContext(), tracingContext: undefined },
});
