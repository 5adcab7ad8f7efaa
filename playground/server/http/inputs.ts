import { z } from 'zod';
import { entriesAtOnce } from '../../protocol/run-file.js';
import { runSorts } from '../../protocol/runs.js';

/** The schemas of requests. */

const id = z.string().min(1).max(200);

export const startRunSchema = z.object({
  text: z.string().min(1).max(100_000, 'The message is longer than 100,000 characters.'),
  threadId: id.optional(),
});

export const answerCallSchema = z.object({
  toolCallId: id,
  approved: z.boolean(),
  reason: z.string().max(10_000).optional(),
  data: z.unknown().optional(),
});

export const decideRunSchema = z.object({ agentId: id, runId: id, action: z.enum(['cancel', 'abandon']) });

const number = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

export const runQuerySchema = z.object({
  status: id.optional(),
  guard: id.optional(),
  agent: id.optional(),
  thread: id.optional(),
  parent: id.optional(),
  text: z.string().max(1_000).optional(),
  since: number(0, 1e15).optional(),
  sort: z.enum(runSorts).default('time'),
  before: id.optional(),
  limit: number(1, 200).default(50),
});

export const entriesQuerySchema = z.object({
  from: number(0, 1e9).default(0),
  limit: number(1, entriesAtOnce).default(entriesAtOnce),
});

export const seqSchema = number(0, 1e9);

export const guardQuerySchema = z.object({ reveal: z.enum(['0', '1']).optional() });

/** `all` includes words that no reader outside the run has seen. */
export const wordsQuerySchema = z.object({ words: z.enum(['all', 'seen']).default('seen') });

export const revealQuerySchema = z.object({ from: seqSchema.default(0), to: seqSchema.default(1e9) });

export const tryPhaseSchema = z.object({ phase: id, payload: z.unknown(), engine: z.enum(['plan', 'mastra']) });

const guardOptions = z.record(z.string(), z.unknown()).optional();

const chosenGuardSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('own'), pipelineId: id, path: z.string().min(1).max(1_000), options: guardOptions }),
  z.object({ kind: z.literal('ready'), name: id, options: guardOptions }),
]);

export const replaySchema = z.object({
  pipelines: z.record(id, id).default({}),
  guard: chosenGuardSchema.optional(),
  instead: id.optional(),
});

/** The module and the name from which a test imports the agent. */
export const fixtureQuerySchema = z.object({
  from: z.string().min(1).max(500).optional(),
  name: z
    .string()
    .regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u)
    .optional(),
});

export const forkSchema = z.object({
  messages: z.record(id, z.string().max(100_000)).default({}),
  results: z.record(id, z.unknown()).default({}),
  args: z.record(id, z.record(z.string(), z.unknown())).default({}),
  answers: z.record(z.string().regex(/^\d+\.\d+$/), z.string().max(100_000)).default({}),
  instructions: z.string().max(100_000).optional(),
  model: id.optional(),
  guard: chosenGuardSchema.optional(),
  instead: id.optional(),
});

const streamKind = z.enum(['text', 'reasoning', 'tool-input']);
const labText = z.string().max(20_000);

export const labStreamSchema = z.object({
  pipelineId: id,
  text: labText.default(''),
  kind: streamKind,
  cutting: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('characters') }),
    z.object({ kind: z.literal('random'), seed: z.number().int(), mean: z.number().min(1).max(10_000) }),
    z.object({ kind: z.literal('by-hand'), at: z.array(z.number().int().nonnegative()).max(20_000) }),
    z.object({
      kind: z.literal('recorded'),
      runId: id,
      stepNumber: z.number().int().nonnegative(),
      attempt: z.number().int().positive(),
    }),
  ]),
});

/** Each try is a run: texts are short, so that all cuts into two parts take only seconds. */
export const findLeakSchema = z.object({
  pipelineId: id,
  text: z.string().min(1).max(2_000),
  kind: streamKind,
  fragment: z.string().min(1).max(500),
  allowed: z.number().int().min(0).max(500).optional(),
  tries: z.number().int().min(0).max(5_000).optional(),
});
