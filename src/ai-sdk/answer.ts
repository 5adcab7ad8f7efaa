import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { isSame } from '../phase/plain-data.js';
import { parseArguments, writeArguments } from './chunks.js';
import type { StoredPart } from '../plain/to-stored.js';
import type { Content } from './spec.js';

type Invocation = Extract<StoredPart, { type: 'tool-invocation' }>;

/** The id of the message that the answer under review is in the list. */
export const answerId = 'answer';

/** A model's answer as a message of the list; what only a provider reads is not in it. */
export const toAnswerMessage = (content: readonly Content[]): MastraDBMessage => ({
  id: answerId,
  role: 'assistant',
  createdAt: new Date(),
  content: { format: 2, parts: toAnswerParts(content) },
});

const toAnswerParts = (content: readonly Content[]): StoredPart[] => {
  const parts: StoredPart[] = [];
  for (const piece of content) {
    if (piece.type === 'tool-result') setResult(parts, piece);
    else {
      const part = toAnswerPart(piece);
      if (part) parts.push(part);
    }
  }
  return parts;
};

/** A result stands with its call; one for a call of an earlier step stands alone. */
const setResult = (parts: StoredPart[], { toolCallId, toolName, result }: Extract<Content, { type: 'tool-result' }>): void => {
  const call = parts.find((part) => isCall(part, toolCallId)); // see isCall
  if (call) Object.assign(call.toolInvocation, { state: 'result', result });
  else parts.push({ type: 'tool-invocation', toolInvocation: { state: 'result', toolCallId, toolName, args: {}, result } });
};

const isCall = (part: StoredPart, toolCallId: string): part is Invocation =>
  part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId;

const toAnswerPart = (piece: Content): StoredPart | undefined => {
  switch (piece.type) {
    case 'text':
      return { type: 'text', text: piece.text };
    case 'reasoning':
      return { type: 'reasoning', reasoning: piece.text, details: [{ type: 'text', text: piece.text }] };
    case 'tool-call': {
      const { toolCallId, toolName, input } = piece;
      return { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId, toolName, args: parseArguments(input) } };
    }
    case 'source': {
      const { id, title } = piece;
      const url = piece.sourceType === 'url' ? piece.url : '';
      return { type: 'source', source: { sourceType: 'url', id, url, title } };
    }
    case 'file':
    case 'custom':
    case 'reasoning-file':
    case 'tool-approval-request':
    case 'tool-result':
      return undefined;
    default:
      return piece satisfies never;
  }
};

/**
 * The answer as guards left it in the list: words and calls in their order, with what only a provider reads at the end. It is
 * the same array where nothing changed.
 */
export const editedContent = (content: readonly Content[], parts: readonly StoredPart[]): readonly Content[] => {
  const spoken = parts.filter(({ type }) => type !== 'step-start');
  const before = toAnswerParts(content);
  if (before.length === spoken.length && before.every((part, index) => isSameWords(part, spoken[index]))) return content;
  const left = [...content];
  const take = (fits: (piece: Content) => boolean): Content | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  const made = spoken.flatMap((part): Content[] => {
    if (part.type !== 'tool-invocation') return toContent(part, take);
    const result = resultOf(part, take);
    const isAlone =
      result.length > 0 &&
      !content.some((piece) => piece.type === 'tool-call' && piece.toolCallId === part.toolInvocation.toolCallId);
    return isAlone ? result : [...toContent(part, take), ...result];
  });
  const unseen = left.filter(({ type }) => type !== 'tool-result' && !toAnswerPartTypes.has(type));
  return [...made, ...unseen];
};

/** Pieces that the list shows: those that are no longer there were taken out. */
const toAnswerPartTypes: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool-call', 'source']);

type Take = (fits: (piece: Content) => boolean) => Content | undefined;

const toContent = (part: StoredPart, take: Take): Content[] => {
  if (part.type === 'text' || part.type === 'reasoning') {
    const { type } = part;
    const text = type === 'text' ? part.text : part.reasoning;
    return [{ ...take((piece) => piece.type === type), type, text } as Content]; // a piece of the same type, or a new one
  }
  if (part.type === 'tool-invocation') {
    const { toolCallId, toolName, args } = part.toolInvocation;
    const call = take((piece) => piece.type === 'tool-call' && piece.toolCallId === toolCallId);
    if (call?.type === 'tool-call' && isSame(parseArguments(call.input), args)) return [call];
    return [{ ...call, type: 'tool-call', toolCallId, toolName, input: writeArguments(args) }];
  }
  if (part.type !== 'source') return [];
  const source = take((piece) => piece.type === 'source' && piece.id === part.source.id);
  return source ? [source] : [];
};

/** What a tool that the provider ran gave, as the list has it. */
const resultOf = ({ toolInvocation }: Invocation, take: Take): Content[] => {
  const { toolCallId } = toolInvocation;
  const piece = take((one) => one.type === 'tool-result' && one.toolCallId === toolCallId);
  if (piece?.type !== 'tool-result') return [];
  const { result } = toolInvocation as { result?: typeof piece.result };
  return [isSame(result, piece.result) ? piece : { ...piece, result: result ?? '' }];
};

const isSameWords = (before: StoredPart, after: StoredPart | undefined): boolean => {
  if (before.type !== after?.type) return false;
  if (before.type === 'text') return before.text === (after as typeof before).text;
  if (before.type === 'reasoning') return before.reasoning === (after as typeof before).reasoning;
  if (before.type === 'source') return before.source.id === (after as typeof before).source.id;
  if (before.type !== 'tool-invocation') return true;
  const [own, other] = [before.toolInvocation, (after as typeof before).toolInvocation] as [Result, Result]; // of the same type
  return own.toolCallId === other.toolCallId && isSame(own.args, other.args) && isSame(own.result, other.result);
};

interface Result {
  toolCallId: string;
  args?: unknown;
  result?: unknown;
}
