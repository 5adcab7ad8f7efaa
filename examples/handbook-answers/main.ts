import { createHandbookAgent } from './agent.ts';
import { openModels } from './model.ts';
import { reply } from './script.ts';

const given = process.argv.slice(2);
const questions =
  given.length > 0 ? given : ['How long can I return a lamp?', 'Do you ship to Norway?', 'What does the supplier note say?'];

const { model, judge, close } = await openModels(reply);
const agent = createHandbookAgent({ model, judge });

for (const question of questions) {
  console.log(`\nyou: ${question}`);
  process.stdout.write('agent: ');
  const stream = await agent.stream(question);
  for await (const part of stream.fullStream) {
    if (part.type === 'text-delta') process.stdout.write(part.payload.text);
    if (part.type === 'tripwire') process.stdout.write(`\n[stopped by ${part.payload.processorId}: ${part.payload.reason}]`);
  }
  console.log();
}
await close();
