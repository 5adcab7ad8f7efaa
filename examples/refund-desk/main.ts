import { createInterface } from 'node:readline/promises';
import { createRefundAgent } from './agent.ts';
import { openModel } from './model.ts';
import { reply } from './script.ts';

/** Asks for approval in the terminal. Without a terminal the command line decides: `--approve`, otherwise no. */
const approves = async (request: string): Promise<boolean> => {
  console.log(`approval requested: ${request}`);
  if (!process.stdin.isTTY) return process.argv.includes('--approve');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Pay it back? (y/n) ');
  terminal.close();
  return answer.trim().toLowerCase().startsWith('y');
};

const { model, close } = await openModel(reply);
const agent = createRefundAgent(model);

let result = await agent.generate('My lamp (order 1042) arrived broken. I want my 250 euros back.');
while (result.status === 'suspended') {
  const { toolName, args } = result.suspendPayload as { toolName: string; args: object };
  const { runId } = result;
  const approved = await approves(`${toolName} ${JSON.stringify(args)}`);
  console.log(approved ? 'approved' : 'declined');
  result = approved
    ? await agent.approveToolCallGenerate({ runId })
    : await agent.declineToolCallGenerate({ runId, reason: 'A colleague declined.' });
}
console.log(`${result.status}: ${result.text}`);
for (const event of result.runEvents) if (event.type === 'tool-finish') console.log(`tool ${event.toolName}: ${event.outcome}`);
await close();
