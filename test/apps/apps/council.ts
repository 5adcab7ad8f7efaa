import { createScorer } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

import type { App } from '../app.js';

const members = ['economist', 'engineer', 'lawyer', 'doctor', 'artist'] as const;

const topic = z.object({ topic: z.string() });
const opinions = z.object({ text: z.string() });

/** Five experts in parallel, a chair, and a vote that a person confirms. */
export const council: App = {
  create: ({ Agent, openai, anthropic, storage, observability }) => {
    const brief = createScorer({ id: 'brief', description: 'Is the answer brief?', type: 'agent' })
      .generateScore(({ run }) => (JSON.stringify(run.output).length < 2000 ? 1 : 0))
      .generateReason(({ score }) => `score ${score}`);
    const experts = members.map(
      (id) =>
        new Agent({
          id,
          name: id,
          instructions: `You are the ${id}.`,
          model: id === 'lawyer' ? anthropic('claude-sonnet-4-5') : openai('gpt-5-mini'),
        }),
    );
    const chair = new Agent({
      id: 'chair',
      name: 'Chair',
      instructions: 'You are the chair.',
      model: openai('gpt-5-mini'),
      scorers: { brief: { scorer: brief, sampling: { type: 'ratio', rate: 1 } } },
    });
    const steps = experts.map((expert) =>
      createStep({
        id: `ask-${expert.id}`,
        inputSchema: topic,
        outputSchema: opinions,
        execute: async ({ inputData, tracingContext }) => ({
          text: (await expert.generate(inputData.topic, { tracingContext })).text,
        }),
      }),
    );
    const [first, second, ...rest] = steps as [(typeof steps)[0], (typeof steps)[0], ...typeof steps];
    const decide = createStep({
      id: 'decide',
      inputSchema: z.record(z.string(), opinions),
      outputSchema: opinions,
      execute: async ({ inputData, tracingContext }) => {
        const all = Object.values(inputData).map(({ text }) => text);
        const stream = await chair.stream(all.toSorted().join('\n'), { tracingContext });
        return { text: await stream.text };
      },
    });
    const confirm = createStep({
      id: 'confirm',
      inputSchema: opinions,
      outputSchema: opinions,
      resumeSchema: z.object({ agreed: z.boolean() }),
      suspendSchema: opinions,
      execute: async ({ inputData, resumeData, suspend }) =>
        resumeData ? { text: `${inputData.text} ${resumeData.agreed ? 'Agreed.' : 'Rejected.'}` } : suspend(inputData),
    });
    const vote = createWorkflow({ id: 'vote', inputSchema: topic, outputSchema: opinions })
      .parallel([first, second, ...rest])
      .then(decide as never)
      .then(confirm as never)
      .commit();
    const agents = Object.fromEntries([...experts, chair].map((agent) => [agent.id, agent]));
    return new Mastra({ agents, workflows: { vote }, scorers: { brief }, storage, observability, logger: false });
  },
  isParallel: true,
  reply: ({ system, messages }) => {
    const member = members.find((name) => system.includes(name));
    return {
      text: member ? `The ${member} agrees.` : `The chair counts ${(messages.at(-1)?.text ?? '').split('\n').length} opinions.`,
    };
  },
  talks: [
    { agent: 'lawyer', turns: ['May we?', 'Really?'] },
    { agent: 'chair', turns: ['Do we?', 'Do we not?'] },
  ],
  workflows: [{ workflow: 'vote', input: { topic: 'A new bridge' }, resume: { agreed: true } }],
};
