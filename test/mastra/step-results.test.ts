import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, tripping, type ScriptedStep } from '../../src/testing/index.js';
import { echo, failing, makeAgent, modes, withText, type Mode } from './support.js';

const tools = { echo, failing };

const script: ScriptedStep<'v2'>[] = [
  { text: 'Let me look.', toolCalls: [{ id: 'c1', name: 'echo', args: { say: 'hi' } }] },
  { text: 'Once more.', toolCalls: [{ id: 'c2', name: 'failing', args: {} }] },
  { reasoning: 'Hm.', text: 'Hello.' },
];

interface Seen {
  readonly response: { readonly messages: unknown[]; readonly uiMessages: unknown[]; readonly dbMessages: unknown[] };
  readonly content: unknown[];
  readonly reasoningText: string | undefined;
}

interface Reading {
  readonly steps: readonly Seen[];
  readonly response: Seen['response'];
  readonly messages: unknown[];
  readonly finished: readonly Seen[];
  readonly finishedSteps: readonly Seen[];
}

const read = async (Kind: typeof InterlockAgent, mode: Mode, config: Partial<InterlockAgentConfig> = {}): Promise<Reading> => {
  const model = scriptedModel({ steps: script });
  const agent = new Kind({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, tools, ...(config as object) });
  const finished: Seen[] = [];
  let finishedSteps: readonly Seen[] = [];
  const options = {
    onStepFinish: (step: unknown) => void finished.push(step as Seen),
    onFinish: ({ steps }: { steps: unknown }) => void (finishedSteps = steps as Seen[]),
  };
  const result =
    mode === 'generate' ? await agent.generate('Hi', options) : await (await agent.stream('Hi', options)).getFullOutput();
  return { ...(result as unknown as Reading), finished, finishedSteps };
};

/** A value without ids and times. */
const stable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      ['id', 'createdAt', 'providerOptions', 'providerMetadata', 'toolInvocations', 'model'].includes(key) ? undefined : inner,
    ),
  );

describe.each(modes)('steps in %s, compared with Mastra’s agent', (mode) => {
  const both = async () => [await read(InterlockAgent, mode), await read(Agent as never, mode)] as const;

  it.each(['steps', 'finishedSteps'] as const)('%s have the messages up to the end of each', async (name) => {
    const [own, theirs] = await both();
    for (const [index, { response }] of theirs[name].entries()) {
      expect(response.messages.length).toBeGreaterThan(0);
      expect(stable(own[name][index]?.response.messages)).toEqual(stable(response.messages));
      expect(stable(own[name][index]?.response.uiMessages)).toEqual(stable(response.uiMessages));
    }
    expect(stable(own[name].at(-1)?.response.dbMessages)).toEqual(stable(theirs[name].at(-1)?.response.dbMessages));
    expect(JSON.stringify(own[name][0]?.response.dbMessages)).not.toContain('Once more.');
  });

  it('content has the results and errors of tools', async () => {
    const [own, theirs] = await both();
    for (const name of ['steps', 'finished', 'finishedSteps'] as const)
      expect(stable(own[name].map(({ content }) => content))).toEqual(stable(theirs[name].map(({ content }) => content)));
    expect(own.steps[1]?.content).toContainEqual({
      type: 'tool-result',
      toolCallId: 'c2',
      toolName: 'failing',
      input: {},
      output: { type: 'error-text', value: 'out of order' },
    });
  });

  it('reasoningText is empty without reasoning', async () => {
    const [own, theirs] = await both();
    expect(own.steps.map(({ reasoningText }) => reasoningText)).toEqual(theirs.steps.map(({ reasoningText }) => reasoningText));
  });

  it('the messages of the answer have its text as a field', async () => {
    const [own, theirs] = await both();
    expect(stable(own.response.dbMessages)).toEqual(stable(theirs.response.dbMessages));
    expect(stable(own.messages)).toEqual(stable(theirs.messages));
    expect(own.response.dbMessages).toMatchObject([{ content: { content: 'Hello.' } }]);
    expect(stable(own.finished.at(-1)?.response.dbMessages)).toEqual(stable(theirs.finished.at(-1)?.response.dbMessages));
  });
});

describe.each(modes)('content that guards removed, in %s', (mode) => {
  const redacts: Processor & { traits: object } = {
    id: 'redacts',
    traits: { judgesErrors: true },
    processOutputResult: ({ messages }) =>
      messages.map((message) => withText(message, (text) => text.replaceAll(/Let me look\.|Hello\./g, '[removed]'))),
    processToolResult: ({ messages, messageList, toolCallId }) => {
      for (const { content } of messageList.get.response.db())
        for (const part of content.parts)
          if (
            part.type === 'tool-invocation' &&
            part.toolInvocation.toolCallId === toolCallId &&
            'errorText' in part.toolInvocation
          )
            part.toolInvocation.errorText = '[failed]';
      return messages;
    },
  };

  it('is in no message or content of a step', async () => {
    const { steps, finishedSteps, response, messages } = await read(InterlockAgent, mode, { outputProcessors: [redacts] });
    const served = JSON.stringify([steps, finishedSteps, response, messages]);
    expect(served).not.toMatch(/Let me look\.|Hello\.|out of order/);
    expect(JSON.stringify(steps[0]?.response)).toContain('[removed]');
    expect(steps[1]?.content).toContainEqual(expect.objectContaining({ output: { type: 'error-text', value: '[failed]' } }));
    expect(response.dbMessages).toMatchObject([{ content: { content: '[removed]' } }]);
  });

  it('a rejected attempt has only the messages before it', async () => {
    const retries: Processor = {
      id: 'retries',
      processOutputStep: ({ text, abort, messages }) => (text === 'Bad.' ? abort('again', { retry: true }) : messages),
    };
    const { agent } = makeAgent([script[0], { text: 'Bad.' }, { text: 'Fine.' }] as ScriptedStep<'v2'>[], {
      tools,
      outputProcessors: [retries],
      maxProcessorRetries: 1,
    });
    const result = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    const [first, rejected, last] = (result.steps as unknown as Seen[]).map(({ response }) => JSON.stringify(response.messages));
    expect(rejected).toBe(first);
    expect(last).toContain('Fine.');
    expect(JSON.stringify(result)).not.toContain('Bad.');
  });

  it('a run that is stopped at its result has steps without messages', async () => {
    const { agent } = makeAgent(script, { tools, outputProcessors: [tripping('processOutputResult', 'No.')] });
    const result = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    expect(result.steps.map(({ response }) => (response as unknown as Seen['response']).messages)).toEqual([[], [], []]);
    expect(JSON.stringify(result)).not.toMatch(/Hello|out of order|said/);
  });
});

it('stop conditions get the errors of tools', async () => {
  const contents: unknown[] = [];
  const { agent } = makeAgent(script, { tools });
  const stopWhen = ({ steps }: { steps: readonly { content: unknown }[] }) => contents.push(steps.at(-1)?.content) > 9;
  await agent.generate('Hi', { stopWhen });
  expect(JSON.stringify(contents[1])).toContain('"value":"out of order"');
});
