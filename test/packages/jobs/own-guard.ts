// A guard with state, a retry and tool results, and a limit for each user.
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Agent, verify } from 'mastra-interlock';
import { limitGuard } from 'mastra-interlock/guards';
import { scriptedModel } from 'mastra-interlock/testing';
import { z } from 'zod';

/** At most four words per answer, prices only as numbers, and no tool result without a price. */
const shopRules = {
  id: 'shop-rules',
  processOutputStream: async ({ part, state, retryCount, abort }) => {
    if (part.type !== 'text-delta') return part;
    const key = `words of attempt ${retryCount}`;
    state[key] = Number(state[key] ?? 0) + part.payload.text.trim().split(' ').length;
    return Number(state[key]) > 4 ? abort('At most four words.', { retry: true }) : part;
  },
  processToolResult: ({ toolName, result, abort }) =>
    toolName === 'price' && typeof result !== 'number' ? abort('The price list is broken.') : undefined,
} satisfies Processor;

let price: number | string = 12;
const priceTool = createTool({
  id: 'price',
  description: 'Reads a price.',
  inputSchema: z.object({}),
  execute: async () => price,
});
const callPrice = { toolCalls: [{ name: 'price', args: {} }] };
const model = scriptedModel({
  steps: [callPrice, { text: 'It costs twelve. That is cheap.' }, { text: 'It costs twelve.' }, callPrice],
});
const shop = new Agent({
  id: 'shop',
  name: 'Shop',
  instructions: 'Help.',
  model,
  tools: { price: priceTool },
  outputProcessors: [shopRules],
  maxProcessorRetries: 1,
});
console.log(
  'verify:',
  verify(shop)
    .map(({ code }) => code)
    .join() || 'nothing',
);
const answer = await shop.generate('How much is it?');
console.log(answer.status, answer.text, 'calls:', model.calls.length);
console.log('feedback:', JSON.stringify(model.calls[2]?.prompt).includes('At most four words.'));
price = 'n/a';
const broken = await shop.generate('How much is it?');
console.log(broken.status, broken.tripwire?.processorId, broken.tripwire?.reason);

// Two runs for each user, without memory
const limits = limitGuard({ limits: [{ unit: 'runs', limiter: new RateLimiterMemory({ points: 2, duration: 60 }) }] });
const desk = new Agent({
  id: 'desk',
  name: 'Desk',
  instructions: 'Help.',
  model: scriptedModel({ steps: () => ({ text: 'Well.' }) }),
  inputProcessors: [limits],
  outputProcessors: [limits],
});
for (const user of ['ada', 'ada', 'ada', 'bob', 'cy']) {
  const { status } = await desk.generate('Hello', { memory: { thread: `thread-${user}`, resource: user } });
  console.log(user, status);
}
