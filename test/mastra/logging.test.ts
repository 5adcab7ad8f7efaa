import { ConsoleLogger } from '@mastra/core/logger';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard, InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, throwing, tripping, type ScriptedModel } from '../../src/testing/index.js';

type Line = readonly [level: 'error' | 'warn' | 'info' | 'debug', message: string, fields: Record<string, unknown>];

/** A logger of Mastra's that stores its messages, and may fail. */
class Kept extends ConsoleLogger {
  readonly lines: Line[] = [];
  readonly isBroken: boolean;
  constructor(isBroken = false) {
    super({ name: 'kept', level: 'debug' });
    this.isBroken = isBroken;
  }
  #keep(...line: Line): void {
    if (!('runId' in line[2])) return; // Mastra's own line, about its settings
    this.lines.push(line);
    if (this.isBroken) throw new Error('No space left on device.');
  }
  override error = (message: string, fields?: object): void => this.#keep('error', message, { ...fields });
  override warn = (message: string, fields?: object): void => this.#keep('warn', message, { ...fields });
  override info = (): void => undefined;
  override debug = (): void => undefined;
}

const agentOf = (config: object) =>
  new InterlockAgent({ id: 'desk', name: 'Desk', instructions: 'Answer.', ...config } as InterlockAgentConfig);

const registered = (config: object) => {
  const agent = agentOf(config);
  const logger = new Kept();
  return { agent: new Mastra({ agents: { agent }, logger }).getAgent('agent'), logger };
};

const secret = 'PIN 4711 of Zerubbabel';
const leakingModel = (): ScriptedModel => scriptedModel({ steps: () => ({ text: `It is the ${secret}.` }) });

describe('the logger of an agent’s Mastra instance', () => {
  it('logs nothing for a successful or a canceled run', async () => {
    const { agent, logger } = registered({ model: leakingModel() });
    await agent.generate('Hello');
    await (await agent.stream('Hello', { abortSignal: AbortSignal.abort() })).getFullOutput();
    expect(logger.lines).toEqual([]);
  });

  it('logs a failed run once, with the error that the caller receives', async () => {
    const { agent, logger } = registered({ model: scriptedModel({ steps: [{ error: new Error('No capacity.') }] }) });
    const error = await agent.generate('Hello', { runId: 'r1' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining('No capacity.') as string });
    expect(logger.lines).toEqual([['error', 'Error in agent run', { agent: 'Desk', runId: 'r1', error }]]);
  });

  it('logs the path and the reason of a guard that stopped a run, and no text of the answer', async () => {
    const leak: Processor = { id: 'leak', processOutputStep: ({ abort }) => abort('No codes.', { metadata: { found: secret } }) };
    const { agent, logger } = registered({ model: leakingModel(), outputProcessors: [leak] });
    await agent.generate('Hello', { runId: 'r1' });
    const place = { processorId: 'leak', phase: 'outputStep', path: expect.any(String) as string };
    expect(logger.lines).toEqual([
      ['warn', 'Processor tripwire triggered', { agent: 'Desk', runId: 'r1', reason: 'No codes.', retry: false, ...place }],
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain(secret);
  });

  it.each([
    ['fail', 'error', 'Error in agent run', { error: { code: 'guard/unavailable' } }],
    ['trip', 'error', 'Guard unavailable, run stopped', { processorId: 'crash', phase: 'input' }],
    [
      'pass',
      'warn',
      'Guard unavailable, payload passed unchecked',
      { processorId: 'crash', phase: 'input', reason: 'guard/unavailable' },
    ],
  ] as const)('logs an unavailable guard whose policy is %s', async (onUnavailable, level, message, fields) => {
    const inputProcessors = [guard(throwing('processInput', new Error('Gone.'), { id: 'crash' }), { onUnavailable })];
    const { agent, logger } = registered({ model: leakingModel(), inputProcessors });
    await agent.generate('Hello').catch(() => undefined); // its status does not matter here
    expect(logger.lines).toMatchObject([[level, message, fields]]);
  });

  it('logs a repeated model call', async () => {
    const mending: Processor = { id: 'mending', processAPIError: ({ retryCount }) => ({ retry: retryCount === 0 }) };
    const model = scriptedModel({ steps: [{ error: new Error('No capacity.') }, { text: 'Here.' }] });
    const { agent, logger } = registered({ model, errorProcessors: [mending] });
    expect(await agent.generate('Hello')).toMatchObject({ status: 'success', text: 'Here.' });
    expect(logger.lines).toMatchObject([
      ['warn', 'Model call failed, retrying', { error: expect.stringContaining('No capacity.') as string }],
    ]);
  });

  it('logs the end of a resumed run, too', async () => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => 'paid',
    });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }] });
    const outputProcessors = [tripping('processOutputResult', 'Stop.', { id: 'late' })];
    const { agent, logger } = registered({ model, tools: { pay }, outputProcessors });
    const { runId, status } = await agent.generate('Pay.');
    expect([status, logger.lines]).toEqual(['suspended', []]);
    await agent.approveToolCallGenerate({ runId });
    expect(logger.lines).toMatchObject([['warn', 'Processor tripwire triggered', { runId, processorId: 'late' }]]);
  });

  it('does not affect the run if it fails or is absent', async () => {
    const tripped = { model: leakingModel(), inputProcessors: [tripping('processInput', 'No.')] };
    const broken = new Kept(true);
    const { agent } = new Mastra({ agents: { agent: agentOf(tripped) }, logger: broken }).listAgents();
    for (const one of [agent, agentOf(tripped)]) expect(await one.generate('Hello')).toMatchObject({ status: 'tripwire' });
    expect(broken.lines).toHaveLength(1);
  });
});
