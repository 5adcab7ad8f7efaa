import { MessageList } from '@mastra/core/agent/message-list';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

import { describeIssue, isPhaseName, phasePayloadSchema } from './phase-payload.js';
import {
  parsePayload,
  type PhaseName,
  type PhasePayload,
  phaseSchemas,
  ProcessorStepOutputSchema,
  safeParsePayload,
} from './index.js';
import { type InterlockError, isInterlockError } from '../src/errors.js';

class Instance {
  readonly secret = Symbol('kept');
}

const model = new Instance();
const messages = [
  { id: 'm', role: 'user', createdAt: new Date(0), content: { format: 2, parts: [{ type: 'text', text: 'Hi' }] } },
];

/** The least that each phase needs, as a form would send it. */
const least: Record<PhaseName, Record<string, unknown>> = {
  input: { messages },
  inputStep: { messages, stepNumber: 0 },
  llmRequest: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], model, stepNumber: 0 },
  apiError: { error: new Error('400'), messages, stepNumber: 0 },
  outputStream: { streamParts: [], state: {} },
  llmResponse: { chunks: [{ type: 'text-delta', payload: { text: 'Hi' } }], model, stepNumber: 0, fromCache: false },
  outputStep: { messages, stepNumber: 0 },
  toolResult: { messages, stepNumber: 0, toolName: 'weather', toolCallId: 'c' },
  outputResult: { messages },
};

/** Everything that is shared by reference, filled in for every phase. */
const rich = (phase: PhaseName): Record<string, unknown> => ({
  ...least[phase],
  phase,
  messageList: new MessageList(),
  retryCount: 1,
  state: { seen: 1 },
  steps: [new Instance()],
  runId: 'r',
  messageId: 'a',
  systemMessages: [{ role: 'system', content: 'Be brief.', tag: 'mine' }],
  requestContext: new Map([['user', 'u']]),
  notOurs: new Instance(),
});

const names = Object.keys(phaseSchemas) as PhaseName[];

/** The phase's own fields that hold something which must not be copied. */
const byReference: Partial<Record<PhaseName, Record<string, unknown>>> = {
  inputStep: {
    model: new Instance(),
    tools: { weather: new Instance() },
    toolChoice: { type: 'tool', toolName: 'weather' },
    providerOptions: { openai: {} },
    modelSettings: { temperature: 0 },
    structuredOutput: { schema: z.string() },
    rotateResponseMessageId: () => 'next',
  },
  llmRequest: { prompt: least.llmRequest.prompt, model },
  apiError: { error: new Instance(), rotateResponseMessageId: () => 'next' },
  outputStream: { part: { type: 'text-delta' }, streamParts: [{}] },
  llmResponse: {
    chunks: least.llmResponse.chunks,
    model,
    warnings: [{ type: 'other' }],
    request: {},
    rawResponse: new Instance(),
  },
  outputStep: {
    toolCalls: [{ toolName: 't', toolCallId: 'c', args: {} }],
    usage: { inputTokens: 1 },
    providerMetadata: { x: {} },
  },
  toolResult: { args: new Instance(), result: new Instance(), toolResultValue: new Instance() },
};

const arraysOfMessages = new Set(['messages', 'systemMessages']);

/** Whether a value is the given one; arrays of messages may be new ones, but what is in them may not. */
const isKept = (name: string, read: unknown, given: unknown): boolean => {
  if (!arraysOfMessages.has(name) || !Array.isArray(read) || !Array.isArray(given)) return read === given;
  return read.length === given.length && read.every((entry, index) => entry === given[index]);
};

