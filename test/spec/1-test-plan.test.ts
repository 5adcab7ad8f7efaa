import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { tool } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { PrepareStepProcessor, type InterlockCallOptions } from '../../src/index.js';
import type { PrepareStep } from '../../src/mastra/call-options.js';
import { scriptedModel } from '../../src/testing/index.js';
import {
  callThen,
  echo,
  echoAs,
  expectRefusal,
  makeAgent,
  modes,
  promptOf,
  sentText,
  textOf,
  withText,
  type Mode,
} from '../mastra/support.js';

type StepHook = NonNullable<Processor['processInputStep']>;

const stepping = (id: string, processInputStep: StepHook): Processor => ({ id, processInputStep });
const answering = (text: string) => scriptedModel({ steps: (): { text: string } => ({ text }), modelId: text });
const userMessage = (id: string, text: string): MastraDBMessage => ({
  id,
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts: [{ type: 'text', text }] },
});

/** An agent that calls a tool and then answers, with guards. */
const agentWith = (...inputProcessors: Processor[]) =>
  makeAgent(callThen('echo', { say: 'a' }), { tools: { echo }, inputProcessors });

describe('PrepareStepProcessor Tests', () => {
  // With the fields that are read.
  const args = { stepNumber: 3, messages: [], systemMessages: [], toolChoice: 'auto' } as unknown as ProcessInputStepArgs;
  const run = (prepareStep: PrepareStep) => new PrepareStepProcessor({ prepareStep }).processInputStep(args);

  it('`prepareStep` function is called with correct args [spec 1.3]', async () => {
    const prepareStep = vi.fn<PrepareStep>();
    await run(prepareStep);
    expect(prepareStep.mock.calls).toEqual([[args]]);
    expect(prepareStep.mock.calls[0]?.[0]).toBe(args);
  });

  it('Return value is passed through correctly [spec 1.4]', async () => {
    const answer = { toolChoice: 'none' } as const;
    expect(await run(() => answer)).toBe(answer);
    expect(await run(async () => answer)).toBe(answer);
  });

  it('Works with generic TOOLS types [spec 1.5]', async () => {
    const sdk = tool({
      description: 'Looks.',
      inputSchema: z.object({ say: z.string() }),
      execute: async ({ say: text }) => text,
    });
    const tools = { mastra: echoAs('mastra'), sdk };
    const prepareStep: PrepareStep = ({ tools: given }) => ({
      activeTools: Object.keys(given ?? {}).filter((name) => name in tools),
    });
    const { agent, model } = makeAgent('Hello.', { tools: { ...tools, other: echoAs('other') } });
    await agent.generate('Hi', { prepareStep });
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['mastra', 'sdk']);
  });

  it('Handles undefined return [spec 1.6]', async () => {
    expect(await run(() => undefined)).toBeUndefined();
    const { agent, model } = makeAgent();
    expect(await agent.generate('Hi', { prepareStep: () => undefined })).toMatchObject({ text: 'Hello.' });
    expect(promptOf(model)).toEqual([
      ['system', 'Answer.'],
      ['user', 'Hi'],
    ]);
  });
});

