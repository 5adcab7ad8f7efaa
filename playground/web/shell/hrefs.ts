import { query } from '../api/request.js';

/** The path of the page of a run. */
export const runPagePath = '/runs/:runId';

export const runHref = (runId: string, at?: number): string => `/runs/${encodeURIComponent(runId)}${query({ at })}`;

/** The page that compares two runs. */
export const compareHref = (runId: string, otherId: string): string => `${runHref(runId)}/compare/${encodeURIComponent(otherId)}`;

/** The page that edits a run, with a part or a guard of it opened. */
export const forkHref = (runId: string, opened: { readonly part?: string; readonly guard?: string } = {}): string =>
  `${runHref(runId)}/edit${query(opened)}`;

/** The page of a pipeline, with the guard of a path selected. */
export const pipelineHref = (id: string, guard?: string): string => `/pipelines/${encodeURIComponent(id)}${query({ guard })}`;
