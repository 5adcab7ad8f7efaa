import { traceOfKind, type Trace } from '../../../src/replay.js';
import { readContents } from '../../../src/trace/contents.js';
import type { PromptMessage, PromptView, StudioEntry } from '../../protocol/trace-entry.js';

/** The request of each model call, in order. Calls and their events have the same order. */
export const promptsOf = (trace: Trace, entries: readonly StudioEntry[]): PromptView[] => {
  const read = readContents(trace);
  const calls = entries.filter((entry) => entry.kind === 'event' && entry.event.type === 'model-call');
  return traceOfKind(trace, 'prompt').flatMap(({ stepNumber, attempt, modelId, provider, request }, index) => {
    const { prompt, ...settings } = request ? read(request) : {};
    const messages = Array.isArray(prompt) ? prompt.map(messageOf) : [];
    return [{ seq: calls[index]?.seq ?? 0, stepNumber, attempt, modelId, provider, messages, settings }];
  });
};

/** A message of the model's protocol: its content is a text, or a list of parts. */
const messageOf = (message: { readonly role: string; readonly content?: unknown }): PromptMessage => {
  const { role, content } = message;
  if (!Array.isArray(content)) return { role, text: typeof content === 'string' ? content : '', parts: [] };
  const parts = content as readonly { readonly type?: string; readonly text?: string }[];
  return {
    role,
    text: parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n'),
    parts: parts.filter(({ type }) => type !== 'text'),
  };
};
