import { z } from 'zod';
import { byReference } from './by-reference.js';
import type { HostField, HostTypes } from './host-types.js';
import { openObject } from './open-object.js';

/** A prompt in the provider's format: roles and content checked, the parts of a message left to the provider. */
export const promptField: HostField<'prompt'> = byReference<HostTypes['prompt']>(
  z.array(
    openObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']).describe('The role of the author.'),
      content: z
        .union([z.string(), z.array(openObject({ type: z.string().describe('The type of part.') }))])
        .describe('Text for the system, a list of parts for all others.'),
    }),
  ),
).describe('The prompt as sent to the provider.');

/** The model of a call, ready to be called. */
export const calledModelField: HostField<'calledModel'> = z
  .custom<HostTypes['calledModel']>((value) => typeof value === 'object' && value !== null, 'expected a model')
  .meta({ type: 'object' })
  .describe('The model of this call.');

/** The chunks of one call, without what ties them to a run, so that they can be kept and played again. */
export const chunksField: HostField<'chunks'> = byReference<HostTypes['chunks']>(
  z.array(
    openObject({
      type: z.string().describe('The type of chunk, e.g. text-delta.'),
      payload: z.unknown().optional().describe('The data of the chunk.'),
    }),
  ),
).describe('The chunks of the response, in order.');

const warningsField: HostField<'warnings'> = byReference(
  z.array(openObject({ type: z.string().describe('The kind of warning.') })),
);

/** The provider's report about a call, in addition to its chunks. */
export const callReport = {
  warnings: warningsField.optional().describe('Warnings from the provider, such as an unsupported setting.'),
  request: z.unknown().optional().describe('The body that was sent to the provider.'),
  rawResponse: z.unknown().optional().describe('The raw response of the provider.'),
};
