const positionsOf = (bytes: Uint8Array, holds: (byte: number, before: number | undefined) => boolean): number[] =>
  Array.from(bytes.entries()).flatMap(([at, byte]) => (holds(byte, bytes[at - 1]) ? [at] : []));

/** Cuts inside every UTF-8 sequence of more than one byte. */
export const cutInsideCodePoints = (bytes: Uint8Array): number[] => positionsOf(bytes, (byte) => (byte & 0xc0) === 0x80);

/** Cuts every `data:` at the start of a line in two. */
export const cutInsidePrefixes = (bytes: Uint8Array): number[] => {
  const text = Buffer.from(bytes).toString('latin1');
  return Array.from(text.matchAll(/^data:/gm), ({ index }) => index + 2);
};

/** Cuts after every carriage return and every line feed, so also between the two. */
export const cutInsideLineEnds = (bytes: Uint8Array): number[] =>
  positionsOf(bytes, (_, before) => before === 0x0d || before === 0x0a);
