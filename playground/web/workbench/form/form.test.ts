import { describe, expect, it } from 'vitest';
import { phaseSchemas, safeParsePayload, type PhaseName } from '../../../../schemas/index.js';
import { phaseJsonSchema } from '../../../../schemas/phase-payload.js';
import { carryOver, fieldOfError, readJson, setField } from './edit-payload.js';
import { wordsOf } from '../../components/text-pairs.js';
import { exampleOf, examplePayload } from './example-of.js';
import { formFieldsOf, type FormField } from './form-fields.js';
import type { JsonSchema, Payload } from './json-schema.js';
import { newRow, readRow, writeRow } from './message-row.js';

const now = '2026-11-22T08:00:00.000Z';
const names = Object.keys(phaseSchemas) as PhaseName[];
const schemaOf = (phase: PhaseName): JsonSchema => phaseJsonSchema(phase) as JsonSchema;
const fieldsOf = (phase: PhaseName): FormField[] => formFieldsOf(schemaOf(phase));
const kinds = (phase: PhaseName): Record<string, string> =>
  Object.fromEntries(fieldsOf(phase).map(({ name, kind }) => [name, kind]));

describe('fields', () => {
  it('have an input kind each, except fields that require code', () => {
    expect(kinds('inputStep')).toEqual({
      phase: 'fixed',
      messages: 'spoken',
      stepNumber: 'number',
      retryCount: 'number',
      state: 'json',
      steps: 'json',
      systemMessages: 'spoken',
      runId: 'text',
      messageId: 'text',
      model: 'json',
      tools: 'json',
      toolChoice: 'json',
      activeTools: 'texts',
      providerOptions: 'json',
      modelSettings: 'json',
      structuredOutput: 'json',
    });
    expect(kinds('llmResponse')).toMatchObject({ fromCache: 'choice', chunks: 'json', warnings: 'json' });
    expect(kinds('outputResult')).toMatchObject({ result: 'group' });
    expect(kinds('apiError')).toMatchObject({ decision: 'choice', error: 'json' });
  });

  it.each(names)('%s: has one fixed field', (phase) => {
    const fixed = fieldsOf(phase).filter(({ kind }) => kind === 'fixed');
    expect(fixed.map(({ schema }) => schema.const)).toEqual([phase]);
  });

  it('have titles derived from their names', () => {
    expect(['stepNumber', 'toolCallId', 'text'].map(wordsOf)).toEqual(['Step number', 'Tool call id', 'Text']);
  });
});

describe('examples', () => {
  it.each(names)('%s: are valid without the examples of the schema', (phase) => {
    const { examples: _, ...bare } = schemaOf(phase);
    expect(safeParsePayload(exampleOf(bare, now))).toMatchObject({ success: true });
  });

  it('use the first alternative and only required fields', () => {
    expect(exampleOf({ anyOf: [{ enum: ['auto', 'none'] }, { type: 'object' }] }, now)).toBe('auto');
    const properties = { at: { type: 'string', format: 'date-time' }, note: { type: 'string' } };
    expect(exampleOf({ type: 'object', properties, required: ['at'] }, now)).toEqual({ at: now });
  });
});

describe('rows of role and text', () => {
  const itemsOf = (phase: PhaseName, name: string): JsonSchema => schemaOf(phase).properties?.[name]?.items ?? {};

  it.each([
    ['messages', 'input', 'user'],
    ['systemMessages', 'input', 'system'],
    ['prompt', 'llmRequest', 'system'],
    ['prompt', 'llmRequest', 'user'],
  ] as const)('creates a valid row of %s in %s by %s that can be read back', (name, phase, role) => {
    const made = newRow(itemsOf(phase, name), { role, text: 'Hello' }, { number: 2, now });
    expect(readRow(made)).toEqual({ role, text: 'Hello' });
    expect(safeParsePayload({ ...examplePayload(schemaOf(phase), now), [name]: [made] })).toMatchObject({ success: true });
  });

  it('keeps fields that a row does not show', () => {
    const part = { type: 'text', text: 'Hi', providerMetadata: { a: 1 } };
    const message = { id: 'm', role: 'user', threadId: 't', mine: 1, content: { format: 2, content: 'Hi', parts: [part] } };
    expect(writeRow(message, { role: 'assistant', text: 'Ho' })).toEqual({
      ...message,
      role: 'assistant',
      content: { format: 2, content: 'Ho', parts: [{ ...part, text: 'Ho' }] },
    });
  });

  it('is undefined for a message with other parts than one text', () => {
    const parts = [
      { type: 'text', text: 'See' },
      { type: 'image', image: 'a.png' },
    ];
    for (const content of [{ format: 2, parts }, parts, [{ type: 'file' }], 7])
      expect(readRow({ role: 'user', content })).toBeUndefined();
    expect(readRow({ content: 'Hi' })).toBeUndefined();
  });

  it('returns text as a list of parts for every role but system', () => {
    expect(writeRow({ role: 'system', content: 'Hi' }, { role: 'user', text: 'Hi' }).content).toEqual([
      { type: 'text', text: 'Hi' },
    ]);
    expect(writeRow({ role: 'system', content: 'Hi' }, { role: 'system', text: 'Ho' }).content).toBe('Ho');
  });
});

describe('editing', () => {
  const place = (phase: PhaseName) => ({ example: examplePayload(schemaOf(phase), now), fields: fieldsOf(phase) });

  it('sets and removes one field and keeps the others', () => {
    const payload: Payload = { phase: 'input', mine: { deep: [1] }, runId: 'r' };
    expect(setField(payload, 'runId', 's')).toEqual({ ...payload, runId: 's' });
    expect(setField(payload, 'runId', undefined)).toEqual({ phase: 'input', mine: { deep: [1] } });
  });

  it('carries changed and unknown fields over to another phase', () => {
    const input = place('input');
    const messages = [{ id: 'm', role: 'user', content: {} }];
    const changed = { ...input.example, messages, runId: 'r', mine: 1 };
    const { messages: there, runId, mine, phase, result } = carryOver(changed, input, place('toolResult'));
    expect({ there, runId, mine, phase, result }).toEqual({
      there: messages,
      runId: 'r',
      mine: 1,
      phase: 'toolResult',
      result: place('toolResult').example['result'],
    });
    expect(carryOver(input.example, input, place('outputResult'))).toEqual(place('outputResult').example);
    expect(carryOver(changed, input, place('llmRequest'))).not.toHaveProperty('messages');
  });

  it('reads JSON, plain text if allowed, and empty input', () => {
    expect(readJson('{"a":1}', false)).toEqual({ value: { a: 1 } });
    expect(readJson(' ', false)).toEqual({ value: undefined });
    expect(readJson('auto', true)).toEqual({ value: 'auto' });
    expect(readJson('auto', false)).toHaveProperty('error');
    expect(readJson('{"a":', true)).toHaveProperty('error');
  });

  it('finds the field of an error', () => {
    expect(fieldOfError('input.messages.0.role', 'input')).toEqual({ field: 'messages', within: '0.role' });
    expect(fieldOfError('input', 'input')).toEqual({ field: 'input', within: '' });
  });
});
