import type { Serde } from '@restatedev/restate-sdk';

/** Texts go through Restate as they are. */
export const text: Serde<string> = {
  contentType: 'text/plain',
  serialize: (value) => new TextEncoder().encode(value),
  deserialize: (bytes) => new TextDecoder().decode(bytes),
};