describe.each(names)('%s', (phase) => {
  it('accepts the minimal payload without adding fields', () => {
    const payload = { phase, ...least[phase] };
    expect(parsePayload(payload)).toEqual(payload);
    // No keys are invented either: a row may ask which of two fields is there.
    expect(Object.keys(parsePayload(payload)).toSorted()).toEqual(Object.keys(payload).toSorted());
  });

  it('requires each field of the minimal payload', () => {
    for (const name of Object.keys(least[phase])) {
      const { [name]: _, ...rest } = least[phase];
      const result = phasePayloadSchema.safeParse({ phase, ...rest });
      expect(result.error?.issues.map(({ path }) => path)).toEqual([[name]]);
    }
  });

  it('keeps all fields by reference, also unknown ones', () => {
    const payload = { ...rich(phase), ...byReference[phase] };
    const read: Record<string, unknown> = parsePayload(payload);
    expect(Object.keys(read).toSorted()).toEqual(Object.keys(payload).toSorted());
    const copied = Object.entries(payload).filter(([name, value]) => !isKept(name, read[name], value));
    expect(copied.map(([name]) => name)).toEqual([]);
  });

  it('reads null as absent for fields that hold instances', () => {
    const read = parsePayload({ ...least[phase], phase, messageList: null, steps: null });
    expect(read).toMatchObject({ steps: undefined });
    expect('messageList' in read ? read.messageList : undefined).toBe(phase === 'llmResponse' ? null : undefined);
  });

  it('produces a JSON Schema with a description for every field', () => {
    const schema = z.toJSONSchema(phaseSchemas[phase], { io: 'input', unrepresentable: 'any' });
    const properties = Object.entries(schema.properties ?? {});
    expect(properties.length).toBeGreaterThan(8);
    const described = properties.filter(([, property]) => (property as { description?: string }).description?.endsWith('.'));
    expect(described).toEqual(properties);
    expect(schema.properties?.phase).toMatchObject({ const: phase });
    expect(schema.required).toEqual(expect.arrayContaining(['phase', ...Object.keys(least[phase])]));
    expect(schema.required).toHaveLength(Object.keys(least[phase]).length + 1);
  });
});

it('has nine phases, each keyed by its own name', () => {
  expect(names).toHaveLength(9);
  for (const name of names) expect(phaseSchemas[name].shape.phase.value).toBe(name);
  expectTypeOf<PhasePayload['phase']>().toEqualTypeOf<PhaseName>();
});

it('describes messages in the JSON Schema without references', () => {
  const schema = JSON.stringify(z.toJSONSchema(phaseSchemas.input, { io: 'input', unrepresentable: 'any' }));
  for (const known of ['"user"', '"date-time"', '"text"', '"tool-invocation"', '^data-']) expect(schema).toContain(known);
  expect(schema).not.toContain('$ref');
});

it('produces a JSON Schema of the output side, which Mastra requests', () => {
  const schema = z.toJSONSchema(phasePayloadSchema, { io: 'output', unrepresentable: 'any', target: 'draft-07' });
  expect(schema.oneOf).toHaveLength(9);
  expect(JSON.stringify(schema)).toContain('"tool-invocation"');
});

describe('a field that Mastra strips without validation', () => {
  it('is dropped if its value is invalid', () => {
    const payload = { phase: 'input', messages, state: 'x', runId: 1, messageId: {} };
    expect(parsePayload(payload)).toEqual({ phase: 'input', messages, state: undefined, runId: undefined, messageId: undefined });
  });

  it('is rejected in a phase that Mastra does not have', () => {
    for (const [name, value] of Object.entries({ state: 'x', runId: 1, messageId: {}, systemMessages: 'x' })) {
      const result = phasePayloadSchema.safeParse({ ...least.apiError, phase: 'apiError', [name]: value });
      expect(result.error?.issues.map(({ path }) => path)).toEqual([[name]]);
    }
  });
});

