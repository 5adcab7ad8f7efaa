import fc from 'fast-check';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** Bytes that break decoders, parsers and readers of their objects. */
const pieces: readonly Uint8Array[] = [
  ...[
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    'data: ',
    'data:',
    'event: error\n',
    ': ',
    'id: \0\n',
    'retry: 1e999\n',
    '[DONE]',
    '\0',
    '\uFEFF',
  ].map(text),
  ...['null', '""', '0', '-0', '1e999', '[]', '{}', '{"', '"}', ',', '\\u', '\\ud800', '{"__proto__":{"polluted":true}}'].map(
    text,
  ),
  ...['"constructor":{"prototype":{"polluted":true}},', '"then":1,', '"length":4294967296,', '"id":null,', '"index":-1,'].map(
    text,
  ),
  text('['.repeat(20_000)),
  text('{"a":'.repeat(5_000)),
  text('x'.repeat(100_000)),
  text(`"${'\u{1F600}'.repeat(20_000)}"`),
  Uint8Array.of(0xff),
  Uint8Array.of(0xc3),
  Uint8Array.of(0xf0, 0x9f, 0x98),
  Uint8Array.of(0xed, 0xa0, 0x80),
  Uint8Array.of(0xef, 0xbb, 0xbf),
];

interface ByteChange {
  readonly kind: 'insert' | 'remove' | 'repeat' | 'flip' | 'end';
  /** The position, as a share of all bytes. */
  readonly at: number;
  readonly length: number;
  readonly piece: Uint8Array;
}

const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'insert', 'remove', 'repeat', 'flip', 'end'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 64 }),
  piece: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
  ),
});

const changed = (bytes: Uint8Array, { kind, at, length, piece }: ByteChange): Uint8Array => {
  const from = Math.floor(at * bytes.length);
  const [before, own, after] = [bytes.subarray(0, from), bytes.subarray(from, from + length), bytes.subarray(from + length)];
  const parts = {
    insert: [before, piece, own, after],
    remove: [before, after],
    repeat: [before, own, own, after],
    flip: [before, own.map((byte) => byte ^ (1 << (length % 8))), after],
    end: [before],
  };
  return Buffer.concat(parts[kind]);
};

/** Valid bytes with random damage. */
export const spoiledBytes = (good: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(good, fc.array(byteChange, { minLength: 1, maxLength: 4 })).map(([bytes, changes]) => changes.reduce(changed, bytes));

/** Bytes as a socket delivers them: cut anywhere, at characters and at lines or not. */
export const inPieces = (bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] => {
  const cut: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at >= bytes.length) break;
    cut.push(bytes.subarray(at, (at += length)));
  }
  return at < bytes.length ? [...cut, bytes.subarray(at)] : cut;
};
