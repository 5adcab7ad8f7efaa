import { ModerationProcessor, PIIDetector, PromptInjectionDetector } from '@mastra/core/processors';

import { defineProcessor, guard, otherwise, pipeline } from '../../src/index.js';

import { redactor } from '../../workflows/guards/index.js';

import type { Defect } from './defects.js';
import {
  passing,
  editing,
  retrying,
  blocking,
  streaming,
  overlapping,
  patterned,
  mentionsA,
  judge,
  filter,
  agentWith,
} from './guards.js';

/** Valid guards that look like defects. */
export const nearMisses: readonly Omit<Defect, 'paths'>[] = [
  {
    name: 'one name in two lanes',
    source: () =>
      agentWith({
        inputProcessors: [passing('a', ['processInput', 'processOutputStep'])],
        outputProcessors: [passing('a', ['processInput', 'processOutputStep'])],
      }),
  },
  {
    name: 'a pipeline in both lanes, with guards for each',
    source: () => {
      const both = pipeline('p').then(passing('a')).then(streaming('b')).commit();
      return agentWith({ inputProcessors: both, outputProcessors: both });
    },
  },
  {
    name: 'a pipeline next to an unknown lane',
    source: () =>
      agentWith({ inputProcessors: pipeline('p').then(passing('a')).then(streaming('b')), outputProcessors: () => [] }),
  },
  {
    name: 'an error hook in any lane',
    source: () => [defineProcessor({ id: 'a', processAPIError: () => undefined })],
    options: { lane: 'input' },
  },
  { name: 'an arm that may match', source: () => pipeline('p').branch([[() => Math.random() > 2, passing('a')]]) },
  { name: 'two editing guards under a merging rule', source: () => pipeline('p').parallel([editing('a'), editing('b')]) },
  {
    name: 'two editing guards in different phases',
    source: () =>
      pipeline('p').parallel([editing('a'), passing('b', ['processOutputStep'], { decides: ['edit'] })], { overlap: 'error' }),
  },
  {
    name: 'two editing guards in one branch',
    source: () =>
      pipeline('p').parallel([pipeline('q').then(editing('a')).then(editing('b')), passing('c')], { overlap: 'error' }),
  },
  {
    name: 'an editing guard as a shadow',
    source: () => pipeline('p').parallel([editing('a'), guard(editing('b'), { shadow: true })], { overlap: 'error' }),
  },
  {
    name: 'a stream judged in the otherwise arm',
    source: () =>
      pipeline('p').branch([
        [mentionsA, streaming('a')],
        [otherwise, streaming('b')],
      ]),
  },
  {
    name: 'a stream judged next to the branch',
    source: () =>
      pipeline('p')
        .branch([[mentionsA, streaming('a')]])
        .then(streaming('b')),
  },
  { name: 'a shadow next to an active guard', source: () => [guard(streaming('a'), { shadow: true }), streaming('b')] },
  {
    name: 'exactly the budget',
    source: () => pipeline('p').parallel([guard(passing('a'), { deadlineMs: 100 }), guard(passing('b'), { deadlineMs: 100 })]),
    options: { latencyBudgetMs: 100 },
  },
  { name: 'a shadow without a deadline', source: () => [guard(passing('a'), { shadow: true })], options: { latencyBudgetMs: 0 } },
  {
    name: 'overlap on a judge',
    source: () => [guard(passing('a', ['processInput'], { decides: ['trip'] }) as never, { overlap: true })],
  },
  {
    name: 'overlap after editing guards',
    source: () => pipeline('p').then(editing('a')).then(overlapping('b')).then(overlapping('c')),
  },
  {
    name: 'overlap before a guard that edits another phase or is a shadow',
    source: () =>
      pipeline('p')
        .then(overlapping('a'))
        .then(guard(editing('b'), { shadow: true }))
        .then(passing('c', ['processInputStep'], { decides: ['edit'] })),
  },
  {
    name: 'two parallel deadlines that overlap with the model, within the budget',
    source: () => [overlapping('a', ['processInput'], 100), overlapping('b', ['processInputStep'], 100)],
    options: { latencyBudgetMs: 100 },
  },
  { name: 'a pattern that holds the part', source: () => [patterned('a', 'part'), patterned('b', 64)] },
  {
    name: "Mastra's judges with their defaults",
    source: () =>
      agentWith({
        inputProcessors: [new PromptInjectionDetector(judge('warn'))],
        outputProcessors: [new ModerationProcessor(judge('warn')), new PIIDetector(judge()), filter('block')],
      }),
  },
  {
    name: 'a judge whose outages are allowed',
    source: () => [
      guard(passing('b', ['processInput'], { passesOnFailure: true }), { onUnavailable: 'pass' }),
      guard(passing('a', ['processInput'], { passesOnFailure: true }), { shadow: true }),
    ],
  },
  { name: 'a judge before the model', source: () => agentWith({ inputProcessors: [new ModerationProcessor(judge())] }) },
  {
    name: 'guards that hold no content',
    source: () =>
      agentWith({
        outputProcessors: [
          passing('reads', ['processOutputResult'], { decides: [] }),
          guard(passing('b', ['processOutputResult'], {}), { reads: true }),
          guard(passing('c', ['processOutputStep'], {}), { hold: 'none' }),
          guard(passing('d', ['processOutputStep'], {}), { shadow: true }),
          passing('e', ['processOutputStream', 'processOutputStep'], { checksStream: true }),
          redactor({ strategy: 'replace' }),
        ],
        hold: 'auto',
      }),
  },
  { name: 'a filter that keeps a tail', source: () => [filter('redact')] },
  { name: 'a retry within the budget', source: () => agentWith({ outputProcessors: [retrying('a')], maxProcessorRetries: 1 }) },
  {
    name: 'a retry that the call options allow',
    source: () => agentWith({ outputProcessors: [retrying('a')], defaultOptions: { maxProcessorRetries: 1 } }),
  },
  {
    name: 'a retry next to error guards, which add a budget',
    source: () =>
      agentWith({
        outputProcessors: [retrying('a')],
        errorProcessors: [defineProcessor({ id: 'e', processAPIError: () => undefined })],
      }),
  },
  {
    name: 'a late verdict with each step held',
    source: () => agentWith({ outputProcessors: [blocking('a')], hold: 'step' }),
  },
  {
    name: 'a late verdict with hold options of the call',
    source: () => agentWith({ outputProcessors: [blocking('a')], defaultOptions: () => ({}) }),
  },
  { name: 'a late verdict on held text', source: () => [blocking('a')], options: { lane: 'output', hold: 'step' } },
  {
    name: 'a verdict on a held result',
    source: () => [blocking('a', ['processOutputResult'])],
    options: { lane: 'output', hold: 'run' },
  },
  {
    name: 'a verdict on a result with an unknown hold',
    source: () => [blocking('a', ['processOutputResult'])],
    options: { lane: 'output' },
  },
  {
    name: 'a late verdict after one in the stream',
    source: () => agentWith({ outputProcessors: [blocking('a', ['processOutputStream', 'processOutputStep'])] }),
  },
];
