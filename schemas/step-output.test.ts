import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { phaseSchemas, ProcessorStepOutputSchema } from './index.js';

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
    for (const model of ['openai/gpt', { id: 'a/b' }]) {
      expect(ProcessorStepOutputSchema.parse({ phase: 'inputStep', model }).model).toBe(model);
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
