import type { TextPart } from './chunk.js';

/** A segment of a text in the gate: its original length, and its current text. */
export interface Segment {
  readonly lane: TextPart;
  /** The number of UTF-16 units of original text. */
  readonly raw: number;
  readonly text: string;
  /** Whether a guard wrote it: its characters can then not be mapped to the original ones. */
  readonly isEdited: boolean;
  /** The offsets in the response of its first and its last character. */
  readonly first: number;
  readonly last: number;
}

/** An unedited segment. */
export const uneditedSegment = (lane: TextPart, text: string, first: number): Segment => ({
  lane,
  raw: text.length,
  text,
  isEdited: false,
  first,
  last: first + text.length - 1,
});

/** Appends a segment; an unedited one is joined to an unedited predecessor. */
export const append = (segments: Segment[], segment: Segment): void => {
  const last = segments.at(-1);
  if (last && last.lane === segment.lane && !last.isEdited && !segment.isEdited && segment.first === last.last + 1)
    segments[segments.length - 1] = { ...last, raw: last.raw + segment.raw, text: last.text + segment.text, last: segment.last };
  else segments.push(segment);
};

/** A guard's text in place of segments of one part. */
export const editedSegment = (replaced: readonly Segment[], text: string): Segment => {
  const [first, last] = [replaced[0] as Segment, replaced.at(-1) as Segment]; // there are some
  return { lane: first.lane, raw: rawOf(replaced), text, isEdited: true, first: first.first, last: last.last };
};

/** Cuts a segment's text in two. Of an edited segment, the second part represents all of the original text. */
const split = (segment: Segment, at: number): [Segment, Segment] => {
  const [head, tail] = [segment.text.slice(0, at), segment.text.slice(at)];
  if (segment.isEdited)
    return [
      { ...segment, raw: 0, text: head },
      { ...segment, text: tail },
    ];
  const place = segment.first + at;
  return [
    { ...segment, raw: at, text: head, last: place - 1 },
    { ...segment, raw: tail.length, text: tail, first: place },
  ];
};

interface Taking {
  readonly sizeOf: (segment: Segment) => number;
  /** Whether a segment is taken as a whole. */
  readonly isWhole: (segment: Segment) => boolean;
}

/**
 * Takes segments of a total size from the front, and cuts the last one. Those without a size belong to the one before them, such as an
 * edit that removed text.
 */
const take = (segments: Segment[], size: number, { sizeOf, isWhole }: Taking): Segment[] => {
  const taken: Segment[] = [];
  let remaining = size;
  for (let first = segments[0]; first && (remaining > 0 || sizeOf(first) === 0); first = segments[0]) {
    if (sizeOf(first) > remaining && !isWhole(first)) {
      const [head, tail] = split(first, remaining);
      taken.push(head);
      segments[0] = tail;
      break;
    }
    taken.push(first);
    segments.shift();
    remaining -= sizeOf(first);
  }
  return taken;
};

const byText: Taking = { sizeOf: ({ text }) => text.length, isWhole: () => false };
const byRaw: Taking = { sizeOf: ({ raw }) => raw, isWhole: ({ isEdited }) => isEdited };

/** Takes a number of characters from the front. */
export const takeText = (segments: Segment[], length: number): Segment[] => take(segments, length, byText);

/** Takes segments from the front that represent a number of original characters; an edited one is taken as a whole. */
export const takeRaw = (segments: Segment[], length: number): Segment[] => take(segments, length, byRaw);

/** The offset of a character of segments. */
export const placeOf = (segments: readonly Segment[], index: number): number => {
  let remaining = index;
  for (const { text, isEdited, first, last } of segments) {
    if (remaining < text.length) return isEdited ? last : first + remaining;
    remaining -= text.length;
  }
  return segments.at(-1)?.last ?? 0;
};

/** The current text of segments. */
export const textOf = (segments: readonly Segment[]): string =>
  segments.length === 1 ? (segments[0] as Segment).text : segments.map(({ text }) => text).join('');

/** The number of original characters that segments represent. */
export const rawOf = (segments: readonly Segment[]): number => segments.reduce((sum, { raw }) => sum + raw, 0);
