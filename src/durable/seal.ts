import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { InterlockError } from '../errors.js';

/** Encrypts texts and detects changes to them. */
export interface Seal {
  /** @param place the location of the text: it cannot be decrypted as the text of another location */
  close(text: string, place: string): string;
  /** Raises `durable/unreadable` for a text that was not sealed for this place with a known key. */
  open(sealed: string, place: string): string;
}

/** A key of 32 bytes, raw or in base64. */
export type SealKey = Uint8Array | string;

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

interface Known {
  readonly id: string;
  readonly key: Buffer;
}

/** Encrypts with the first key; decrypts with any of them. Raises `durable/invalid-key`. */
export const createSeal = (given: readonly [SealKey, ...SealKey[]]): Seal => {
  const keys = given.map(readKey);
  const [{ id, key }] = keys as [Known, ...Known[]]; // as many as given
  return {
    close: (text, place) => {
      const iv = randomBytes(ivBytes);
      const closing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([closing.update(text, 'utf8'), closing.final()]);
      return `${id}.${Buffer.concat([iv, closing.getAuthTag(), body]).toString('base64')}`;
    },
    open: (sealed, place) => {
      const [keyId, encoded = ''] = sealed.split('.');
      const known = keys.find((one) => one.id === keyId);
      if (!known) throw new InterlockError('durable/unreadable', { path: place, detail: 'it has another key, or none.' });
      try {
        return opened(known, Buffer.from(encoded, 'base64'), place);
      } catch (cause) {
        throw new InterlockError('durable/unreadable', { path: place, detail: 'it was changed after encryption.', cause });
      }
    },
  };
};

const opened = ({ key }: Known, bytes: Buffer, place: string): string => {
  const from = ivBytes + tagBytes;
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(ivBytes, from));
  return opening.update(bytes.subarray(from), undefined, 'utf8') + opening.final('utf8');
};

const readKey = (given: SealKey): Known => {
  const key = typeof given === 'string' ? Buffer.from(given, 'base64') : Buffer.from(given);
  if (key.length !== keyBytes) throw new InterlockError('durable/invalid-key', { detail: `it has ${key.length} bytes.` });
  return { key, id: createHash('sha256').update('interlock key').update(key).digest('hex').slice(0, 8) };
};
