import type { Tripwire } from '../../../src/index.js';
import type { RunStanding } from '../../protocol/runs.js';
import type { Place } from '../../protocol/trace-entry.js';
import type { SeenChunk } from './entries-of-chunk.js';

/** How a stock agent's run goes, as far as its chunks tell. */
export interface StockEnding {
  /** Takes a chunk; gives the place of the run. */
  add(chunk: SeenChunk): Place;
  readonly ending: RunStanding;
}

/** Begins to read a stock agent's stream. Its attempts are not known, so that each is the first. */
export const createStockEnding = (): StockEnding => {
  let steps = 0;
  let ending: RunStanding = { status: 'success' };
  return {
    add: (chunk) => {
      if (chunk.type === 'step-start') steps += 1;
      ending = ending.status === 'success' ? (endingAt(chunk) ?? ending) : ending; // the first word on it says most
      return { stepNumber: Math.max(0, steps - 1), attempt: 1 };
    },
    get ending() {
      return ending;
    },
  };
};

const endingAt = ({ type, payload }: SeenChunk): RunStanding | undefined => {
  const { reason, processorId, retry, metadata, error } = (payload ?? {}) as Partial<Record<string, unknown>>; // any chunk's
  switch (type) {
    case 'tripwire':
      return tripped({
        reason: String(reason),
        processorId: String(processorId),
        ...(typeof retry === 'boolean' && { retry }),
        ...(metadata !== undefined && { metadata }),
      });
    case 'error':
      return { status: 'failed', error: { message: messageOf(error) } };
    case 'finish':
      return isTripped(payload) ? tripped({ reason: 'A processor stopped the run.', processorId: '' }) : undefined;
    case 'abort':
      return { status: 'canceled' };
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return { status: 'suspended' };
    default:
      return undefined;
  }
};

/** A stock agent does not say in which phase a processor stood. */
const tripped = (told: Omit<Tripwire, 'phase' | 'path'>): RunStanding => ({
  status: 'tripwire',
  tripwire: { ...told, phase: '', path: '' },
});

/** Some stops are told by the reason of the end alone. */
const isTripped = (payload: unknown): boolean => {
  const { stepResult } = (payload ?? {}) as { stepResult?: { reason?: unknown } };
  return stepResult?.reason === 'tripwire';
};

const messageOf = (error: unknown): string => {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
};
