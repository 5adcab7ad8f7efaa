import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { compile, isInterlockError, otherwise, pipeline, type Condition, type Pipeline } from '../../src/index.js';
import type { PhaseData } from '../../src/phase/row.js';
import { createHost, scopeOfStep } from '../../src/mastra/workflow/scope.js';
import { throwing, tripping } from '../../src/testing/index.js';
import { textOf, withText } from './support.js';

const edit = (id: string, change: (text: string) => string): Processor => ({
  id,
  processInput: ({ messages }) => messages.map((message) => withText(message, change)),
});
const replace = (id: string, from: string, to: string) => edit(id, (text) => text.replace(from, to));
const add = (id: string): Processor => ({
  id,
  processInput: ({ messages }) => [...messages, message(`added by ${id}`, id)],
});
const system = (id: string): Processor => ({
  id,
  processInput: ({ messages, systemMessages }) => ({
    messages,
    systemMessages: [...systemMessages, { role: 'system', content: id }],
  }),
});
const contains =
  (word: string): Condition =>
  ({ inputData }) =>
    textOf((inputData as PhaseData<'input'>).messages[0]).includes(word);
const never: Condition = () => false;
const failing: Condition = () => {
  throw new Error('no answer');
};

const message = (text: string, id = 'm1'): MastraDBMessage => ({
  id,
  role: 'user',
  createdAt: new Date(1_000),
  content: { format: 2, parts: [{ type: 'text', text }] },
});

const shapes: Record<string, () => Pipeline> = {
  then: () =>
    pipeline('p')
      .then(replace('a', 'one', '1'))
      .then(replace('b', '1', 'I')),
  'a function': () =>
    pipeline('p')
      .then((payload) => ({ ...payload, retryCount: 3 }))
      .then(replace('a', 'one', '1')),
  'a function that edits messages': () =>
    pipeline('p')
      .then(replace('a', 'one', '1'))
      .then((payload) => ({
        ...payload,
        messages: (payload as PhaseData<'input'>).messages.map((each) => withText(each, (text) => text.toUpperCase())),
      }))
      .then(replace('b', 'TWO', '2')),
  'a condition over what a guard added in place': () =>
    pipeline('p')
      .then({ id: 'a', processInput: ({ messageList }) => void messageList.add(message('added', 'a'), 'input') as never })
      .branch([[({ inputData }) => (inputData as PhaseData<'input'>).messages.length === 2, replace('b', 'one', '1')]]),
  'two functions of one name': () => {
    const note = () => undefined;
    return pipeline('p')
      .then(note)
      .then(note)
      .parallel([note, replace('a', 'one', '1')]);
  },
  'parallel with two edits': () => pipeline('p').parallel([replace('a', 'one', '1'), replace('b', 'three', '3')]),
  'parallel with edits of the same words': () =>
    pipeline('p').parallel([replace('a', 'one two', '[a]'), replace('b', 'two three', '[bb]')]),
  'parallel with additions': () => pipeline('p').parallel([add('a'), add('b')]),
  'parallel with system messages': () => pipeline('p').parallel([system('a'), replace('b', 'one', '1')]),
  'parallel with a read-only branch': () => pipeline('p').parallel([edit('a', (text) => text), replace('b', 'one', '1')]),
  'parallel after a step': () =>
    pipeline('p')
      .then(replace('z', 'two', '2'))
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')]),
  'parallel after parallel': () =>
    pipeline('p')
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')])
      .parallel([replace('c', '1', 'I'), replace('d', '3', 'III')]),
  'parallel of pipelines': () =>
    pipeline('p').parallel([
      pipeline('q')
        .then(replace('a', 'one', '1'))
        .then(replace('b', '1', 'I')),
      pipeline('r').parallel([replace('c', 'two', '2'), replace('d', 'three', '3')]),
    ]),
  'map after parallel': () =>
    pipeline('p')
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')])
      .map(({ inputData }) => inputData['processor:a'])
      .then(replace('c', 'two', '2')),
  'map after parallel that returns its input': () =>
    pipeline('p')
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')])
      .map(({ inputData }) => inputData)
      .then(replace('c', 'two', '2')),
  'map after parallel that edits the payload': () =>
    pipeline('p')
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')])
      .map(({ inputData }) => ({ ...inputData, messages: inputData.messages?.toReversed() }))
      .then(replace('c', 'two', '2')),
  'map over the payload': () =>
    pipeline('p')
      .map(({ inputData }) => ({ ...inputData, retryCount: 2 }))
      .then(replace('a', 'one', '1')),
  'map that changes nothing': () =>
    pipeline('p')
      .then(replace('a', 'one', '1'))
      .map(() => undefined),
  'a branch with no arm that holds': () =>
    pipeline('p')
      .branch([[never, replace('a', 'one', '1')]])
      .then(replace('b', 'two', '2')),
  'a branch with one arm that holds': () =>
    pipeline('p').branch([
      [contains('one'), replace('a', 'one', '1')],
      [contains('nine'), replace('b', 'three', '3')],
    ]),
  'a branch with two arms that hold': () =>
    pipeline('p').branch([
      [contains('one'), replace('a', 'one', '1')],
      [otherwise, replace('b', 'three', '3')],
    ]),
  'two branches': () =>
    pipeline('p')
      .branch([[contains('one'), replace('a', 'one', '1')]])
      .branch([
        [contains('1'), replace('b', 'two', '2')],
        [never, replace('c', 'three', '3')],
      ]),
  'a branch of pipelines': () =>
    pipeline('p').branch([
      [
        otherwise,
        pipeline('q')
          .then(replace('a', 'one', '1'))
          .then(replace('b', '1', 'I')),
      ],
    ]),
  'three pipelines deep': () =>
    pipeline('p').then(
      pipeline('q')
        .then(pipeline('r').parallel([replace('a', 'one', '1'), replace('b', 'three', '3')]))
        .then(replace('c', '1', 'I')),
    ),
  'a branch whose condition throws': () =>
    pipeline('p').branch([
      [failing, replace('a', 'one', '1')],
      [otherwise, replace('b', 'two', '2')],
    ]),
  'a condition that throws after one that holds': () =>
    pipeline('p').branch([
      [otherwise, replace('a', 'one', '1')],
      [failing, replace('b', 'two', '2')],
    ]),
  'a trip': () =>
    pipeline('p')
      .then(tripping('processInput', 'No.', { id: 't', metadata: { a: 1 } }))
      .then(replace('a', 'one', '1')),
  'a retry': () => pipeline('p').then(tripping('processInput', 'Again.', { id: 't', retry: true })),
  'a trip in a nested pipeline': () =>
    pipeline('p').then(pipeline('q').then(pipeline('r').then(tripping('processInput', 'No.', { id: 't' })))),
  'a trip in parallel': () => pipeline('p').parallel([replace('a', 'one', '1'), tripping('processInput', 'No.', { id: 't' })]),
  'a trip in a pipeline in parallel': () =>
    pipeline('p').parallel([replace('a', 'one', '1'), pipeline('q').then(tripping('processInput', 'No.', { id: 't' }))]),
  'a trip in a branch': () => pipeline('p').branch([[otherwise, tripping('processInput', 'No.', { id: 't' })]]),
  'a throw': () => pipeline('p').then(throwing('processInput', new Error('broken'), { id: 't' })),
  'a throw in parallel': () =>
    pipeline('p').parallel([replace('a', 'one', '1'), throwing('processInput', new Error('broken'), { id: 't' })]),
  'a throw in a nested pipeline': () =>
    pipeline('p').then(pipeline('q').then(throwing('processInput', new Error('broken'), { id: 't' }))),
  'a function that returns nonsense': () => pipeline('p').then(() => 42),
  'a hook that returns nonsense': () => pipeline('p').then({ id: 'n', processInput: () => 42 as never }),
};

