import { ModerationProcessor, PIIDetector, UnicodeNormalizer } from '@mastra/core/processors';

import { guard, otherwise, pipeline, type verify } from '../../src/index.js';
import type { FindingCode } from '../../src/pipeline/verify/checks.js';
import type { VerifyOptions } from '../../src/mastra/workflow/verify.js';

import { qualityGuard, redactor, scriptGuard } from '../../workflows/guards/index.js';

import {
  passing,
  editing,
  retrying,
  blocking,
  streaming,
  lateEditing,
  overlapping,
  patterned,
  never,
  mentionsA,
  judge,
  filter,
  deep,
  deepPath,
  byHand,
  armsByHand,
  agentWith,
} from './guards.js';

type Source = Parameters<typeof verify>[0];

/** A defect in otherwise valid guards. */
export interface Defect {
  readonly name: string;
  /** The guards to verify, created anew for each test. */
  readonly source: () => Source;
  readonly options?: VerifyOptions;
  /** The paths of the findings; there are no others. */
  readonly paths: readonly string[];
}

/** Examples of every code. */
export const defects: Readonly<Record<FindingCode, readonly Defect[]>> = {
  'pipeline/missing-id': [
    { name: 'a processor', source: () => pipeline('p').then(passing('')), paths: ['p'] },
    { name: 'a processor with a number as its id', source: () => [{ ...passing('x'), id: 7 as never }], paths: ['processors'] },
    { name: 'a processor without an id', source: () => [{ processInput: () => [] } as never], paths: ['processors'] },
    { name: 'nested', source: () => deep(passing('')), paths: [deepPath] },
  ],
  'pipeline/empty': [
    { name: 'a pipeline', source: () => pipeline('p'), paths: ['p'] },
    { name: 'an array', source: () => [], paths: ['processors'] },
    { name: 'a parallel block', source: () => pipeline('p').then(passing('a')).parallel([]), paths: ['p/parallel.1'] },
    { name: 'a branch', source: () => pipeline('p').branch([]), paths: ['p/branch.0'] },
    { name: 'a nested pipeline', source: () => deep(pipeline('none')), paths: [`${deepPath}/none`] },
  ],
  'pipeline/duplicate-id': [
    { name: 'in sequence', source: () => [passing('a'), passing('a')], paths: ['processors/a'] },
    { name: 'three times', source: () => [passing('a'), passing('a'), passing('a')], paths: ['processors/a', 'processors/a'] },
    { name: 'in parallel', source: () => pipeline('p').parallel([passing('a'), passing('a')]), paths: ['p/parallel.0/a'] },
    {
      name: 'two arms',
      source: () =>
        pipeline('p').branch([
          [mentionsA, passing('a')],
          [otherwise, passing('a')],
        ]),
      paths: ['p/branch.0/a'],
    },
    { name: 'nested', source: () => deep(passing('before')), paths: [`${deepPath}/before`] },
    { name: 'a manual workflow', source: () => byHand(passing('a'), passing('a')), paths: ['by-hand/a'] },
  ],
  'pipeline/no-hook': [
    { name: 'alone', source: () => [{ id: 'idle' }], paths: ['processors/idle'] },
    {
      name: 'a misspelt hook',
      source: () => pipeline('p').then({ id: 'idle', procesInput: () => [] } as never),
      paths: ['p/idle'],
    },
    { name: 'nested', source: () => deep({ id: 'idle' }), paths: [`${deepPath}/idle`] },
  ],
  'pipeline/wrong-array': [
    {
      name: 'an output processor before the model',
      source: () => [blocking('late')],
      options: { lane: 'input' },
      paths: ['processors/late'],
    },
    {
      name: 'an input processor after the model',
      source: () => [passing('a'), streaming('b')],
      options: { lane: 'output' },
      paths: ['processors/a'],
    },
    {
      name: 'an output pipeline',
      source: () => pipeline('p').then(streaming('a')).then(retrying('b')),
      options: { lane: 'input' },
      paths: ['p'],
    },
    {
      name: 'a pipeline in an array',
      source: () => [passing('a'), pipeline('p').then(pipeline('q').parallel([streaming('b')]))],
      options: { lane: 'input' },
      paths: ['processors/p'],
    },
    { name: 'a manual workflow', source: () => byHand(blocking('a')), options: { lane: 'input' }, paths: ['by-hand'] },
  ],
  'pipeline/idle-guard': [
    {
      name: 'inside a pipeline',
      source: () => agentWith({ inputProcessors: pipeline('p').then(passing('a')).then(blocking('b')) }),
      paths: ['p/b'],
    },
    {
      name: 'nested',
      source: () => agentWith({ inputProcessors: [deep(streaming('b'))] }),
      paths: [`${deepPath}/b`],
    },
    {
      name: 'for input, after the model',
      source: () => agentWith({ outputProcessors: pipeline('p').parallel([passing('a'), streaming('b')]) }),
      paths: ['p/parallel.0/a'],
    },
    { name: 'a lane without an agent', source: () => deep(streaming('b')), options: { lane: 'input' }, paths: [`${deepPath}/b`] },
  ],
  'pipeline/unreachable-case': [
    {
      name: 'never',
      source: () =>
        pipeline('p').branch([
          [never, passing('a')],
          [mentionsA, passing('b')],
        ]),
      paths: ['p/branch.0/a'],
    },
    {
      name: 'never, asynchronously',
      source: () => pipeline('p').branch([[async () => false, pipeline('q').then(passing('a'))]]),
      paths: ['p/branch.0/q'],
    },
    {
      name: 'nested',
      source: () => deep(pipeline('p').branch([[never, passing('a')]])),
      paths: [`${deepPath}/p/branch.0/a`],
    },
  ],
  'pipeline/case-after-otherwise': [
    {
      name: 'otherwise first',
      source: () =>
        pipeline('p').branch([
          [otherwise, passing('a')],
          [mentionsA, passing('b')],
        ]),
      paths: ['p/branch.0/b'],
    },
    {
      name: 'otherwise twice',
      source: () =>
        pipeline('p').branch([
          [mentionsA, passing('a')],
          [otherwise, passing('b')],
          [otherwise, passing('c')],
        ]),
      paths: ['p/branch.0/c'],
    },
    {
      name: 'two arms after otherwise',
      source: () =>
        pipeline('p').branch([
          [async () => true, passing('a')],
          [mentionsA, passing('b')],
          [mentionsA, passing('c')],
        ]),
      paths: ['p/branch.0/b', 'p/branch.0/c'],
    },
    {
      name: 'nested',
      source: () =>
        deep(
          pipeline('p').branch([
            [otherwise, passing('a')],
            [mentionsA, passing('b')],
          ]),
        ),
      paths: [`${deepPath}/p/branch.0/b`],
    },
    { name: 'a manual workflow', source: () => armsByHand(), paths: ['by-hand/branch.0/b'] },
  ],
  'pipeline/parallel-writers': [
    {
      name: 'two editing guards',
      source: () => pipeline('p').parallel([editing('a'), editing('b')], { overlap: 'error' }),
      paths: ['p/parallel.0'],
    },
    {
      name: 'three editing guards',
      source: () => pipeline('p').parallel([editing('a'), editing('b'), editing('c')], { overlap: 'error' }),
      paths: ['p/parallel.0'],
    },
    {
      name: 'the overlap rule of the pipeline',
      source: () => pipeline('p', { overlap: 'error' }).parallel([editing('a'), editing('b')]),
      paths: ['p/parallel.0'],
    },
    {
      name: 'one in a nested pipeline',
      source: () =>
        pipeline('p').parallel([redactor({ strategy: 'replace' }), pipeline('q').then(new UnicodeNormalizer())], {
          overlap: 'error',
        }),
      paths: ['p/parallel.0'],
    },
    {
      name: 'two arms',
      source: () =>
        pipeline('p').branch(
          [
            [mentionsA, editing('a')],
            [otherwise, editing('b')],
          ],
          { overlap: 'error' },
        ),
      paths: ['p/branch.0'],
    },
    {
      name: 'nested',
      source: () => deep(pipeline('p').parallel([editing('a'), editing('b')], { overlap: 'error' })),
      paths: [`${deepPath}/p/parallel.0`],
    },
  ],
  'pipeline/unjudged-chunk': [
    {
      name: 'a branch without otherwise',
      source: () => pipeline('p').branch([[mentionsA, streaming('a')]]),
      paths: ['p/branch.0'],
    },
    {
      name: 'an otherwise arm that does not judge the stream',
      source: () =>
        pipeline('p').branch([
          [mentionsA, streaming('a')],
          [otherwise, passing('b')],
        ]),
      paths: ['p/branch.0'],
    },
    { name: 'a shadow guard', source: () => [guard(streaming('a'), { shadow: true })], paths: ['processors/a'] },
    {
      name: 'a sampled guard',
      source: () => [guard(streaming('a'), { sampleRate: 0.5 })],
      paths: ['processors/a'],
    },
    {
      name: 'a guard with onUnavailable pass',
      source: () => [guard(streaming('a'), { onUnavailable: 'pass' })],
      paths: ['processors/a'],
    },
    { name: 'nested', source: () => deep(streaming('a')), paths: ['outer/branch.1'] },
  ],
  'pipeline/over-budget': [
    {
      name: 'in sequence',
      source: () =>
        pipeline('p')
          .then(guard(passing('a'), { deadlineMs: 60 }))
          .then(guard(passing('b'), { deadlineMs: 50 })),
      options: { latencyBudgetMs: 100 },
      paths: ['p'],
    },
    { name: 'no deadline', source: () => [passing('a')], options: { latencyBudgetMs: 1_000_000 }, paths: ['processors'] },
    {
      name: 'two steps',
      source: () => [guard(passing('a', ['processInputStep']), { deadlineMs: 60 })],
      options: { latencyBudgetMs: 100, maxSteps: 2 },
      paths: ['processors'],
    },
    {
      name: 'two hooks in one state of the loop',
      source: () => [guard(passing('a', ['processLLMResponse', 'processOutputStep']), { deadlineMs: 60 })],
      options: { latencyBudgetMs: 100 },
      paths: ['processors'],
    },
    {
      name: 'one retry',
      source: () => [guard(passing('a', ['processOutputResult']), { deadlineMs: 60 })],
      options: { latencyBudgetMs: 100, maxProcessorRetries: 1 },
      paths: ['processors'],
    },
    {
      name: 'nested',
      source: () =>
        pipeline('p')
          .then(guard(passing('a'), { deadlineMs: 60 }))
          .then(
            pipeline('q').parallel([
              guard(passing('b'), { deadlineMs: 5 }),
              pipeline('r').then(guard(passing('c'), { deadlineMs: 41 })),
            ]),
          ),
      options: { latencyBudgetMs: 100 },
      paths: ['p'],
    },
    {
      name: 'a verdict that is rerun',
      source: () =>
        pipeline('p').parallel([guard(passing('a'), { deadlineMs: 51 }), guard(passing('b'), { deadlineMs: 50 })], {
          staleVerdicts: 'rerun',
        }),
      options: { latencyBudgetMs: 100 },
      paths: ['p'],
    },
    {
      name: 'overlapping with the model, and before it',
      source: () => [guard(passing('a'), { deadlineMs: 60 }), overlapping('b', ['processInput'], 41)],
      options: { latencyBudgetMs: 100 },
      paths: ['processors'],
    },
    {
      name: 'overlapping with the model without a deadline',
      source: () => [overlapping('a')],
      options: { latencyBudgetMs: 1 },
      paths: ['processors'],
    },
    {
      name: 'two lanes',
      source: () =>
        agentWith({
          inputProcessors: [guard(passing('a'), { deadlineMs: 60 })],
          outputProcessors: [guard(passing('b', ['processOutputResult']), { deadlineMs: 41 })],
        }),
      options: { latencyBudgetMs: 100 },
      paths: ['a'],
    },
  ],
  'guard/overlap-edits': [
    {
      name: 'a guard that declares edits',
      source: () => [guard(editing('a') as never, { overlap: true })],
      paths: ['processors/a'],
    },
    {
      name: 'a built-in guard',
      source: () => pipeline('p').then(guard(redactor({ strategy: 'replace' }) as never, { overlap: true })),
      paths: ['p/redactor'],
    },
    {
      name: 'a guard of Mastra',
      source: () => [guard(new UnicodeNormalizer() as never, { overlap: true })],
      paths: ['processors/unicode-normalizer'],
    },
    { name: 'nested', source: () => deep(guard(editing('a') as never, { overlap: true })), paths: [`${deepPath}/a`] },
  ],
  'guard/overlap-nowhere': [
    {
      name: 'an output judge after the model',
      source: () => [overlapping('a', ['processInput', 'processOutputStep'])],
      options: { lane: 'output' },
      paths: ['processors/a'],
    },
    {
      name: 'in a pipeline',
      source: () => pipeline('p').parallel([overlapping('a', ['processInputStep', 'processOutputResult']), streaming('b')]),
      options: { lane: 'output' },
      paths: ['p/parallel.0/a'],
    },
    {
      name: 'among the error guards',
      source: () => [passing('a', ['processAPIError']), overlapping('b', ['processInput', 'processAPIError'])],
      options: { lane: 'error' },
      paths: ['processors/b'],
    },
  ],
  'guard/overlap-before-edit': [
    { name: 'before an editor', source: () => pipeline('p').then(overlapping('a')).then(editing('b')), paths: ['p/a'] },
    {
      name: 'parallel to an editor',
      source: () => pipeline('p').parallel([editing('a'), overlapping('b')]),
      paths: ['p/parallel.0/b'],
    },
    {
      name: 'two nested ones',
      source: () =>
        pipeline('p')
          .then(pipeline('q').parallel([overlapping('a'), overlapping('b')]))
          .then(passing('c'))
          .then(pipeline('r').then(editing('d'))),
      paths: ['p/q/parallel.0/a', 'p/q/parallel.0/b'],
    },
    {
      name: 'in an arm, with an editor after the branch',
      source: () =>
        pipeline('p')
          .branch([[mentionsA, overlapping('a')]])
          .then(editing('b')),
      paths: ['p/branch.0/a'],
    },
    { name: 'in an array', source: () => [overlapping('a'), editing('b')], paths: ['processors/a'] },
  ],
  'guard/unbounded-pattern': [
    { name: 'no end', source: () => [patterned('a', Infinity)], paths: ['processors/a'] },
    { name: 'no length', source: () => [patterned('a', 0)], paths: ['processors/a'] },
    { name: 'a fraction', source: () => [patterned('a', 2.5)], paths: ['processors/a'] },
    {
      name: 'not a number',
      source: () => pipeline('p').parallel([patterned('a', Number.NaN), patterned('b', 20)]),
      paths: ['p/parallel.0/a'],
    },
    {
      name: 'nested',
      source: () => pipeline('p').then(pipeline('q').then(pipeline('r').then(patterned('a', Infinity)))),
      paths: ['p/q/r/a'],
    },
  ],
  'guard/judges-each-chunk': [
    {
      name: 'a guard that declares it',
      source: () => [guard(streaming('a', { judgesEachChunk: true }), { window: 'delta' })],
      paths: ['processors/a'],
    },
    {
      name: 'moderation by a model, in chunks',
      source: () => [guard(new ModerationProcessor(judge()), { window: 'chunk' })],
      paths: ['processors/moderation'],
    },
    {
      name: 'personal data by a model, in chunks',
      source: () =>
        agentWith({ outputProcessors: [guard(new PIIDetector({ ...judge(), strategy: 'block' }), { window: 'chunk' })] }),
      paths: ['a-output-processor/pii-detector'],
    },
    {
      name: 'patterns in chunks',
      source: () => pipeline('p').then(guard(filter('block'), { window: 'chunk' })),
      paths: ['p/regex-filter'],
    },
    {
      name: 'a chunk window',
      source: () => [guard(streaming('a', { judgesEachChunk: true }), { window: 'chunk' })],
      paths: ['processors/a'],
    },
    {
      name: 'nested',
      source: () =>
        pipeline('p').then(
          pipeline('q').parallel([
            streaming('a'),
            pipeline('r').then(guard(streaming('b', { judgesEachChunk: true }), { window: 'delta' })),
          ]),
        ),
      paths: ['p/q/parallel.0/r/b'],
    },
  ],
  'guard/passes-on-failure': [
    {
      name: 'a guard that declares it',
      source: () => [passing('a', ['processInput'], { passesOnFailure: true })],
      paths: ['processors/a'],
    },
    {
      name: 'a guard of the output, in an agent',
      source: () => agentWith({ outputProcessors: [streaming('a', { passesOnFailure: true })] }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'a nested one with a policy',
      source: () =>
        pipeline('p').parallel([
          passing('a'),
          pipeline('q').then(guard(streaming('b', { passesOnFailure: true }), { window: 'part', onUnavailable: 'trip' })),
        ]),
      paths: ['p/parallel.0/q/b'],
    },
  ],
  'guard/retry-without-budget': [
    {
      name: 'an agent without retries',
      source: () => agentWith({ outputProcessors: [retrying('a')] }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'a built-in guard, in a pipeline',
      source: () => agentWith({ outputProcessors: pipeline('p').then(qualityGuard()) }),
      paths: ['p/quality'],
    },
    { name: 'zero', source: () => [retrying('a')], options: { maxProcessorRetries: 0 }, paths: ['processors/a'] },
    { name: 'nested', source: () => deep(retrying('a')), options: { maxProcessorRetries: 0 }, paths: [`${deepPath}/a`] },
  ],
  'guard/holds-answer': [
    {
      name: 'of each step',
      source: () => agentWith({ outputProcessors: [passing('a', ['processOutputStep'], {})], hold: 'auto' }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'of each answer of the model, among the input guards',
      source: () => agentWith({ inputProcessors: [passing('a', ['processLLMResponse'], {})], hold: 'auto' }),
      paths: ['a-input-processor/a'],
    },
    {
      name: 'of the answer, although it sees the stream',
      source: () =>
        agentWith({
          outputProcessors: pipeline('p').then(passing('a', ['processOutputStream', 'processOutputResult'], {})),
          hold: 'auto',
        }),
      paths: ['p/a'],
    },
    {
      name: 'a map, which may edit what guards checked',
      source: () =>
        agentWith({
          outputProcessors: pipeline('p')
            .then(passing('a', ['processOutputStep'], { decides: [] }))
            .map(({ inputData }) => inputData),
          hold: 'auto',
        }),
      paths: ['p'],
    },
  ],
  'guard/late-edit': [
    {
      name: 'after each step',
      source: () => agentWith({ outputProcessors: [lateEditing('a')], hold: 'none' }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'at the end',
      source: () => [lateEditing('a', ['processOutputResult'])],
      options: { lane: 'output', hold: 'step' },
      paths: ['processors/a'],
    },
    {
      name: 'a pipeline without an agent',
      source: () => pipeline('p').then(lateEditing('a')),
      options: { hold: 'none' },
      paths: ['p/a'],
    },
  ],
  'guard/late-verdict': [
    {
      name: 'after each step',
      source: () => agentWith({ outputProcessors: [blocking('a')], hold: 'none' }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'at the end',
      source: () => [blocking('a', ['processOutputResult'])],
      options: { lane: 'output', hold: 'step' },
      paths: ['processors/a'],
    },
    {
      name: 'a pipeline without an agent',
      source: () => pipeline('p').then(blocking('a')),
      options: { hold: 'none' },
      paths: ['p/a'],
    },
    {
      name: 'at the end, with each step held',
      source: () => agentWith({ outputProcessors: [blocking('a', ['processOutputResult'])], hold: 'step' }),
      paths: ['a-output-processor/a'],
    },
    {
      name: 'a built-in guard',
      source: () => agentWith({ outputProcessors: pipeline('p').then(scriptGuard({ scripts: ['Latin'] })), hold: 'none' }),
      paths: ['p/script'],
    },
    {
      name: 'nested',
      source: () =>
        agentWith({
          outputProcessors: pipeline('p').then(pipeline('q').parallel([pipeline('r').then(blocking('a'))])),
          hold: 'none',
        }),
      paths: ['p/q/parallel.0/r/a'],
    },
  ],
};
