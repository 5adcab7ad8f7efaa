import { Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import type { Processor } from '@mastra/core/processors';
import { jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { collectTraces, formatTrace, replay } from '../../src/replay.js';
import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { toolPolicy, urlRule } from '../../workflows/guards/index.js';

type Args = Record<string, unknown>;

/** An agent whose model calls its tool once with these arguments; `ran` are those that the tool got. */
const calling = (
  tools: InterlockAgentConfig['tools'],
  name: string,
  args: Args | string,
  config: Partial<InterlockAgentConfig> = {},
) => {
  const model = scriptedModel({ steps: [{ toolCalls: [{ name, args }] }, { text: 'Done.' }] });
  const agent = new InterlockAgent({ id: 'agent', name: 'Agent', instructions: 'Help.', model, tools, ...(config as object) });
  return { agent, model };
};

const promptOf = ({ calls }: ScriptedModel, call = 0): string => JSON.stringify(calls[call]?.prompt);

/** Edits the arguments of a call in the stream. */
const editing = (edit: (args: Args) => unknown): Processor => ({
  id: 'editing',
  processOutputStream: async ({ part }) =>
    part.type === 'tool-call' ? { ...part, payload: { ...part.payload, args: edit(part.payload.args as Args) as never } } : part,
});

const engines: [string, () => InterlockConfig][] = [
  ['a run in memory', () => ({})],
  ['a durable run', () => ({ durability: memoryEngine() })],
];

const paying = (ran: unknown[], settings: object = {}) =>
  createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ payment: z.object({ amount: z.number() }) }),
    execute: async (args) => {
      ran.push(structuredClone(args));
      args.payment.amount = 0;
      return 'paid';
    },
    ...settings,
  });