interface Outcome {
  kind: string;
  reason?: string;
  metadata?: unknown;
  processorId?: string;
  code?: string;
  texts?: string[];
  systems?: unknown[];
}

const { messages: port } = createHost();
const payload = (): PhaseData<'input'> => ({
  phase: 'input',
  messages: [message('one two three')],
  messageList: port.create([message('one two three')], [{ role: 'system', content: 'Be kind.' }], 'input'),
  systemMessages: [{ role: 'system', content: 'Be kind.' }],
});

const read = (data: PhaseData<'input'>): Outcome => {
  const list = data.messageList ?? port.create(data.messages, [], 'input');
  return {
    kind: 'passed',
    texts: port.read(list, 'all').map(textOf),
    systems: port.readSystem(list).map(({ content }) => content),
  };
};

const onPlan = async (source: Pipeline): Promise<Outcome> => {
  const data = payload();
  const verdict = await compile(source).run('input', data, scopeOfStep({ inputData: data }));
  switch (verdict.kind) {
    case 'pass':
      return read(data);
    case 'edit':
      return read(verdict.data);
    case 'trip':
    case 'retry':
      return { kind: verdict.kind, reason: verdict.reason, metadata: verdict.metadata, processorId: verdict.processorId };
    case 'unavailable':
      return { kind: 'failed', code: isInterlockError(verdict.error) ? verdict.error.code : 'guard/unavailable' };
    default:
      return verdict satisfies never;
  }
};

interface RunResult {
  status: string;
  result?: PhaseData<'input'>;
  tripwire?: { reason: string; retry?: boolean; metadata?: unknown; processorId?: string };
  error?: Error & { code?: string };
}

const onEngine = async (workflow: AnyWorkflow): Promise<Outcome> => {
  const run = await workflow.createRun();
  const { status, result, tripwire, error } = (await run.start({ inputData: payload() })) as RunResult;
  if (status === 'success' && result) return read(result);
  if (!tripwire) return { kind: status, code: /\[([a-z]+\/[a-z-]+)\]/.exec(error?.message ?? '')?.[1] };
  const { reason, retry, metadata, processorId } = tripwire;
  return { kind: retry ? 'retry' : 'trip', reason, metadata, processorId };
};

describe('the plan and Mastra’s engine agree', () => {
  it.each(Object.entries(shapes))('on %s', async (_name, shape) => {
    const planned = await onPlan(shape());
    const executed = await onEngine(shape().commit());
    expect(executed).toEqual(planned);
  });

  it.each(Object.entries(shapes))('on %s, passed as JSON', async (_name, shape) => {
    const { messageList: _list, systemMessages: _systems, ...data } = payload();
    const planned = await onPlan(shape());
    const run = await shape().commit().createRun();
    const { status, result } = (await run.start({ inputData: JSON.parse(JSON.stringify(data)) as never })) as RunResult;
    expect(status).toBe({ passed: 'success', trip: 'tripwire', retry: 'tripwire', failed: 'failed' }[planned.kind]);
    if (result) expect(result.messages.map(textOf)).toEqual(planned.texts);
  });
});

it('a condition runs once per payload', async () => {
  let calls = 0;
  const counting: Condition = () => {
    calls += 1;
    return true;
  };
  const shape = () =>
    pipeline('p').branch([
      [counting, replace('a', 'one', '1')],
      [counting, replace('b', 'three', '3')],
    ]);
  await onPlan(shape());
  expect(calls).toBe(2);
  calls = 0;
  await onEngine(shape().commit());
  expect(calls).toBe(2);
});
