import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { StoredPart } from '../plain/to-stored.js';
import type { AnyMessage } from './spec.js';

/** A part of a message in a model's prompt. */
type Sent = { readonly type: string } & Readonly<Record<string, unknown>>;

type Invocation = Extract<StoredPart, { type: 'tool-invocation' }>['toolInvocation'];

/** A message that guards created or recreated, as messages of a model's prompt; the results of its tools follow it. */
export const toModelMessages = ({ role, content }: MastraDBMessage): AnyMessage[] => {
  if (role === 'user') {
    const own = content.parts.flatMap(sentPart);
    return own.length > 0 ? [{ role, content: own } as unknown as AnyMessage] : []; // parts as the AI SDK types them
  }
  return stepsIn(content.parts).flatMap((parts) => {
    const own = parts.flatMap(sentPart);
    const results = parts.flatMap(sentResult);
    const messages = [
      { role: 'assistant', content: own },
      { role: 'tool', content: results },
    ];
    return messages.filter((message) => message.content.length > 0) as unknown as AnyMessage[]; // see above
  });
};

/** The parts of each step of a response. A step's results come before the next step's text. */
const stepsIn = (parts: readonly StoredPart[]): StoredPart[][] => {
  const steps: StoredPart[][] = [[]];
  for (const part of parts)
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  return steps;
};

const sentPart = (part: StoredPart): Sent[] => {
  const { providerMetadata } = part as { providerMetadata?: unknown };
  const options = providerMetadata ? { providerOptions: providerMetadata } : {};
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.reasoning, ...options }];
  if (part.type === 'file') {
    const { data, mimeType, filename } = part as typeof part & { filename?: string }; // as it was stored
    return [{ type: 'file', data, mediaType: mimeType, ...(filename !== undefined && { filename }), ...options }];
  }
  if (part.type !== 'tool-invocation') return []; // sources and data are for clients
  const { toolCallId, toolName, args } = part.toolInvocation;
  return [{ type: 'tool-call', toolCallId, toolName, input: args ?? {}, ...options }];
};

/** In any state, a call may have a result. */
interface Outcome {
  readonly result?: unknown;
  readonly errorText?: string;
}

const sentResult = (part: StoredPart): Sent[] => {
  if (part.type !== 'tool-invocation') return [];
  const { toolCallId, toolName } = part.toolInvocation;
  const output = outputOf(part.toolInvocation);
  return output ? [{ type: 'tool-result', toolCallId, toolName, output }] : [];
};

const outputOf = (invocation: Invocation): object | undefined => {
  const { result, errorText } = invocation as Outcome;
  if (invocation.state === 'output-error' || invocation.state === 'output-denied')
    return { type: 'error-text', value: errorText ?? '' };
  if (invocation.state !== 'result') return undefined;
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result ?? null };
};
