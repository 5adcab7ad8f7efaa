import {
  LanguageDetector,
  ModerationProcessor,
  PIIDetector,
  PromptInjectionDetector,
  SystemPromptScrubber,
  type Processor,
} from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** Mastra's guards that ask a model, in our windows: the same objects, asked as often as the window says. */
const text =
  'The parcels left our warehouse on Mondays. It will arrive on Thursday, before noon. Is there more that I can do for you?';
const deltas = Array.from({ length: 60 }, (_, index) => text.slice(index * 2, index * 2 + 2));

/** A judge that answers every question with this. */
const judgeSaying = (answer: object | ((prompt: string) => object)) =>
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
  let left = '';
  for await (const part of stream.fullStream) if (part.type === 'text-delta') left += part.payload.text;
  return { status: stream.status, left };
};

const moderation = (model: ReturnType<typeof scriptedModel>) => new ModerationProcessor({ model, errorStrategy: 'strict' });

describe('ModerationProcessor in a window', () => {
  it.each([
    ['sentence', 3],
    ['part', 1],
    [{ chars: 40 }, 3],
  ] as const)('%j: 60 deltas cost a handful of calls', async (window, calls) => {
    const judge = judgeSaying(calm);
    const agent = answering([guard(moderation(judge), { window })]);
    expect(await streamed(agent)).toEqual({ status: 'success', left: text });
    // And once for the whole answer. What came while the judge was busy is judged at once, so that there may be fewer.
    expect(judge.calls.length).toBeGreaterThanOrEqual(2);
    expect(judge.calls.length).toBeLessThanOrEqual(calls + 1);
  });

  it('without a window each delta costs a call, as in Mastra', async () => {
    const judge = judgeSaying(calm);
    expect(await streamed(answering([moderation(judge)]))).toEqual({ status: 'success', left: text });
    expect(judge.calls.length).toBe(deltas.length + 1);
  });

  it('a sentence that is blocked does not leave, nor a piece of it', async () => {
    const judge = judgeSaying((prompt) => (prompt.includes('hurt') ? violent : calm));
    const pieces = ['All is well. ', 'I will hu', 'rt you. ', 'And more.'];
    const { status, left } = await streamed(answering([guard(moderation(judge), { window: 'sentence' })], pieces));
    expect({ status, left: left.trim() }).toEqual({ status: 'tripwire', left: 'All is well.' });
  });
});

describe('the others', () => {
  const asked = async (
    make: (model: ReturnType<typeof scriptedModel>) => Processor,
    answer: object,
    lane: 'input' | 'output',
  ) => {
    const judge = judgeSaying(answer);
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
  ])('%s passes what is fine, in a handful of calls', async (_name, make, answer, lane) => {
    const { status, calls } = await asked(make, answer, lane);
    expect(status).toBe('success');
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(6);
  });
});
