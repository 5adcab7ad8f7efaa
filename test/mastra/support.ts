import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { createTool } from '@mastra/core/tools';
import { expect } from 'vitest';
import { z } from 'zod';

import {
  InterlockAgent,
  isInterlockError,
  type InterlockError,
  type ErrorCode,
  type InterlockAgentConfig,
} from '../../src/index.js';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';

type Step = ScriptedStep<'v2'>;
type Text = string | readonly string[];

export const modes = ['generate', 'stream'] as const;
export type Mode = (typeof modes)[number];

/** An agent over a scripted model, and the model. */
export const makeAgent = (steps: readonly Step[] | Text = 'Hello.', config: Partial<InterlockAgentConfig> = {}) => {
  const model = scriptedModel({ steps: scriptOf(steps) });
  const base = { id: 'tested', name: 'Tested', instructions: 'Answer.', model };
  const agent = new InterlockAgent({ ...base, ...(config as object) });
  return { agent, model };
};

const scriptOf = (steps: readonly Step[] | Text): readonly Step[] => {
  if (typeof steps === 'string') return [{ text: steps }];
  return typeof steps[0] === 'string' ? [{ text: steps as readonly string[] }] : (steps as readonly Step[]);
};

/** One tool call, then an answer. */
export const callThen = (name: string, args: unknown = {}, text = 'Done.'): Step[] => [{ toolCalls: [{ name, args }] }, { text }];

/** A tool that repeats its input, under a given name. */
export const echoAs = (id: string, onCall: () => void = () => undefined) =>
  createTool({
    id,
    description: 'Says what it was given.',
    inputSchema: z.object({ say: z.string() }),
    execute: async ({ say: text }) => {
      onCall();
      return { said: text };
    },
  });

/** A tool that repeats its input. */
export const echo = echoAs('echo');

/** A tool that always fails. */
export const failing = createTool({
  id: 'failing',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: async () => {
    throw new Error('out of order');
  },
});

/** The text of a message's parts. */
export const textOf = (message: MastraDBMessage | undefined): string =>
  message?.content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

/** A message with its text replaced. */
export const withText = (message: MastraDBMessage, change: (text: string) => string): MastraDBMessage => ({
  ...message,
  content: {
    ...message.content,
    parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part)),
  },
});

type Turn = [role: string, ...parts: string[]];

/** The model's input in a call, without ids and times: role by role, the text or type of each part. */
export const promptOf = (model: ScriptedModel, call = 0): Turn[] =>
  (model.calls[call]?.prompt ?? []).map(({ role, content }): Turn =>
    typeof content === 'string' ? [role, content] : [role, ...content.map((part) => ('text' in part ? part.text : part.type))],
  );

/** The model's input text under a role. */
export const sentText = (model: ScriptedModel, role: string, call = 0): string =>
  promptOf(model, call)
    .filter(([own]) => own === role)
    .flatMap(([, ...parts]) => parts)
    .join('\n');

/** Expects a rejection with a code before any model call, and returns the error. */
export const expectRefusal = async (
  code: ErrorCode,
  model: Pick<ScriptedModel, 'calls'>,
  act: () => unknown,
): Promise<InterlockError> => {
  const error: unknown = await Promise.resolve()
    .then(act)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error, `a refusal with ${code}`).toBeDefined();
  expect(isInterlockError(error) ? error.code : error).toBe(code);
  expect(model.calls).toHaveLength(0);
  return error as InterlockError; // its code was compared above
};

/** Waits for all pending turns of the event loop. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** All values of a stream. */
export const all = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
};
