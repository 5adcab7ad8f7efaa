import { callIdOf } from './chunks.js';
import type { Content, PartOf, StreamPart } from './spec.js';

type Kind = 'text' | 'reasoning';
type Words = Extract<Content, { type: Kind }>;

const kinds: Readonly<Record<string, { kind: Kind; is: 'start' | 'delta' | 'end' } | undefined>> = {
  'text-start': { kind: 'text', is: 'start' },
  'text-delta': { kind: 'text', is: 'delta' },
  'text-end': { kind: 'text', is: 'end' },
  'reasoning-start': { kind: 'reasoning', is: 'start' },
  'reasoning-delta': { kind: 'reasoning', is: 'delta' },
  'reasoning-end': { kind: 'reasoning', is: 'end' },
};

/** Keeps a stream well formed whatever guards drop or add: text is always between a start and an end of its part. */
export type Wire = ReturnType<typeof createWire>;

interface Open {
  readonly kind: Kind;
  readonly id: string;
}

/** The start or the end of a part, of the model's stream and of the AI SDK's. */
type Border = { readonly type: `${Kind}-${'start' | 'end'}`; readonly id: string };

export const createWire = () => {
  const open = new Map<string, Open>();
  const used = new Set<string>();
  const start = (key: string, kind: Kind, id: string): Open => {
    const made = { kind, id: used.has(key) ? `${id}-${used.size}` : id };
    used.add(`${kind} ${made.id}`);
    open.set(key, made);
    return made;
  };
  return {
    /** The parts to send for one that guards released. */
    send: <P extends { readonly type: string }>(part: P): (P | Border)[] => {
      const known = kinds[part.type];
      if (!known || !('id' in part) || typeof part.id !== 'string') return [part];
      const { kind, is } = known;
      const key = `${kind} ${part.id}`;
      const current = open.get(key);
      if (is === 'end') {
        open.delete(key);
        return current ? [{ ...part, id: current.id }] : [];
      }
      if (current && is === 'start') return [];
      const own = current ?? start(key, kind, part.id);
      const sent = own.id === part.id ? part : { ...part, id: own.id };
      return current || is === 'start' ? [sent] : [startOf(own), sent];
    },
    /** The ends of parts that are still open. */
    end: () => {
      const openParts = [...open.values()];
      open.clear();
      return openParts.map(({ kind, id }): Border => ({ type: `${kind}-end`, id }));
    },
  };
};

const startOf = ({ kind, id }: Open): Border => ({ type: `${kind}-start`, id });

/** Collects the content of a stream. */
export type Gathering = ReturnType<typeof createGathering>;

export const createGathering = () => {
  const content: Content[] = [];
  const growing = new Map<string, Words>();
  const open = (key: string, kind: Kind): Words => {
    const words: Words = { type: kind, text: '' };
    growing.set(key, words);
    content.push(words);
    return words;
  };
  const addWords = (kind: Kind, part: PartOf<'text-start' | 'text-delta' | 'text-end'>): void => {
    const key = `${kind} ${part.id}`;
    const known = growing.get(key);
    if (!known && !('delta' in part) && !part.providerMetadata) return;
    const words = known ?? open(key, kind);
    if ('delta' in part) words.text += part.delta;
    if (part.providerMetadata) words.providerMetadata = part.providerMetadata;
    if ('citations' in part && part.citations) Object.assign(words, { citations: part.citations });
  };
  return {
    content,
    add: (part: StreamPart): void => {
      const known = kinds[part.type];
      if (known) addWords(known.kind, part as PartOf<'text-start' | 'text-delta' | 'text-end'>); // the two kinds have the same fields
      else if (isContent(part)) content.push(part);
    },
  };
};

const wholeParts: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'source',
  'custom',
]);

const isContent = (part: StreamPart): part is Extract<StreamPart, Content> => wholeParts.has(part.type);

/** A finished response as a stream. */
export const partsOfContent = (content: readonly Content[]): StreamPart[] =>
  content.flatMap((piece, index): StreamPart[] => {
    if (piece.type !== 'text' && piece.type !== 'reasoning') return [piece];
    const { type, text, providerMetadata } = piece;
    const id = String(index);
    const citations = 'citations' in piece && piece.citations ? { citations: piece.citations } : {};
    return [
      { type: `${type}-start`, id },
      { type: `${type}-delta`, id, delta: text },
      { type: `${type}-end`, id, ...(providerMetadata && { providerMetadata }), ...citations }, // reasoning has no citations
    ];
  });

/** The loop adds a suffix to ids that an earlier attempt used. */
const withoutSuffix = (id: string): string => id.replace(/-\d+$/, '');

/** The type and id of a part, also without a suffix of the loop. */
const namesOf = (part: StreamPart): string[] => {
  const id = 'id' in part ? part.id : callIdOf(part);
  return id === undefined ? [] : [`${part.type} ${id}`, `${part.type} ${withoutSuffix(id)}`];
};

/** The places of parts, and the first place of each type and id. */
const placesOf = (order: readonly StreamPart[]): ReadonlyMap<StreamPart | string, number> => {
  const places = new Map<StreamPart | string, number>();
  for (const [place, part] of order.entries()) {
    places.set(part, place);
    const [name] = namesOf(part);
    if (name !== undefined && !places.has(name)) places.set(name, place);
  }
  return places;
};

/**
 * Restores the order of results of tools that the provider ran: the loop emits them after they were judged, the model's caller gets them
 * where they came.
 */
export const inOrder = (parts: readonly StreamPart[], order: readonly StreamPart[]): readonly StreamPart[] => {
  const results = parts.filter((part) => part.type === 'tool-result');
  if (results.length === 0) return parts;
  const places = placesOf(order);
  const placeOf = (part: StreamPart) =>
    [part, ...namesOf(part)].map((key) => places.get(key)).find((place) => place !== undefined);
  const arrived = order.flatMap((part, place) => (part.type === 'tool-result' ? [{ id: part.toolCallId, place }] : []));
  const placed: StreamPart[] = parts.filter((part) => part.type !== 'tool-result');
  for (const result of results) {
    const at = arrived.findIndex(({ id }) => id === result.toolCallId || id === withoutSuffix(result.toolCallId));
    const [found] = at === -1 ? [] : arrived.splice(at, 1);
    // The place of an edited text is unknown: a result goes directly after the last part that is known to precede it.
    const before = found ? placed.findLastIndex((part) => (placeOf(part) ?? Infinity) < found.place) : placed.length - 1;
    placed.splice(before + 1, 0, result);
  }
  return placed;
};
