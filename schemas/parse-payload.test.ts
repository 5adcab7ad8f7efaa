import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isInterlockError, type InterlockError } from '../src/errors.js';
import { describeIssue } from './parse-payload.js';
import { isPhaseName, parsePayload, safeParsePayload } from './index.js';

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
    for (const { message: text, cause } of errors) expect(`${text} ${JSON.stringify(cause)}`).not.toContain('4111');
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