describe('ProcessorRunner.runProcessInputStep Tests', () => {
  it('Single processor modifies model [spec 1.7]', async () => {
    const other = answering('Other.');
    const { agent, model } = makeAgent('Hello.', { inputProcessors: [stepping('a', () => ({ model: other as never }))] }); // a model of the step
    expect((await agent.generate('Hi')).text).toBe('Other.');
    expect(model.calls).toHaveLength(0);
  });

  it('Single processor modifies toolChoice [spec 1.8]', async () => {
    const { agent, model } = agentWith(
      stepping('a', ({ stepNumber }) => (stepNumber === 0 ? { toolChoice: 'required' } : undefined)),
    );
    await agent.generate('Hi');
    expect(model.calls.map(({ options }) => options.toolChoice?.type)).toEqual(['required', 'auto']);
  });

  it('Single processor modifies activeTools [spec 1.9]', async () => {
    const { agent, model } = makeAgent('Hello.', {
      tools: { echo, other: echoAs('other') },
      inputProcessors: [stepping('a', () => ({ activeTools: ['other'] }))],
    });
    await agent.generate('Hi');
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['other']);
  });

  it('Single processor modifies messages [spec 1.10]', async () => {
    const shout = stepping('a', ({ messages }) => ({
      messages: messages.map((message) => withText(message, (text) => text.toUpperCase())),
    }));
    const { agent, model } = makeAgent('Hello.', { inputProcessors: [shout] });
    await agent.generate('hi');
    expect(sentText(model, 'user')).toBe('HI');
  });

  it('Single processor modifies systemMessages [spec 1.11]', async () => {
    const kind = stepping('a', () => ({ systemMessages: [{ role: 'system', content: 'Be kind.' }] }));
    const { agent, model } = makeAgent('Hello.', { inputProcessors: [kind] });
    await agent.generate('Hi');
    expect(sentText(model, 'system')).toBe('Be kind.');
  });

  it('Multiple processors chain correctly (output of one affects next) [spec 1.2, 3.3]', async () => {
    const seen: unknown[] = [];
    const { agent, model } = makeAgent('Hello.', {
      tools: { echo },
      inputProcessors: [
        stepping('first', ({ messages }) => ({
          toolChoice: 'none',
          activeTools: [],
          modelSettings: { temperature: 0.5 },
          providerOptions: { scripted: { seed: 1 } },
          messages: messages.map((message) => withText(message, (text) => `${text} first`)),
        })),
        stepping('second', ({ messages, toolChoice, activeTools, modelSettings, providerOptions }) => {
          seen.push({ toolChoice, activeTools, modelSettings, providerOptions });
          return {
            messages: messages.map((message) => withText(message, (text) => `${text} second`)),
            modelSettings: { ...modelSettings, topP: 0.9 },
          };
        }),
      ],
    });
    await agent.generate('Hi');
    expect(seen).toEqual([
      { toolChoice: 'none', activeTools: [], modelSettings: { temperature: 0.5 }, providerOptions: { scripted: { seed: 1 } } },
    ]);
    expect(sentText(model, 'user')).toBe('Hi first second');
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0.5, topP: 0.9, providerOptions: { scripted: { seed: 1 } } });
  });

  it('Processor can abort the run [spec 1.12]', async () => {
    const { agent, model } = agentWith(stepping('a', ({ abort }) => abort('Not now.', { metadata: { at: 'step' } })));
    expect(await agent.generate('Hi')).toMatchObject({
      status: 'tripwire',
      tripwire: { reason: 'Not now.', metadata: { at: 'step' }, processorId: 'a' },
    });
    expect(model.calls).toHaveLength(0);
  });

  it('Error in processor stops the chain [spec 1.13]', async () => {
    const after = vi.fn<StepHook>();
    const broken = stepping('broken', () => {
      throw new Error('out of order');
    });
    const { agent, model } = agentWith(broken, stepping('after', after));
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'guard/unavailable', cause: { message: 'out of order' } });
    expect(after).not.toHaveBeenCalled();
    expect(model.calls).toHaveLength(0);
  });

  it('MessageList mutations are tracked correctly [spec 1.14]', async () => {
    const adding = stepping('a', ({ messageList, stepNumber }) => {
      if (stepNumber === 0) messageList.add(userMessage('more', 'And this.'), 'input');
      return messageList;
    });
    const silent = stepping('b', ({ messageList, stepNumber }) => {
      if (stepNumber === 0) messageList.add(userMessage('most', 'And that.'), 'input');
    });
    const seen: string[][] = [];
    const { agent, model } = agentWith(
      adding,
      silent,
      stepping('c', ({ messages }) => void seen.push(messages.map(({ id }) => id))),
    );
    await agent.generate([userMessage('first', 'This.')]);
    expect(seen[0]).toEqual(['first', 'more', 'most']);
    expect(sentText(model, 'user', 1)).toBe('This.\nAnd this.\nAnd that.');
  });

  const refusals: Record<string, { code: Parameters<typeof expectRefusal>[0]; hook: StepHook }> = {
    'Validation: rejects external MessageList': { code: 'phase/foreign-message-list', hook: () => new MessageList() },
    'Validation: rejects messages + messageList together': {
      code: 'phase/messages-and-message-list',
      hook: ({ messages, messageList }) => ({ messages, messageList }),
    },
    'Validation: rejects v1 models': {
      code: 'phase/unsupported-model',
      hook: () => ({ model: { specificationVersion: 'v1', provider: 'old', modelId: 'old' } as never }), // not allowed by any type
    },
  };

  it.each(Object.entries(refusals))('%s [spec 1.15, 2.12]', async (_line, { code, hook }) => {
    const { agent, model } = agentWith(stepping('a', hook));
    const { path } = await expectRefusal(code, model, () => agent.generate('Hi'));
    expect(path).toContain('inputStep/a');
  });
});

/** Runs an agent's call to its end. */
const call = async ({ agent }: ReturnType<typeof makeAgent>, mode: Mode, options: InterlockCallOptions = {}) => {
  if (mode === 'generate') return agent.generate('Hi', options);
  return (await agent.stream('Hi', options)).getFullOutput();
};

