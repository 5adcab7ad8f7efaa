import { z } from 'zod';
import { exampleAnswer } from '../example-messages.js';
import { lenientFields, listField, messageListField, recordField } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processOutputStream`: one chunk of the answer while it is being made. */
export const outputStreamPhaseSchema = openObject({
  phase: z.literal('outputStream').describe('At each chunk of the response.'),
  part: z.unknown().nullable().optional().describe('The chunk; null or absent if a processor dropped it.'),
  streamParts: listField.describe('The chunks so far.'),
  messageList: messageListField,
  ...lenientFields,
  state: recordField.describe('State that a processor keeps from chunk to chunk.'),
}).meta({
  examples: [
    {
      phase: 'outputStream',
      part: { type: 'text-delta', payload: { id: 'text', text: exampleAnswer } },
      streamParts: [],
      state: {},
    },
  ],
});
