import { z } from 'zod';

/** What requests may say. */

const id = z.string().min(1).max(200);

export const startRunSchema = z.object({ text: z.string().min(1).max(100_000), threadId: id.optional() });

export const answerCallSchema = z.object({
  toolCallId: id,
  approved: z.boolean(),
  reason: z.string().max(10_000).optional(),
  data: z.unknown().optional(),
});

const number = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

export const runQuerySchema = z.object({
  status: id.optional(),
  guard: id.optional(),
  agent: id.optional(),
  thread: id.optional(),
  text: z.string().max(1_000).optional(),
  before: id.optional(),
  limit: number(1, 200).default(50),
});

export const entriesQuerySchema = z.object({ from: number(0, 1e9).default(0), limit: number(1, 5_000).default(5_000) });