describe('ProcessorStepOutputSchema', () => {
  it('requires only a phase', () => {
    for (const phase of Object.keys(phaseSchemas)) expect(ProcessorStepOutputSchema.parse({ phase })).toEqual({ phase });
    expect(ProcessorStepOutputSchema.safeParse({}).success).toBe(false);
    expect(ProcessorStepOutputSchema.safeParse({ phase: 'bogus' }).success).toBe(false);
  });

  it('accepts any field of any phase, and unknown fields', () => {
    const given = {
      phase: 'input',
      prompt: [],
      chunks: [],
      toolName: 't',
      decision: 'retry',
      fromCache: true,
      part: null,
      mine: 1,
    };
    expect(ProcessorStepOutputSchema.parse(given)).toEqual(given);
  });

  it('rejects a value that no phase allows for a field', () => {
    expect(ProcessorStepOutputSchema.safeParse({ phase: 'input', messages: 'x' }).success).toBe(false);
    expect(ProcessorStepOutputSchema.safeParse({ phase: 'input', stepNumber: 'x' }).success).toBe(false);
    for (const chosen of ['openai/gpt', { id: 'a/b' }]) {
      expect(ProcessorStepOutputSchema.parse({ phase: 'inputStep', model: chosen }).model).toBe(chosen);
    }
    const result = { text: '', usage: {}, finishReason: 'stop', steps: [] };
    expect(ProcessorStepOutputSchema.parse({ phase: 'outputResult', result })).toEqual({ phase: 'outputResult', result });
    expect(ProcessorStepOutputSchema.parse({ phase: 'toolResult', result: 'sunny' }).result).toBe('sunny');
  });

  it('produces a JSON Schema with a description for every field', () => {
    const { properties = {}, required } = z.toJSONSchema(ProcessorStepOutputSchema, { io: 'input', unrepresentable: 'any' });
    expect(required).toEqual(['phase']);
    // Both kinds of result: anything a tool returned, and the answer of a run.
    expect(properties.result).toMatchObject({ anyOf: [{}, { required: expect.arrayContaining(['finishReason']) }] });
    for (const property of Object.values(properties)) expect(property).toHaveProperty('description');
    for (const { shape } of Object.values(phaseSchemas))
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(shape)));
  });
});

const message = (fields: object = {}, ...parts: unknown[]): object => ({
  id: 'm',
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts },
  ...fields,
});

const errorOf = (value: unknown): InterlockError => {
  const result = safeParsePayload(value);
  if (result.success) throw new Error('It was accepted.');
  return result.error;
};

const secret = 'my card is 4111 1111 1111 1111, call me at 555-0100 please';

describe('an unknown phase', () => {
  it.each([
    ['"bogus"', { phase: 'bogus' }],
    ['"constructor"', { phase: 'constructor' }],
    ['"__proto__"', { phase: '__proto__' }],
    ['nothing', {}],
    ['null', { phase: null }],
    ['5', { phase: 5 }],
    ['an object', { phase: {} }],
  ])('is rejected with the list of phases: %s', (found, value) => {
    const error = errorOf(value);
    expect(error).toMatchObject({ code: 'phase/unknown', path: 'phase' });
    expect(error.message).toContain(
      'expected one of input, inputStep, llmRequest, apiError, outputStream, llmResponse, outputStep, toolResult, outputResult ' +
        `but got ${found}.`,
    );
  });

  it('fails isPhaseName, unlike a known phase', () => {
    expect(isPhaseName('toolResult')).toBe(true);
    expect(isPhaseName('toString')).toBe(false);
  });
});

