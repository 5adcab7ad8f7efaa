/** A segment of a text in the gate: its original length, and its current text. */
export interface Segment {
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
export const uneditedSegment = (text: string, first: number, last = first + text.length - 1): Segment => ({
  raw: text.length,
  text,
  isEdited: false,
  first,
  last,
});

/** Appends a segment; an unedited one is joined to an unedited predecessor. */
export const append = (segments: Segment[], segment: Segment): void => {
  const last = segments.at(-1);
  if (last && !last.isEdited && !segment.isEdited && segment.first === last.last + 1)
    segments[segments.length - 1] = uneditedSegment(last.text + segment.text, last.first, segment.last);
  else segments.push(segment);
};

/** A guard's text in place of segments. */
export const editedSegment = (replaced: readonly Segment[], text: string): Segment => {
  const [first = 0, last = first] = [replaced[0]?.first, replaced.at(-1)?.last];
  return { raw: rawOf(replaced), text, isEdited: true, first, last };
};

/**
 * Takes a number of characters from the front. When an edited segment is cut in two, its second part represents all of the
 * original text.
 */
export const takeText = (segments: Segment[], length: number): Segment[] => {
  const taken: Segment[] = [];
  let remaining = length;
  while (remaining > 0) {
    const first = segments[0];
    if (!first) break;
    if (first.text.length > remaining) {
      const { isEdited } = first;
      const text = first.text.slice(0, remaining);
      taken.push(isEdited ? { ...first, raw: 0, text } : uneditedSegment(text, first.first));
      const rest = first.text.slice(remaining);
      segments[0] = isEdited ? { ...first, text: rest } : uneditedSegment(rest, first.first + remaining, first.last);
      break;
    }
    taken.push(first);
    segments.shift();
    remaining -= first.text.length;
  }
  // An edit that removed text represents the original text, too, and belongs to the text before it.
  while (segments[0]?.text === '') taken.push(segments.shift() as Segment); // just found
  return taken;
};

/** Takes segments from the front that represent a number of original characters; an edited one is taken as a whole. */
export const takeRaw = (segments: Segment[], length: number): Segment[] => {
  const taken: Segment[] = [];
  let remaining = length;
  for (let first = segments[0]; first && (remaining > 0 || first.raw === 0); first = segments[0]) {
    if (first.isEdited || first.raw <= remaining) {
      taken.push(first);
      segments.shift();
      remaining -= first.raw;
      continue;
    }
    taken.push(uneditedSegment(first.text.slice(0, remaining), first.first));
    segments[0] = uneditedSegment(first.text.slice(remaining), first.first + remaining, first.last);
    break;
  }
  return taken;
};

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
