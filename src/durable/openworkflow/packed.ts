import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SQLOutputValue } from 'node:sqlite';
import { InterlockError } from '../../errors.js';

/** Texts below this length are stored as they are: to compress them costs more than it saves. */
const shortText = 512;

/** A text as the file stores it: compressed, unless it is short. The texts of a run repeat the names of their fields. */
export const pack = (text: string): string | Uint8Array<ArrayBuffer> => (text.length < shortText ? text : deflateRawSync(text));

/** The text of a stored value. Raises `durable/damaged`, with `path`. */
export const unpack = (stored: SQLOutputValue | undefined, path: string): string => {
  if (!(stored instanceof Uint8Array)) return String(stored);
  try {
    return inflateRawSync(stored).toString();
  } catch (cause) {
    throw new InterlockError('durable/damaged', { path, detail: String(cause), cause });
  }
};

const packed = 'deflate ';

/** The same where OpenWorkflow stores the value as JSON. */
export const packText = (text: string): string => {
  const stored = pack(text);
  return typeof stored === 'string' ? text : packed + Buffer.from(stored).toString('base64');
};

export const unpackText = (stored: string, path: string): string =>
  stored.startsWith(packed) ? unpack(Buffer.from(stored.slice(packed.length), 'base64'), path) : stored;