describe('an invalid payload', () => {
  it.each([
    ['payload', 'expected an object but got a number.', 5],
    ['payload', 'expected an object but got null.', null],
    ['payload', 'expected an object but got an array.', []],
    ['payload', 'expected an object but got nothing.', undefined],
    ['input.messages', 'expected an array but got nothing.', { phase: 'input' }],
    [
      'input.messages.0.role',
      'expected one of user, assistant, system, tool, signal but got "robot".',
      { phase: 'input', messages: [message({ role: 'robot' })] },
    ],
    [
      'outputStep.messages.1.createdAt',
      'expected a date or a string that can be parsed as one but got a string.',
      { phase: 'outputStep', stepNumber: 0, messages: [message(), message({ createdAt: 'soon' })] },
    ],
    [
      'outputResult.messages.0.content.parts.1.text',
      'expected a string but got an object.',
      { phase: 'outputResult', messages: [message({}, { type: 'step-start' }, { type: 'text', text: {} })] },
    ],
    [
      'input.messages.0.content.parts.0.image',
      'expected a string, a URL object or bytes but got a boolean.',
      { phase: 'input', messages: [message({}, { type: 'image', image: true })] },
    ],
    ['inputStep.stepNumber', 'expected a number but got NaN.', { phase: 'inputStep', messages: [], stepNumber: Number.NaN }],
    ['outputStream.state', 'expected an object but got an array.', { phase: 'outputStream', streamParts: [], state: [] }],
    ['outputStream.streamParts', 'expected an array but got an object.', { phase: 'outputStream', streamParts: {}, state: {} }],
    ['apiError.error', 'expected a value but got nothing.', { phase: 'apiError', messages: [], stepNumber: 0 }],
    [
      'apiError.decision',
      'expected retry but got "stop".',
      { phase: 'apiError', messages: [], stepNumber: 0, error: 1, decision: 'stop' },
    ],
    [
      'llmRequest.prompt.0.content',
      'expected a string or an array but got a number.',
      { phase: 'llmRequest', prompt: [{ role: 'user', content: 5 }], model: {}, stepNumber: 0 },
    ],
    [
      'llmRequest.prompt.0.content.1.type',
      'expected a string but got nothing.',
      { phase: 'llmRequest', prompt: [{ role: 'user', content: [{ type: 'text' }, {}] }], model: {}, stepNumber: 0 },
    ],
    ['llmRequest.model', 'expected a model but got a string.', { phase: 'llmRequest', prompt: [], model: 'a/b', stepNumber: 0 }],
    [
      'llmRequest.response.chunks.0.type',
      'expected a string but got nothing.',
      { phase: 'llmRequest', prompt: [], model: {}, stepNumber: 0, response: { chunks: [{}] } },
    ],
  ])('is rejected at %s: %s', (path, detail, value) => {
    const error = errorOf(value);
    expect(error).toMatchObject({ code: 'schema/invalid-payload', path });
    expect(error.message).toContain(`at ${path}: ${detail} `);
  });

  it('reports the number of problems and keeps all of them as the cause', () => {
    const error = errorOf({ phase: 'toolResult', messages: 1, stepNumber: 'x', toolName: 1, toolCallId: 'c' });
    expect(error.message).toContain('It is the first of 3 problems.');
    expect(error.cause).toBeInstanceOf(z.ZodError);
    expect((error.cause as z.ZodError).issues.map(({ path }) => path[0])).toEqual(['messages', 'stepNumber', 'toolName']);
  });

  it('reports errors without user text', () => {
    const errors = [
      errorOf({ phase: 'input', messages: secret }),
      errorOf({ phase: 'input', messages: [message({ role: secret })] }),
      errorOf({ phase: 'input', messages: [message({ createdAt: secret })] }),
      errorOf({ phase: 'outputStep', messages: [], stepNumber: secret }),
      errorOf({ phase: secret }),
    ];
    for (const { message: text, cause } of errors) expect(`${text} ${JSON.stringify(cause)}`).not.toContain('4111 1111');
  });
});

describe('parsePayload', () => {
  it('throws the error of safeParsePayload', () => {
    let thrown: unknown;
    try {
      parsePayload({ phase: 'input' });
    } catch (error) {
      thrown = error;
    }
    expect(isInterlockError(thrown, 'schema/invalid-payload')).toBe(true);
  });

  it('returns a payload that is discriminated by its phase', () => {
    const payload = parsePayload({ phase: 'toolResult', messages: [], stepNumber: 2, toolName: 't', toolCallId: 'c', result: 7 });
    expect(payload.phase === 'toolResult' && payload.result).toBe(7);
  });
});

describe('describeIssue', () => {
  it.each([
    [0, 'expected at least 1 but got 0.'],
    [1.5, 'expected an integer but got a number.'],
    [20, 'expected at most 9 but got 20.'],
  ])('reports the bound that %d violates', (n, detail) => {
    const { error } = z.object({ n: z.int().min(1).max(9) }).safeParse({ n });
    expect(describeIssue(error?.issues[0] as never, { n })).toEqual({ path: 'n', detail });
  });

  it('reports the required length of a text without the text', () => {
    const { error } = z.string().min(9).safeParse('secret');
    expect(describeIssue(error?.issues[0] as never, 'secret').detail).toBe('expected at least 9 characters but got a string.');
  });
});