describe('Agent with inputProcessors (constructor) [spec 1.16]', () => {
  it.each([
    ['inputProcessors run on every generate call', 'generate'],
    ['inputProcessors run on every stream call', 'stream'],
  ] as const)('%s', async (_line, mode) => {
    const hook = vi.fn<StepHook>();
    const made = makeAgent([{ text: 'One.' }, { text: 'Two.' }], { inputProcessors: [stepping('a', hook)] });
    await call(made, mode);
    await call(made, mode);
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('Multiple inputProcessors chain correctly [spec 1.2]', async () => {
    for (const mode of modes) {
      const other = answering('Other.');
      const seen: unknown[] = [];
      const made = agentWith(
        stepping('first', () => ({ model: other as never })), // a model of the step
        stepping('second', ({ model }) => void seen.push(model)),
      );
      expect((await call(made, mode)).text).toBe('Other.');
      expect(seen).toMatchObject([{ modelId: 'Other.' }]);
    }
  });

  it('inputProcessors receive correct step context [spec 1.17, 2.15]', async () => {
    for (const mode of modes) {
      const seen: ProcessInputStepArgs[] = [];
      const requestContext = new RequestContext([['tier', 'gold']]);
      const options = {
        requestContext,
        modelSettings: { temperature: 0.5 },
        providerOptions: { scripted: { seed: 1 } },
        toolChoice: 'auto',
      } as const;
      await call(agentWith(stepping('a', (args) => void seen.push({ ...args, messages: [...args.messages] }))), mode, options);
      expect(seen).toMatchObject([
        { stepNumber: 0, steps: [], model: { modelId: 'scripted-model' }, retryCount: 0, ...options },
        { stepNumber: 1, steps: [{ toolCalls: [{}] }], model: { modelId: 'scripted-model' }, toolChoice: 'auto' },
      ]);
      for (const args of seen) {
        expect(args.messageList).toBeInstanceOf(MessageList);
        expect(args.systemMessages).toMatchObject([{ role: 'system', content: 'Answer.' }]);
        expect(Object.keys(args.tools ?? {})).toEqual(['echo']);
        expect(args.abort).toBeInstanceOf(Function);
        expect(args.requestContext).toBe(requestContext);
        expect(args).toHaveProperty('tracingContext');
        expect(args).toHaveProperty('structuredOutput');
        expect(args).toHaveProperty('activeTools');
      }
      expect(seen.map(({ messages }) => messages.length)).toEqual([1, 2]);
    }
  });
});

describe('Agent with prepareStep (defaultGenerateOptions) [spec 1.18]', () => {
  const withDefault = (prepareStep: PrepareStep, config = {}) =>
    makeAgent(callThen('echo', { say: 'a' }), {
      tools: { echo, other: echoAs('other') },
      defaultGenerateOptions: { prepareStep },
      ...config,
    });

  it.each([
    ['prepareStep runs on every generate call', 'generate'],
    ['prepareStep runs on every stream call', 'stream'],
  ] as const)('%s', async (_line, mode) => {
    const prepareStep = vi.fn<PrepareStep>();
    const made = makeAgent([{ text: 'One.' }, { text: 'Two.' }], { defaultGenerateOptions: { prepareStep } });
    await call(made, mode);
    await call(made, mode);
    expect(prepareStep).toHaveBeenCalledTimes(2);
  });

  it('prepareStep can modify model [spec 1.19]', async () => {
    for (const mode of modes) {
      const made = withDefault(() => ({ model: answering('Other.') as never })); // a model of the step
      expect((await call(made, mode)).text).toBe('Other.');
    }
  });

  it('prepareStep can modify toolChoice [spec 1.19]', async () => {
    for (const mode of modes) {
      const made = withDefault(({ stepNumber }) => ({
        toolChoice: stepNumber === 0 ? { type: 'tool', toolName: 'echo' } : 'none',
      }));
      await call(made, mode);
      expect(made.model.calls.map(({ options }) => options.toolChoice)).toEqual([
        { type: 'tool', toolName: 'echo' },
        { type: 'none' },
      ]);
    }
  });

  it('prepareStep can modify activeTools [spec 1.19]', async () => {
    for (const mode of modes) {
      const made = withDefault(() => ({ activeTools: ['echo'] }));
      await call(made, mode);
      expect(made.model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['echo']);
    }
  });
});

const perCallProcessors = (mode: Mode) => {
  const both = () => {
    const [own, given] = [vi.fn<StepHook>(), vi.fn<StepHook>()];
    return { own, given, made: agentWith(stepping('own', own)), options: { inputProcessors: [stepping('given', given)] } };
  };

  it('Per-call inputProcessors **replace** constructor inputProcessors (not extend) [spec 1.20]', async () => {
    const { made, own, given, options } = both();
    await call(made, mode, options);
    expect(given).toHaveBeenCalledTimes(2);
    expect(own).not.toHaveBeenCalled();
    await call(makeAgent('Hello.', { inputProcessors: [stepping('own', own)] }), mode, { inputProcessors: () => [] });
    expect(own).not.toHaveBeenCalled();
  });

  it('Per-call inputProcessors receive correct args [spec 1.21]', async () => {
    const { made, given, options } = both();
    await call(made, mode, options);
    expect(given.mock.calls[0]?.[0]).toMatchObject({ stepNumber: 0, steps: [], model: { modelId: 'scripted-model' } });
    expect(textOf(given.mock.calls[0]?.[0].messages[0])).toBe('Hi');
    expect(given.mock.calls[1]?.[0]).toMatchObject({ stepNumber: 1, steps: [{ toolResults: [{}] }] });
  });

  it('Constructor inputProcessors are NOT called when per-call inputProcessors provided [spec 1.20]', async () => {
    const { made, own, options } = both();
    await call(made, mode, options);
    expect(own).not.toHaveBeenCalled();
  });
};

const perCallPrepareStep = (mode: Mode) => {
  it('Per-call prepareStep works [spec 1.22]', async () => {
    const prepareStep = vi.fn<PrepareStep>(({ stepNumber }) => (stepNumber === 1 ? { toolChoice: 'none' } : undefined));
    const made = agentWith();
    await call(made, mode, { prepareStep });
    expect(prepareStep.mock.calls.map(([{ stepNumber }]) => stepNumber)).toEqual([0, 1]);
    expect(made.model.calls.map(({ options }) => options.toolChoice?.type)).toEqual(['auto', 'none']);
  });

  it('Per-call prepareStep overrides defaultGenerateOptions.prepareStep [spec 1.22]', async () => {
    const [own, given] = [vi.fn<PrepareStep>(), vi.fn<PrepareStep>()];
    await call(makeAgent('Hello.', { defaultGenerateOptions: { prepareStep: own } }), mode, { prepareStep: given });
    expect(given).toHaveBeenCalledOnce();
    expect(own).not.toHaveBeenCalled();
  });
};

describe('Agent.generate with inputProcessors', () => {
  perCallProcessors('generate');
});
describe('Agent.generate with prepareStep', () => {
  perCallPrepareStep('generate');
});
describe('Agent.stream with inputProcessors', () => {
  describe('Same tests as generate', () => {
    perCallProcessors('stream');
  });
});
describe('Agent.stream with prepareStep', () => {
  describe('Same tests as generate', () => {
    perCallPrepareStep('stream');
  });
});

describe.each(modes)('Edge Cases of %s', (mode) => {
  it('stepNumber increments correctly across tool calls [spec 1.1]', async () => {
    const numbers: number[] = [];
    const made = makeAgent([...callThen('echo', { say: 'a' }).slice(0, 1), ...callThen('echo', { say: 'b' })], {
      tools: { echo },
      inputProcessors: [stepping('a', ({ stepNumber }) => void numbers.push(stepNumber))],
    });
    await call(made, mode);
    expect(numbers).toEqual([0, 1, 2]);
  });

  it('steps array contains previous step results [spec 1.23]', async () => {
    const seen: unknown[] = [];
    await call(agentWith(stepping('a', ({ steps }) => void seen.push([...steps]))), mode);
    expect(seen).toMatchObject([
      [],
      [
        {
          text: '',
          finishReason: 'tool-calls',
          toolCalls: [{ payload: { toolName: 'echo', args: { say: 'a' } } }],
          toolResults: [{ payload: { toolName: 'echo', result: { said: 'a' } } }],
        },
      ],
    ]);
  });

  it('Empty inputProcessors array is handled [spec 1.24]', async () => {
    expect(await call(agentWith(), mode)).toMatchObject({ status: 'success', text: 'Done.' });
  });

  it('Processor returns nothing (undefined) [spec 1.25]', async () => {
    const made = agentWith(stepping('a', () => undefined));
    expect(await call(made, mode)).toMatchObject({ status: 'success', text: 'Done.' });
    expect(promptOf(made.model)).toEqual(promptOf((await plain()).model));
  });

  it('Processor only returns partial result (just toolChoice, not model) [spec 1.26]', async () => {
    const made = agentWith(stepping('a', ({ stepNumber }) => (stepNumber === 0 ? { toolChoice: 'required' } : {})));
    expect(await call(made, mode)).toMatchObject({ status: 'success', text: 'Done.' });
    const without = await plain();
    expect(promptOf(made.model)).toEqual(promptOf(without.model));
    const [given, usual] = [made, without].map(({ model }) => model.calls[0]?.options);
    expect(given).toMatchObject({ toolChoice: { type: 'required' }, tools: usual?.tools });
  });

  const plain = async () => {
    const made = agentWith();
    await call(made, mode);
    return made;
  };
});
