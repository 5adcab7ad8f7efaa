import { createIntakeAgent, orderSchema } from './agent.ts';
import { openModel } from './model.ts';
import { reply } from './script.ts';

const { model, close } = await openModel(reply);
const { agent, storage } = createIntakeAgent(model, process.env['DATABASE_URL'] ?? 'file:orders.db');
const memory = { thread: crypto.randomUUID(), resource: 'ada' };

for (const message of ['Ada here, twelve candles please. My card is 4111 1111 1111 1111.', 'And one candle more.']) {
  const { object, steps } = await agent.generate(message, { memory, structuredOutput: { schema: orderSchema } });
  console.log(`${message}\n  ${JSON.stringify(object)}`);
  console.log(`  attempts: ${steps.map(({ reason }) => reason).join(', ')}`);
}

const stored = await (await agent.getMemory())?.recall({ threadId: memory.thread, resourceId: memory.resource });
console.log('in the database:');
for (const { role, content } of stored?.messages ?? [])
  console.log(`  ${role}: ${content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`);

await storage.close();
await close();
