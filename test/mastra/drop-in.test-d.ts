import { Agent as MastraAgent, type SubAgent } from '@mastra/core/agent';
import { AgentController } from '@mastra/core/agent-controller';
import { Mastra } from '@mastra/core/mastra';
import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import { createTool } from '@mastra/core/tools';
import { gateway } from 'ai';
import { z } from 'zod';
import { Agent, type InterlockAgent } from '../../src/index.js';

// Code that applications have around Mastra's agent, with only its import replaced.

const weather = createTool({
  id: 'weather',
  description: '',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => 1,
});
const report = z.object({ city: z.string(), degrees: z.number() });
const chat = new Agent({ id: 'chat', name: 'Chat', instructions: '', model: 'openai/gpt-5', tools: { weather } });
const typed = new Agent<'typed', { weather: typeof weather }, { city: string }, { tenant: string }>({
  id: 'typed',
  name: 'Typed',
  instructions: ({ requestContext }) => requestContext.get('tenant'),
  model: 'openai/gpt-5',
  tools: { weather },
});
const stock = new MastraAgent({ id: 'stock', name: 'Stock', instructions: '', model: 'openai/gpt-5' });

// Models of the AI SDK, whose v4 models Mastra's own type rejects.
export const models = [gateway('openai/gpt-5'), () => gateway('openai/gpt-5'), async () => gateway('openai/gpt-5')].map(
  (model) => new Agent({ name: 'chat', model }),
);
export const withModel = chat.generate('Hello.', { model: gateway('openai/gpt-5') });
// @ts-expect-error a model has a provider
export const withoutProvider = new Agent({ name: 'chat', model: { specificationVersion: 'v4', modelId: 'gpt-5' } });

// Registries and hosts take it as Mastra's agent.
export const controller = new AgentController({ id: 'c', agent: chat, modes: [{ id: 'chat', defaultModelId: 'openai/gpt-5' }] });
export const mastra = new Mastra({ agents: { chat, typed, stock } });
export const registry: Record<string, Agent> = { chat, stock };
export const subAgent: SubAgent = chat;
export const supervisor = new Agent({ name: 'Supervisor', model: 'openai/gpt-5', agents: { chat, stock, typed } });
export const ofMastra: MastraAgent = chat;
export const own: InterlockAgent<'chat', { weather: typeof weather }> = chat;
export const isOurs = (agent: Agent): string => (agent instanceof Agent ? agent.findings().length : 0).toString();

export class Support extends Agent {
  async answer(question: string): Promise<string> {
    return (await this.generate(question)).text;
  }
}

// Results and streams are Mastra's, with and without structured output.
const print = async (stream: MastraModelOutput, { text }: FullOutput): Promise<string> => text + (await stream.text);
const printAny = async (stream: Awaited<ReturnType<typeof chat.stream>>): Promise<string> => stream.text;
const printReport = async (stream: MastraModelOutput<z.infer<typeof report>>, { object }: FullOutput<z.infer<typeof report>>) =>
  `${object.city} ${(await stream.object).degrees}`;

// A choice among agents of both types can be called.
export const choices = async (name: 'ours' | 'stock'): Promise<readonly string[]> => {
  const agent = { ours: chat, stock: ofMastra }[name];
  const { text } = await agent.generate('Hello.');
  const limited = await agent.generate('Hello.', { maxSteps: 2 });
  const stream = await agent.stream('Hello.');
  const limitedStream = await agent.stream('Hello.', { maxSteps: 2 });
  return [text, limited.text, await stream.text, await limitedStream.text];
};

export const calls = async (): Promise<readonly (string | number)[]> => {
  const answer = await chat.generate('Hello.', { maxSteps: 3, memory: { thread: 't', resource: 'r' } });
  const stream = await chat.stream('Hello.');
  const structured = await chat.generate('Hello.', { structuredOutput: { schema: report } });
  const structuredStream = await chat.stream('Hello.', { structuredOutput: { schema: report } });
  const { object, status, steps } = structured;
  const [first] = steps;
  return [
    await print(stream, answer),
    await printAny(stream),
    await printReport(structuredStream, structured),
    (await new Support({ name: 's', model: 'openai/gpt-5' }).answer('?')).length,
    object.degrees,
    status,
    first?.attempt ?? 0,
    (await structuredStream.getFullOutput()).object.city,
  ];
};
