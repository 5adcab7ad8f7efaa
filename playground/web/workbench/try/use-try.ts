import { useState } from 'react';
import { ApiError, post } from '../../api/request.js';
import type { Tried, TryPhase } from '../../../protocol/workbench.js';
import { fieldOfError } from '../form/edit-payload.js';
import type { Payload } from '../form/json-schema.js';
import type { FieldErrors } from '../form/payload-form.js';

export type Engine = TryPhase['engine'];

/** The state of the tries of one payload. */
export interface Trying {
  readonly isBusy: boolean;
  readonly results: readonly { readonly engine: Engine; readonly tried: Tried }[];
  /** The errors of fields of the payload. */
  readonly errors: FieldErrors;
  /** Another error. */
  readonly error?: Error;
}

const nothing: Trying = { isBusy: false, results: [], errors: {} };

interface Request {
  readonly phase: string;
  readonly payload: Payload;
  readonly engines: readonly Engine[];
}

/** Tries payloads on a pipeline. */
export const useTry = (pipelineId: string) => {
  const [trying, setTrying] = useState<Trying>(nothing);
  const run = async ({ phase, payload, engines }: Request): Promise<Trying['results']> => {
    setTrying({ ...nothing, isBusy: true });
    try {
      const path = `pipelines/${encodeURIComponent(pipelineId)}/try`;
      const results = [];
      for (const engine of engines) results.push({ engine, tried: await post<Tried>(path, { phase, payload, engine }) });
      const wrong = results.find(({ tried }) => tried.error?.code === invalidPayload)?.tried.error;
      setTrying({ ...nothing, results: wrong ? [] : results, errors: wrong ? errorsOf(wrong, phase) : {} });
      return wrong ? [] : results;
    } catch (thrown) {
      const isField = thrown instanceof ApiError && thrown.code === invalidPayload;
      setTrying(isField ? { ...nothing, errors: errorsOf(thrown, phase) } : { ...nothing, error: thrown as Error }); // the only type thrown
      return [];
    }
  };
  return { trying, run, clear: () => setTrying(nothing) };
};

const invalidPayload = 'schema/invalid-payload';

const errorsOf = ({ message, path = '' }: { message: string; path?: string }, phase: string): FieldErrors => {
  const { field, within } = fieldOfError(path, phase);
  return { [field]: within === '' ? message : `${within}: ${message}` };
};

/** The differences between two engines for the same payload, in words; empty if they agree. */
export const differencesOf = (a: Tried, b: Tried): string[] => {
  const rows: [string, unknown, unknown][] = [
    ['status', a.status, b.status],
    ['reason', a.tripwire?.reason, b.tripwire?.reason],
    ['retry request', a.tripwire?.retry ?? false, b.tripwire?.retry ?? false],
    ['guard that tripped', a.tripwire?.processorId, b.tripwire?.processorId],
    ['resulting text', a.after, b.after],
  ];
  return rows.filter(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other)).map(([name]) => name);
};
