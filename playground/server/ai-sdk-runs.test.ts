import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { generateText, isStepCount, streamText, tool } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, guardSettings, withGuards } from '../../src/ai-sdk/index.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { foldRun } from '../fold/fold-run.js';
import type { RunPage } from '../protocol/runs.js';
import type { PromptView, StudioEntry } from '../protocol/trace-entry.js';
import { makeAgent, openStudio, patience } from './test-setup.js';

/** A guard with a hook for each part of a run. */
const strict: Processor = {
  id: 'strict',
  processInput: ({ messages, abort }) => (JSON.stringify(messages).includes('attack') ? abort('It is an attack.') : messages),
  processInputStep: () => undefined,
  processOutputStep: ({ text = '', messages, abort }) => {
    if (text.includes('SECRET')) abort('It tells a secret.', { retry: true });
    return text.includes('RUDE') ? abort('It is rude.') : messages;
  },
  processToolResult: ({ result, abort }) => (String(result).includes('poison') ? abort('The result is poisoned.') : undefined),
  processOutputResult: ({ messages }) => messages,
};

const looksUp: ScriptedStep<'v4'> = { text: 'I look it up. ', toolCalls: [{ name: 'find', args: { key: 'it' } }] };

interface Scenario {
  readonly prompt?: string;
  readonly steps: readonly ScriptedStep<'v4'>[];
  readonly found?: string;
}

const scenarios: Record<string, Scenario> = {
  'an answer': { steps: [{ text: ['All is ', 'well.'] }] },
  'edited words': { prompt: 'I am ada@example.com.', steps: [{ text: 'Hello, bob@example.com.' }] },
  'a tool': { steps: [looksUp, { text: 'Found.' }] },
  'a retry': { steps: [{ text: 'A SECRET.' }, { text: 'Nothing.' }] },
  'a blocked input': { prompt: 'An attack!', steps: [{ text: 'Never sent.' }] },
  'a blocked step': { steps: [looksUp, { text: 'RUDE words.' }] },
  'a blocked result': { steps: [looksUp, { text: 'Never sent.' }], found: 'poison' },
  'a provider that fails': { steps: [{ error: new Error('Overloaded.') }] },
};

type Mode = 'generate' | 'stream';

const setupOf = ({ steps, found = 'gold' }: Scenario) => ({
  model: scriptedModel({ specificationVersion: 'v4', steps }),
  guards: [redactor({ strategy: 'replace' }), strict],
  execute: async () => found,
});

const runAgent = async (mode: Mode, scenario: Scenario): Promise<void> => {
  const { model, guards, execute } = setupOf(scenario);
  const find = createTool({ id: 'find', description: 'Finds.', inputSchema: z.object({ key: z.string() }), execute });
  const agent = new InterlockAgent({
    id: 'finder',
    name: 'Finder',
    instructions: 'Help.',
    model,
    maxProcessorRetries: 1,
    tools: { find },
    inputProcessors: guards,
    outputProcessors: guards,
  });
  const { prompt = 'Hi' } = scenario;
  if (mode === 'generate') await agent.generate(prompt);
  else await (await agent.stream(prompt)).consumeStream();
};

const runLoop = async (mode: Mode, scenario: Scenario): Promise<void> => {
  const { model, guards, execute } = setupOf(scenario);
  const find = tool({ description: 'Finds.', inputSchema: z.object({ key: z.string() }), execute });
  const agent = guardedToolLoop({
    id: 'finder',
    instructions: 'Help.',
    model,
    tools: { find },
    maxRetries: 0,
    onError: () => undefined,
    guards,
    guardOptions: { maxProcessorRetries: 1 },
  });
  const { prompt = 'Hi' } = scenario;
  if (mode === 'generate') await agent.generate({ prompt });
  else await (await agent.stream({ prompt })).consumeStream();
};

/** The content of a run's page, without times. The AI SDK prepares no step again, and its generated calls have no streamed arguments. */
const treeOf = (entries: readonly StudioEntry[]) => {
  const { status, tripwire, error, retries, inputMessages, visits, lanes } = foldRun(entries);
  return {
    status,
    retries,
    isFailed: error !== undefined,
    tripwire: tripwire && [tripwire.processorId, tripwire.phase, tripwire.reason],
    input: inputMessages.map(({ role, text }) => [role, text]),
    states: visits.map(({ state }) => state),
    lanes: lanes.map(({ stepNumber, attempt, reason, models, ...lane }) => ({
      stepNumber,
      attempt,
      reason,
      guards: lane.guardCalls.map(({ phase }) => phase).filter((phase) => phase !== 'inputStep' || attempt === 1),
      marks: lane.marks
        .filter(({ phase }) => phase !== 'inputStep' || attempt === 1)
        .map((mark) => ('verdict' in mark ? [mark.phase, mark.processorId, mark.verdict, mark.edits] : mark.kind)),
      models: models.map(({ modelId, outcome }) => [modelId, outcome]),
      tools: lane.tools.map(({ toolName, args, result, outcome }) => ({ toolName, args, result, outcome })),
      received: lane.parts.flatMap(({ kind, receivedChars }) => (kind === 'text' && receivedChars > 0 ? [receivedChars] : [])),
    })),
    sent: lanes.flatMap(({ parts }) => parts.flatMap(({ kind, text }) => (kind === 'text' && text !== '' ? [text] : []))),
  };
};

