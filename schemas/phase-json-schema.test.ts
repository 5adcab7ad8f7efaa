import { expect, it } from 'vitest';
import { parsePayload, phaseSchemas, type PhaseName } from './index.js';
import { phaseJsonSchema } from './phase-payload.js';

const names = Object.keys(phaseSchemas) as PhaseName[];

it.each(names)('%s: every example is a valid payload after a JSON round trip', (phase) => {
  const { examples = [] } = phaseJsonSchema(phase);
  expect(examples).not.toEqual([]);
  for (const example of examples) expect(parsePayload(JSON.parse(JSON.stringify(example)))).toMatchObject({ phase });
});

it('describes fields and includes examples', () => {
  expect(phaseJsonSchema('toolResult')).toMatchObject({
    type: 'object',
    required: ['phase', 'messages', 'stepNumber', 'toolName', 'toolCallId'],
    properties: { toolName: { type: 'string', description: 'The tool that ran.' } },
    examples: [{ phase: 'toolResult', toolName: 'find-parcel' }],
  });
});
