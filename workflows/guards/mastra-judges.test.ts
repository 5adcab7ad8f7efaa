import { Agent } from '@mastra/core/agent';
import { Classifier } from '@mastra/core/classifier';
import {
  ClassifierProcessor,
  LanguageDetector,
  ModerationProcessor,
  PIIDetector,
  PromptInjectionDetector,
  SystemPromptScrubber,
  type Processor,
} from '@mastra/core/processors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { guard, guardsFor, InterlockAgent, pipeline, verify } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** Mastra's model-based guards in our windows: the same objects, called once per window. */
const text =
  'The parcels left our warehouse on Mondays. It will arrive on Thursday, before noon. Is there more that I can do for you?';
const deltas = Array.from({ length: 60 }, (_, index) => text.slice(index * 2, index * 2 + 2));

/** A judge with one answer to every question. */
const judgeAnswering = (answer: object | ((prompt: string) => object)) =>
  scriptedModel({
    steps: ({ prompt }) => ({ text: JSON.stringify(typeof answer === 'function' ? answer(JSON.stringify(prompt)) : answer) }),
  });

const calm = { category_scores: null, reason: null };
const violent = { category_scores: [{ category: 'violence', score: 1 }], reason: 'threat' };

const answering = (outputProcessors: Processor[], pieces: readonly string[] = deltas) =>
  new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: '',
    model: scriptedModel({ steps: [{ text: pieces }] }),
    outputProcessors: outputProcessors as never,
  });

/** Streams an answer to its end. */
const streamed = async (agent: InterlockAgent) => {
  const stream = await agent.stream('Where is my parcel? Please tell me.');
  let emitted = '';
  for await (const part of stream.fullStream) if (part.type === 'text-delta') emitted += part.payload.text;
  return { status: stream.status, emitted };
};

const moderation = (model: ReturnType<typeof scriptedModel>) => new ModerationProcessor({ model, errorStrategy: 'strict' });

describe('ModerationProcessor in a window', () => {
  it.each([
    ['sentence', 3],
    ['part', 1],
    [{ chars: 40 }, 3],
  ] as const)('%j: needs a few calls for 60 deltas', async (window, calls) => {
    const judge = judgeAnswering(calm);
    const agent = answering([guard(moderation(judge), { window })]);
    expect(await streamed(agent)).toEqual({ status: 'success', emitted: text });
    // And once for the whole answer. Text that arrives while the judge is busy is judged together, so there may be fewer calls.
    expect(judge.calls.length).toBeGreaterThanOrEqual(2);
    expect(judge.calls.length).toBeLessThanOrEqual(calls + 1);
  });

  it.each(['block', 'filter', 'warn'] as const)('judges sentences by default, with the strategy %s', async (strategy) => {
    const judge = judgeAnswering(calm);
    const agent = answering([new ModerationProcessor({ model: judge, strategy })]);
    expect(await streamed(agent)).toEqual({ status: 'success', emitted: text });
    expect(judge.calls.length).toBeLessThanOrEqual(4);
  });

  it('releases no fragment of a blocked sentence', async () => {
    const judge = judgeAnswering((prompt) => (prompt.includes('hurt') ? violent : calm));
    const pieces = ['All is well. ', 'I will hu', 'rt you. ', 'And more.'];
    const { status, emitted } = await streamed(answering([guard(moderation(judge), { window: 'sentence' })], pieces));
    expect({ status, emitted: emitted.trim() }).toEqual({ status: 'tripwire', emitted: 'All is well.' });
  });
});

describe('other judges of Mastra', () => {
  const requests = async (
    make: (model: ReturnType<typeof scriptedModel>) => Processor,
    answer: object,
    lane: 'input' | 'output',
  ) => {
    const judge = judgeAnswering(answer);
    const processor = guard(make(judge), { window: 'sentence' });
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: [{ text: deltas }] }),
      ...(lane === 'input' ? { inputProcessors: [processor as never] } : { outputProcessors: [processor as never] }),
    });
    const { status } = await streamed(agent);
    return { status, calls: judge.calls.length };
  };

  it.each<[string, (model: ReturnType<typeof scriptedModel>) => Processor, object, 'input' | 'output']>([
    ['PIIDetector', (model) => new PIIDetector({ model, strategy: 'block' }), { categories: null, detections: null }, 'output'],
    [
      'SystemPromptScrubber',
      (model) => new SystemPromptScrubber({ model, strategy: 'block' }),
      { detections: null, reason: null },
      'output',
    ],
    ['PromptInjectionDetector', (model) => new PromptInjectionDetector({ model }), { categories: null, reason: null }, 'input'],
    [
      'LanguageDetector',
      (model) => new LanguageDetector({ model, targetLanguages: ['en'] }),
      { iso_code: 'en', confidence: 1 },
      'input',
    ],
  ])('%s passes a harmless answer in a few calls', async (_name, make, answer, lane) => {
    const { status, calls } = await requests(make, answer, lane);
    expect(status).toBe('success');
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(6);
  });
});