const runModel = async (mode: Mode, scenario: Scenario): Promise<void> => {
  const { model, guards } = setupOf(scenario);
  const { prompt = 'Hi' } = scenario;
  const guarded = withGuards(model, guards, { maxProcessorRetries: 1 });
  const settings = { model: guarded, instructions: 'Help.', prompt, maxRetries: 0 };
  if (mode === 'generate') await generateText(settings);
  else await streamText({ ...settings, onError: () => undefined }).consumeStream();
};

describe.each<Mode>(['generate', 'stream'])('a run of the AI SDK is shown like one of an InterlockAgent: %s', (mode) => {
  const shown = async (act: (mode: Mode, scenario: Scenario) => Promise<void>, scenario: Scenario) => {
    const studio = await openStudio(makeAgent([]).agent);
    await act(mode, scenario).catch(() => undefined);
    const summary = await vi.waitFor(async () => {
      const { runs } = await studio.json<RunPage>('runs');
      expect(runs.map(({ status }) => status)).not.toContain('running');
      expect(runs).toHaveLength(1);
      return runs[0] as NonNullable<(typeof runs)[0]>;
    }, patience);
    const entries = await studio.entriesOf(summary.runId);
    const prompts = await studio.json<PromptView[]>(`runs/${summary.runId}/prompts`);
    return {
      summary,
      tree: treeOf(entries),
      prompts: prompts.map(({ messages }) => messages.map(({ role, text }) => [role, text])),
    };
  };

  it.each(Object.entries(scenarios))('guardedToolLoop, %s', async (_, scenario) => {
    const [agent, loop] = [await shown(runAgent, scenario), await shown(runLoop, scenario)];
    expect(loop.tree).toEqual(agent.tree);
    expect(loop.prompts).toEqual(agent.prompts);
    expect(loop.summary).toMatchObject({ agentId: 'finder', userText: agent.summary.userText, guards: agent.summary.guards });
  });

  it.each(Object.entries(scenarios).filter(([, { steps }]) => !steps.includes(looksUp)))(
    'withGuards alone, %s',
    async (_, scenario) => {
      const [agent, model] = [await shown(runAgent, scenario), await shown(runModel, scenario)];
      expect(model.tree).toEqual(agent.tree);
      expect(model.prompts).toEqual(agent.prompts);
      expect(model.summary).toMatchObject({ agentId: 'ai-sdk', userText: agent.summary.userText, guards: agent.summary.guards });
    },
  );
});

it('a call of a guarded model that its reader cancels is shown as canceled', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const { model, guards } = setupOf({ steps: [{ text: ['One. ', 'Two. ', 'Three. '] }] });
  const result = await withGuards(model, guards, { hold: 'chunk', window: 'delta' }).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
  await result.stream.cancel();
  await vi.waitFor(async () => {
    const { runs } = await studio.json<RunPage>('runs');
    expect(runs).toMatchObject([{ status: 'canceled' }]);
  }, patience);
});

it('a shared run ends with its last answer, also without its finish; a later call continues it', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const { model, guards, execute } = setupOf({ steps: [looksUp, { text: 'Found.' }, { text: 'Again.' }] });
  const run = createGuardedRun(guards);
  const settings = { model, tools: { find: tool({ inputSchema: z.object({ key: z.string() }), execute }) }, prompt: 'Hi' };
  const ask = () => generateText({ ...settings, ...guardSettings(settings, run), stopWhen: isStepCount(3) });
  const textsOf = async () => {
    const { runs } = await studio.json<RunPage>('runs');
    expect(runs).toMatchObject([{ runId: run.id, status: 'success' }]);
    return treeOf(await studio.entriesOf(run.id)).sent.join('');
  };
  await ask();
  expect(await textsOf()).toBe('I look it up. Found.');
  await ask();
  expect(await textsOf()).toContain('Again.'); // in its own first step
});

it('a shared run of generateText is one run, which its finish ends', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const { model, guards, execute } = setupOf({ steps: [looksUp, { text: 'Found.' }] });
  const run = createGuardedRun(guards);
  const settings = { model, tools: { find: tool({ inputSchema: z.object({ key: z.string() }), execute }) }, prompt: 'Hi' };
  await generateText({ ...settings, ...guardSettings(settings, run), stopWhen: isStepCount(3) });
  await run.finish();
  const { runs } = await studio.json<RunPage>('runs');
  expect(runs).toMatchObject([{ runId: run.id, agentId: 'ai-sdk', status: 'success', userText: 'Hi' }]);
});
