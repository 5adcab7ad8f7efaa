import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { expect } from 'vitest';

import { createWorkflow, defineProcessor, InterlockAgent, ProcessorStepSchema, type DefinedProcessor } from '../../src/index.js';
import { settled, withText } from '../mastra/support.js';
import { describeExamples, runExample, sentTo, world } from './example.js';

const document = '4-processor-enhancements';

/** A processor that marks what it saw. */
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

describeExamples(document, {
  'abort() with options': async (title) => {
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
  },

  'Auto-Conversion': async (title) => {
    const { Agent, calls } = world();
    const scope = { Agent, piiDetector: marking('pii'), moderator: marking('moderator') };
    const { agent } = await runExample<{ agent: InterlockAgent }>({ document, title, scope });
    await agent.generate('Seen by');
    expect(sentTo(calls[0], 'user')).toEqual(['Seen by pii moderator']);
    const mastra = new Mastra({ agents: { agent }, logger: false });
    await settled();
    expect(Object.values(mastra.listWorkflows()).map((workflow) => (workflow as AnyWorkflow).type)).toEqual(['processor']);
  },

  'Direct Workflow Usage': async (title) => {
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
  },

  Configuration: async (title) => {
    const qualityChecker: Processor = {
      id: 'quality',
      processOutputStep: ({ abort, text }) => (text === 'Good.' ? [] : abort('Better.', { retry: true })),
    };
    const { Agent, calls } = world([{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }, { text: 'Good.' }]);
    const { agent } = await runExample<{ agent: InterlockAgent }>({ document, title, scope: { Agent, qualityChecker } });
    expect(await agent.generate('Hi')).toMatchObject({ status: 'success', text: 'Good.' });
    expect(calls).toHaveLength(4);
  },

  'Retry Trigger': async (title) => {
    const hooks = await runExample<Pick<Processor, 'processOutputStep'>>({
      document,
      title,
      scope: { isLowQuality: (text: string) => text === 'Bad.' },
    });
    const { agent, calls } = world([{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }]);
    const result = await agent({ outputProcessors: [{ id: 'quality', ...hooks }], maxProcessorRetries: 3 }).generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Bad.' }); // the third is taken as it is
    expect(calls).toHaveLength(3);
  },

  'Basic Retry Pattern': async (title) => {
    const { Agent } = world([{ text: 'Roses.' }, { text: 'Roses are red.' }]);
    const { result } = await runExample<{ result: object }>({
      document,
      title,
      scope: { Agent, evaluateQuality: async (text: string) => (text === 'Roses.' ? 0.2 : 0.9) },
    });
    expect(result).toMatchObject({
      steps: [{ tripwire: { metadata: { score: 0.2 } } }, { tripwire: undefined }],
      text: 'Roses are red.',
      tripwire: undefined,
    });
  },

  'Processor Workflow': async (title) => {
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
  },

  'Branching Workflow': async (title) => {
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
    const { agent, calls } = world([{ text: 'A.' }, { text: 'B.' }]);
    const guarded = agent({ inputProcessors: branchingWorkflow });
    await guarded.generate('a question');
    expect(sentTo(calls[0], 'user')).toEqual(['a question length toxicity']);
  },
});