describe('ClassifierProcessor in a window', () => {
  /** An evaluation model that flags texts with the word as unsafe, and records its questions. */
  const evaluating = (word: string) => {
    const requests: string[] = [];
    const model: ConstructorParameters<typeof Classifier>[0]['model'] = {
      specificationVersion: 'v4',
      provider: 'scripted',
      modelId: 'scripted',
      supportedQuestionTypes: ['boolean'],
      doEvaluate: async ({ state }) => {
        const words = JSON.stringify(state).slice(1, -1); // the state is a text
        requests.push(words);
        return {
          answers: { unsafe: { type: 'boolean', probability: words.includes(word) ? 1 : 0 } },
          usage: { inputTokens: 1, outputTokens: 1 },
          warnings: [],
          response: {},
        };
      },
    };
    return { model, requests };
  };
  const classifying = (word: string, act: 'abort' | 'filter' = 'abort') => {
    const { model, requests } = evaluating(word);
    const classifier = new Classifier({ id: 'safety', model, questions: { unsafe: { type: 'boolean' } } });
    const processor = new ClassifierProcessor({
      classifier,
      onResult: ({ unsafe }, { abort, filter }) => {
        if (unsafe.probability < 0.5) return;
        if (act === 'abort') abort('Not safe.');
        filter();
      },
    });
    return { processor, requests };
  };

  it.each([
    ['sentence', 3],
    ['part', 1],
    [{ chars: 40 }, 3],
  ] as const)('%j: judges whole windows in a few calls', async (window, calls) => {
    const { processor, requests } = classifying('bomb');
    expect(await streamed(answering([guard(processor, { window })]))).toEqual({ status: 'success', emitted: text });
    expect(requests.slice(0, -1).join('')).toBe(text);
    expect(requests.at(-1)).toBe(text); // the whole answer, at the end
    expect(requests.length).toBeGreaterThanOrEqual(2);
    expect(requests.length).toBeLessThanOrEqual(calls + 1);
  });

  it('judges sentences by default, and finds a split word', async () => {
    const { processor } = classifying('hurt');
    const { status, emitted } = await streamed(answering([processor], ['All is well. I will hu', 'rt you. ', 'And more.']));
    expect({ status, emitted: emitted.trim() }).toEqual({ status: 'tripwire', emitted: 'All is well.' });
  });

  it('releases no fragment of an aborted sentence', async () => {
    const { processor } = classifying('hurt');
    const pieces = ['All is well. ', 'I will hu', 'rt you. ', 'And more.'];
    const { status, emitted } = await streamed(answering([guard(processor, { window: 'sentence' })], pieces));
    expect({ status, emitted: emitted.trim() }).toEqual({ status: 'tripwire', emitted: 'All is well.' });
  });

  it('removes a filtered sentence and releases the following text', async () => {
    const { processor } = classifying('hurt', 'filter');
    // Only in the stream: the whole answer would be filtered at the end.
    const only: Processor = { id: 'stream', processOutputStream: (args) => processor.processOutputStream(args) };
    const pieces = ['All is well. ', 'I will hu', 'rt you. ', 'And more.'];
    expect(await streamed(answering([guard(only, { window: 'sentence' })], pieces))).toEqual({
      status: 'success',
      emitted: 'All is well. And more.',
    });
  });

  it('judges the input', async () => {
    const { processor, requests } = classifying('parcel');
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: [{ text: 'no' }] }),
      inputProcessors: [guard(processor, { window: 'sentence' }) as never],
    });
    expect(await streamed(agent)).toEqual({ status: 'tripwire', emitted: '' });
    expect(requests).toEqual(['Where is my parcel? Please tell me.']);
  });
});

it('PIIDetector, which keeps text back itself, loses no chunk in a window', async () => {
  const pii = new PIIDetector({
    model: judgeAnswering({ categories: null, detections: null, redacted_content: null }),
    strategy: 'redact',
  });
  const agent = answering([guard(pii, { window: 'sentence' })], ['Write to ann@', 'secret.example. ', 'Thank you.']);
  const chunks: string[] = [];
  let emitted = '';
  for await (const part of (await agent.stream('Hi')).fullStream) {
    if (part.type.startsWith('text-')) chunks.push(part.type);
    if (part.type === 'text-delta') emitted += part.payload.text;
  }
  expect(emitted).toMatch(/^Write to a\S+ Thank you\.$/);
  expect(emitted).not.toContain('secret');
  expect([chunks[0], chunks.at(-1)]).toEqual(['text-start', 'text-end']);
});

