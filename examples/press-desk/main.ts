import { createPressDesk } from './agent.ts';
import { openModel } from './model.ts';
import { reply } from './script.ts';

const given = process.argv.slice(2);
const questions = given.length > 0 ? given : ['Who can comment on the annual report?', 'Which lamp comes next?'];

const { model, close } = await openModel(reply);
const desk = createPressDesk(model);

for (const question of questions) {
  const result = await desk.generate(question);
  console.log(`\nyou: ${question}\n${result.status}: ${result.text}`);
  for (const event of result.runEvents) if (event.type === 'tool-finish') console.log(`${event.toolName}: ${event.outcome}`);
}
await close();