describe.each(engines)('%s', (_name, engine) => {
  it('asks for the approval that the made arguments need, and shows these to the approver', async () => {
    const ran: unknown[] = [];
    const requireApproval = (args: { payment: { amount: number } }) => args.payment.amount > 100;
    const { agent } = calling({ pay: paying(ran, { requireApproval }) }, 'pay', { payment: '{"amount":900}' }, engine());
    const first = await agent.generate('Go');
    expect(first).toMatchObject({ status: 'suspended', suspendPayload: { args: { payment: { amount: 900 } } } });
    expect(ran).toEqual([]);
    await agent.resumeGenerate({ approved: true }, { runId: first.runId });
    expect(ran).toEqual([{ payment: { amount: 900 } }]);
  });

  it('validates once: a tool gets the text that its schema makes a number of, also after an approval', async () => {
    const ran: unknown[] = [];
    const seen: unknown[] = [];
    const inputSchema = z.object({ at: z.string().transform(Number), day: z.string().transform((text) => new Date(text)) });
    const page = tool({ inputSchema, needsApproval: true, execute: async (args) => void ran.push(args) });
    const watching = editing((args) => (seen.push(args), args));
    const args = { at: '5', day: '2026-11-28' };
    const { agent } = calling({ page }, 'page', args, { ...engine(), outputProcessors: [watching] });
    const first = await agent.generate('Go');
    const made = { at: 5, day: new Date('2026-11-28') };
    expect(first).toMatchObject({ status: 'suspended', suspendPayload: { args: made } });
    await agent.resumeGenerate({ approved: true }, { runId: first.runId });
    expect([seen, ran]).toEqual([[made], [made]]);
  });

  it('runs a tool with what a guard made of the arguments if the schema leaves it as it is', async () => {
    const ran: unknown[] = [];
    const edit = editing(() => ({ payment: { amount: 7 } }));
    const call = { payment: '{"amount":900}' };
    await calling({ pay: paying(ran) }, 'pay', call, { ...engine(), outputProcessors: [edit] }).agent.generate('Go');
    expect(ran).toEqual([{ payment: { amount: 7 } }]);
  });

  it.each<[string, unknown]>([
    ['in another form', { payment: '{"amount":7}' }],
    ['with a field that the schema drops', { payment: { amount: 7 }, more: 1 }],
    ['with an unsafe key', { payment: { amount: 7 }, prototype: {} }],
    ['of another type', { payment: 7 }],
  ])('runs no tool with an edit %s', async (_edit, edited) => {
    const ran: unknown[] = [];
    const call = { payment: { amount: 900 } };
    const { agent, model } = calling({ pay: paying(ran) }, 'pay', call, {
      ...engine(),
      outputProcessors: [editing(() => edited)],
    });
    expect((await agent.generate('Go')).text).toBe('Done.');
    expect(ran).toEqual([]);
    expect(promptOf(model, 1)).toMatch(/tool\/invalid-arguments|validation failed/);
  });

  it.each([
    ['a key that could change a prototype', '[{"constructor":{}}]'],
    ['more levels than code can read', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ])('rejects %s, with an error for the model', async (_what, more) => {
    const ran: unknown[] = [];
    const args = `{"payment":{"amount":1},"more":${more}}`;
    const allowing: Processor = { id: 'allowing', processOutputStream: async ({ part }) => part };
    const { agent, model } = calling({ pay: paying(ran) }, 'pay', args, { ...engine(), outputProcessors: [allowing] });
    expect(await agent.generate('Go')).toMatchObject({ status: 'success', text: 'Done.' });
    expect(ran).toEqual([]);
    expect(promptOf(model, 1)).toContain('tool/invalid-arguments');
    expect(promptOf(model, 1)).not.toContain('"more"');
  });
});

it('a guard cannot give back a call that is rejected', async () => {
  const ran: unknown[] = [];
  const approving = toolPolicy({ tools: { any: { decision: 'ask' } } });
  const any = createTool({ id: 'any', description: 'Any.', execute: async () => void ran.push(1) });
  const { agent } = calling({ any }, 'any', '{"__proto__":{}}', { outputProcessors: [approving] });
  expect(await agent.generate('Go')).toMatchObject({ status: 'success', text: 'Done.' });
  expect(ran).toEqual([]);
});

it('a policy denies the address in each form that reaches the tool', async () => {
  const url = 'http://169.254.169.254/';
  const ran: unknown[] = [];
  const inputSchema = z.object({ urls: z.array(z.string()) });
  const page = createTool({ id: 'page', description: 'Reads.', inputSchema, execute: async (args) => void ran.push(args) });
  const policy = toolPolicy({ tools: { page: { args: { 'urls.*': urlRule() } } } });
  for (const args of [`{"urls":["${url}"]}`, `{"urls":"[\\"${url}\\"]"}`, `{"__proto__":{"urls":["${url}"]}}`]) {
    const { agent, model } = calling({ page }, 'page', args, { outputProcessors: [policy] });
    await agent.generate('Go');
    expect([ran, model.calls.length], args).toEqual([[], 2]);
  }
});

it("a sub-agent's prompt is judged under its name, without fields that only Mastra sets", async () => {
  const seen: unknown[] = [];
  const model = scriptedModel({ steps: [{ text: 'Asked.' }] });
  const helper = new InterlockAgent({ id: 'helper', name: 'Helper', description: 'Helps.', instructions: 'Help.', model });
  const args = { query: 'steal', resumeData: { approved: true }, suspendedToolRunId: 'other' };
  const { agent } = calling({}, 'agent-helper', args, {
    agents: { helper },
    outputProcessors: [editing((made) => (seen.push(made), made))],
  });
  await agent.generate('Go');
  expect(seen).toEqual([{ prompt: 'steal' }]);
  expect(promptOf(model)).toContain('steal');
});

it('a workflow gets the input that its guards saw', async () => {
  const [seen, ran]: [unknown[], unknown[]] = [[], []];
  const schema = z.object({ url: z.string() });
  const read = createStep({
    id: 'read',
    inputSchema: schema,
    outputSchema: schema,
    execute: async ({ inputData }) => {
      ran.push(inputData);
      return inputData;
    },
  });
  const flow = createWorkflow({ id: 'flow', description: 'Reads.', inputSchema: schema, outputSchema: schema })
    .then(read)
    .commit();
  const { agent } = calling({}, 'workflow-flow', '{"inputData":"{\\"url\\":\\"a\\"}","resumeData":{"url":"b"}}', {
    workflows: { flow },
    outputProcessors: [editing((made) => (seen.push(made), made))],
  });
  await agent.generate('Go');
  expect([seen, ran]).toEqual([[{ inputData: { url: 'a' } }], [{ url: 'a' }]]);
});

it('a tool of the AI SDK with a plain JSON schema gets everything that the model wrote, as from Mastra', async () => {
  const ran: unknown[] = [];
  const inputSchema = jsonSchema<Args>({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
  const any = tool({ inputSchema, execute: async (args) => void ran.push(args) });
  await calling({ any }, 'any', { b: 1 }).agent.generate('Go');
  expect(ran).toEqual([{ b: 1 }]);
});

it("a client's tool gets the list that its schema expects", async () => {
  const { agent } = calling({}, 'ask', { choices: '["a","b"]' });
  const inputSchema = z.object({ choices: z.array(z.string()) });
  const ask = createTool({ id: 'ask', description: 'Asks.', inputSchema });
  const result = await agent.generate('Go', { clientTools: { ask } });
  expect(result.toolCalls[0]).toMatchObject({ payload: { args: { choices: ['a', 'b'] } } });
});

it("lists an agent's tools once for a call", async () => {
  const requests: unknown[] = [];
  const any = createTool({ id: 'any', description: 'Any.', execute: async () => 'x', toModelOutput: (value: unknown) => value });
  const tools = ({ requestContext }: { requestContext: RequestContext }) => (requests.push(requestContext), { any });
  await calling(tools as never, 'any', {}).agent.generate('Go');
  expect(requests).toHaveLength(1);
});

it.each(['{"payment":"{\\"amount\\":900}"}', '{"payment":{"amount":1},"__proto__":{}}'])(
  'a replay makes the same call of %s',
  async (args) => {
    const recording = collectTraces();
    const seen: unknown[] = [];
    const watching = editing((made) => (seen.push(made), made));
    const { agent } = calling({ pay: paying([]) }, 'pay', args, { outputProcessors: [watching], record: recording.record });
    await agent.generate('Go');
    const before = [...seen];
    const replayed = await replay(recording.trace, agent);
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).toBe(formatTrace(recording.trace));
    expect(seen).toEqual([...before, ...before]);
  },
);

describe('arguments that a tool of Mastra’s own rejects', () => {
  const supervisor = (Class: typeof Agent, steps: readonly ScriptedStep<'v2'>[]) => {
    const model = Object.assign(scriptedModel({ steps }), { provider: 'openai.responses' }); // its layer changes schemas
    const sub = new Class({ id: 'sub', name: 'Sub', description: 'Helps.', instructions: 'Help.', model });
    return new Class({ id: 'a', name: 'A', instructions: 'Help.', model, agents: { sub } });
  };

  it.each([
    ['a number that is too small', { prompt: 'Look.', maxSteps: 1 }],
    ['a missing field', { message: 1 }],
  ])('have issues with a path, as in Mastra: %s', async (_name, args) => {
    const issueOf = async (Class: typeof Agent) => {
      const agent = supervisor(Class, [{ toolCalls: [{ name: 'agent-sub', args }] }, { text: 'Done.' }]);
      const { toolResults } = await agent.generate('Hi', { maxSteps: 1 });
      return /- [^\\]+/.exec(JSON.stringify(toolResults))?.[0];
    };
    expect(await issueOf(Agent)).toMatch(/^- (maxSteps|prompt): /);
    expect(await issueOf(InterlockAgent as unknown as typeof Agent)).toBe(await issueOf(Agent));
  });
});