describe('a Mastra judge with an unavailable model', () => {
  afterEach(() => void vi.restoreAllMocks());

  const down = () => scriptedModel({ steps: () => ({ error: new Error('down') }) });
  type Options = { errorStrategy?: 'strict' | 'warn' };
  const broken = new Classifier({
    id: 'safety',
    model: {
      specificationVersion: 'v4',
      provider: 'scripted',
      modelId: 'scripted',
      supportedQuestionTypes: ['boolean'],
      doEvaluate: () => Promise.reject(new Error('down')),
    },
    questions: { unsafe: { type: 'boolean' } },
  });
  const inputJudges = {
    ModerationProcessor: (options: Options) => new ModerationProcessor({ model: down(), ...options }),
    PIIDetector: (options: Options) => new PIIDetector({ model: down(), ...options }),
    PromptInjectionDetector: (options: Options) => new PromptInjectionDetector({ model: down(), ...options }),
    LanguageDetector: (options: Options) => new LanguageDetector({ model: down(), targetLanguages: ['en'], ...options }),
    ClassifierProcessor: (options: Options) =>
      new ClassifierProcessor({ classifier: broken, onResult: () => undefined, errorStrategy: 'warn', ...options }),
  };
  const outputJudges = {
    ModerationProcessor: inputJudges.ModerationProcessor,
    ClassifierProcessor: inputJudges.ClassifierProcessor,
    SystemPromptScrubber: (options: Options) => new SystemPromptScrubber({ model: down(), ...options }),
    PIIDetector: (options: Options) => new PIIDetector({ model: down(), detectionTypes: ['name'], ...options }),
  };
  const inLane = (lane: 'inputProcessors' | 'outputProcessors', processor: unknown) =>
    new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: () => ({ text: ['We', 'll. Good', ' day.'] }) }),
      [lane]: [processor],
    });
  /** How a streamed run ends, with the text that was emitted. */
  const endOf = async (agent: InterlockAgent) => {
    const stream = await agent.stream('Where is my parcel? Please tell me.');
    let emitted = '';
    for await (const part of stream.fullStream) if (part.type === 'text-delta') emitted += part.payload.text;
    const { status, tripwire, error, runEvents } = stream;
    const ends = status === 'failed' ? (error as { code?: string }).code : tripwire?.kind;
    return { status, emitted, ends, isBypassed: runEvents.some(({ type }) => type === 'guard-bypass') };
  };

  const cases = [
    ...Object.entries(inputJudges).map(([name, make]) => [name, 'inputProcessors', make] as const),
    ...Object.entries(outputJudges).map(([name, make]) => [name, 'outputProcessors', make] as const),
  ];

  it.each(cases)('%s in %s is unavailable, so its policy decides', async (name, lane, make) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const judge = make({});
    const agent = inLane(lane, judge);
    expect(verify(agent).map(({ code }) => code)).not.toContain('guard/passes-on-failure');
    await expect(agent.generate('Where is my parcel? Please tell me.')).rejects.toThrow(
      /guard\/unavailable.*because the (internal model|classifier) call failed/,
    );
    expect(await endOf(agent)).toMatchObject({ status: 'failed', emitted: '', ends: 'guard/unavailable' });
    const strict = await endOf(inLane(lane, make({ errorStrategy: 'strict' })));
    expect(strict).toMatchObject({ status: 'tripwire', emitted: '', ends: 'unavailable' });
    const passing = await endOf(inLane(lane, guard(judge, { onUnavailable: 'pass' })));
    expect(passing).toEqual({
      status: 'success',
      emitted: 'Well. Good day.',
      ends: undefined,
      isBypassed: name !== 'PIIDetector',
    });
    expect(Reflect.get(judge, 'errorStrategy')).toBe('warn'); // unchanged for other agents that use it
  });

  it.each(cases)('%s in %s fails closed if an outer policy does', async (_name, lane, make) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const judge = guard(guard(make({}), { onUnavailable: 'pass' }), { onUnavailable: 'fail' });
    expect(await endOf(inLane(lane, judge))).toMatchObject({ status: 'failed', emitted: '', ends: 'guard/unavailable' });
  });

  it('blocks in Mastra’s own agent, in a workflow and in the AI SDK', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const judge = inputJudges.ModerationProcessor({});
    const guards = pipeline('moderation').then(judge).commit();
    const stock = new Agent({
      id: 's',
      name: 's',
      instructions: '',
      model: scriptedModel({ steps: () => ({ text: 'Well.' }) }),
      ...guardsFor(guards),
    });
    const stockResult = await stock.generate('Where is it?').catch((error: unknown) => String(error));
    expect(JSON.stringify(stockResult)).toContain('guard/unavailable');
    const run = await guards.createRun();
    const messages = [
      { id: 'm', role: 'user', content: { format: 2, parts: [{ type: 'text', text: 'Hi' }] }, createdAt: new Date() },
    ];
    const { status } = await run.start({ inputData: { phase: 'input', messages } });
    expect(status).toBe('failed');
    const loop = guardedToolLoop({ model: scriptedModel({ steps: () => ({ text: 'Well.' }) }), guards: [judge] });
    await expect(loop.generate({ prompt: 'Where is it?' })).rejects.toThrow('because the internal model call failed');
  });

  it('abides by its own verdict if the model answers', async () => {
    const judge = new ModerationProcessor({ model: judgeAnswering(violent) });
    const { status, emitted } = await streamed(answering([judge]));
    expect({ status, emitted }).toEqual({ status: 'tripwire', emitted: '' });
  });
});
