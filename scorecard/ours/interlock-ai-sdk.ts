import { isStepCount } from 'ai';

import { guardedToolLoop, TripwireError } from '../../src/ai-sdk/index.js';
import { guard as withPolicy, pipeline } from '../../workflows/guards/index.js';
import type { Guard, Host } from '../host.js';
import { host as interlock } from './interlock.js';
import { openSdk, type SdkAgent, type SdkParts } from './ai-sdk-agent.js';
import { toProcessor } from './mastra-agent.js';

const guarded = (guard: Guard) =>
  withPolicy(toProcessor(guard) as never, { deadlineMs: 1_000, ...(guard.buffered && { window: 'part' }) });

const make = ({ model, tools, guards, retries }: SdkParts): SdkAgent => {
  const grouped = guards.filter(({ group }) => group !== undefined);
  const alone = guards.filter(({ group }) => group === undefined).map(guarded);
  const steps = alone.length > 0 ? alone : [{ id: 'none', processInput: ({ messages }: { messages: unknown[] }) => messages }];
  const guardOptions = { maxProcessorRetries: retries };
  const built = grouped.length > 0 ? pipeline('guards').parallel(grouped.map(guarded)).commit() : steps;
  return guardedToolLoop({
    model,
    tools,
    stopWhen: isStepCount(5),
    maxRetries: 0,
    guards: built as never,
    guardOptions,
  });
};

export const host: Host = {
  ...interlock,
  id: 'interlock-ai-sdk',
  name: 'guardedToolLoop (AI SDK)',
  packages: ['mastra-interlock', 'ai'],
  keeps: { history: false, subAgents: true },
  open: (setup) => openSdk(setup, make, (error) => TripwireError.isInstance(error)),
};
