import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import {
  createWorkflow,
  defineProcessor,
  type DefinedProcessor,
  type InterlockAgent,
  type InterlockResult,
} from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { settled, withText } from '../mastra/support.js';
import { conflictingNames, runExample, sentTo, titlesOf, world } from './example.js';

const document = '4-processor-enhancements';

/** A processor that marks its input. */
const marking = (id: string): DefinedProcessor<Processor> =>
  defineProcessor<Processor>({
    id,
    processInput: ({ messages }) => messages.map((message) => withText(message, (text) => `${text} ${id}`)),
  });

/** A processor that removes a word. */
const removing = (id: string, word: string): DefinedProcessor<Processor> =>
  defineProcessor<Processor>({
    id,
    processInput: ({ messages }) => messages.map((message) => withText(message, (text) => text.replace(word, ''))),
  });

const elided = {
  'createWorkflow({ ... })':
    "createWorkflow({ id: 'elided', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })",
};

describe(`the examples of ${document}`, () => {
  it('are all here', ({ task }) => expect(conflictingNames(task)).toEqual(titlesOf(document)));

  it('abort() with options', async ({ task: { name: title } }) => {
    const guard: Processor = {
      id: 'guard',
      processInput: async ({ abort, messages }) => {
        await runExample({ document, title, scope: { abort } });
        return messages;
      },
    };
    expect(
      await world()
        .agent({ inputProcessors: [guard] })
        .generate('Hi'),
    ).toMatchObject({
      tripwire: { reason: 'reason', retry: true, metadata: { score: 0.8 }, processorId: 'guard' },
    });
  });

  it('Auto-Conversion [spec 4.4]', async ({ task: { name: title } }) => {
    const { Agent, calls } = world();
    const scope = { Agent, piiDetector: marking('pii'), moderator: marking('moderator') };
    const { agent } = await runExample<{ agent: InterlockAgent }>({ document, title, scope });
    await agent.generate('Seen by');
    expect(sentTo(calls[0], 'user')).toEqual(['Seen by pii moderator']);
    const mastra = new Mastra({ agents: { agent }, logger: false });
    await settled();
    expect(Object.values(mastra.listWorkflows()).map((workflow) => (workflow as AnyWorkflow).type)).toEqual(['processor']);
  });

  it('Direct Workflow Usage [spec 4.5]', async ({ task: { name: title } }) => {
    const { agent, calls } = world();
    const { workflow } = await runExample<{ workflow: AnyWorkflow }>({
      document,
      title,
      scope: {
        createWorkflow,
        ProcessorStepSchema,
        piiDetector: removing('pii', 'one'),
        toxicityCheck: removing('toxicity', 'two'),
        spamCheck: removing('spam', 'three'),
      },
      fill: elided,
    });
    await agent({ inputProcessors: [workflow] }).generate('(one)(two)(three)');
    expect(sentTo(calls[0], 'user')).toEqual(['()()()']);
  });

  it('Configuration', async ({ task: { name: title } }) => {
    const qualityChecker: Processor = {
      id: 'quality',
      processOutputStep: ({ abort, text }) => (text === 'Good.' ? [] : abort('Better.', { retry: true })),
    };
    const { Agent, calls } = world([{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }, { text: 'Good.' }]);
    const { agent } = await runExample<{ agent: InterlockAgent }>({ document, title, scope: { Agent, qualityChecker } });
    expect(await agent.generate('Hi')).toMatchObject({ status: 'success', text: 'Good.' });
    expect(calls).toHaveLength(4);
  });

  it('Retry Trigger', async ({ task: { name: title } }) => {
    const hooks = await runExample<Pick<Processor, 'processOutputStep'>>({
      document,
      title,
      scope: { isLowQuality: (text: string) => text === 'Bad.' },
    });
    const { agent, calls } = world([{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }]);
    const result = await agent({ outputProcessors: [{ id: 'quality', ...hooks }], maxProcessorRetries: 3 }).generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Bad.' }); // the third is accepted unchanged
    expect(calls).toHaveLength(3);
  });

  it('Basic Retry Pattern [spec 4.10]', async ({ task: { name: title } }) => {
    const { Agent } = world([{ text: 'Roses.' }, { text: 'Roses are red.' }]);
    const { result } = await runExample<{ result: InterlockResult }>({
      document,
      title,
      scope: { Agent, evaluateQuality: async (text: string) => (text === 'Roses.' ? 0.2 : 0.9) },
    });
    expect(result.steps[0]?.tripwire).toMatchObject({ metadata: { score: 0.2 } });
    expect(result.steps[1]?.tripwire).toBeUndefined();
    expect(result.text).toBe('Roses are red.');
    expect(result.tripwire).toBeUndefined();
  });

  it('Processor Workflow', async ({ task: { name: title } }) => {
    const { Agent, calls } = world();
    const { agent } = await runExample<{ agent: InterlockAgent }>({
      document,
      title,
      scope: {
        Agent,
        lengthValidator: marking('length'),
        piiDetector: removing('pii', 'one'),
        toxicityChecker: removing('toxicity', 'two'),
        spamChecker: removing('spam', 'three'),
        languageDetector: marking('language'),
      },
    });
    await agent.generate('(one)(two)(three)');
    expect(sentTo(calls[0], 'user')).toEqual(['()()() length language']);
  });

  it('Branching Workflow [spec 4.22]', async ({ task: { name: title } }) => {
    const { branchingWorkflow } = await runExample<{ branchingWorkflow: AnyWorkflow }>({
      document,
      title,
      scope: {
        createWorkflow,
        ProcessorStepSchema,
        lengthValidator: marking('length'),
        piiStep: marking('pii').createStep(),
        toxicityStep: marking('toxicity').createStep(),
      },
      fill: elided,
    });
    const { agent, calls } = world();
    await agent({ inputProcessors: branchingWorkflow }).generate('a question');
    // Every matching case runs, and only dates have three digits in a row.
    expect(sentTo(calls[0], 'user')).toEqual(['a question length pii toxicity']);
  });
});
