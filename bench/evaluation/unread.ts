import { createHash } from 'node:crypto';
import { clustersOf } from './clusters.js';

/**
 * The half of a set that may be reported: the other half was read while the phrases were written. Near copies are in the same half,
 * which the hash of their first text chooses.
 */
export const unreadOf = (texts: readonly string[]): string[] => {
  const clusters = clustersOf(texts);
  return texts.filter((_, at) => isUnread(texts[clusters[at] ?? at] ?? ''));
};

const isUnread = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) >= 0x80;
