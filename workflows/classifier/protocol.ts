import type { Entity } from '../patterns/entity-finder.js';

/** The model that the worker loads. */
export interface ModelSource {
  readonly model: string;
  readonly revision: string | undefined;
  readonly modelPath: string | undefined;
  readonly cacheDir: string | undefined;
  readonly allowDownload: boolean;
  readonly dtype: string;
  readonly threads: number | undefined;
  readonly maxTokens: number | undefined;
  readonly strideTokens: number;
  readonly batchSize: number;
  /** Set for a model that labels tokens; any other model labels texts. */
  readonly entities: EntityLabels | undefined;
}

export interface EntityLabels {
  /** The kind of each of the model's labels; those without one are ignored. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Whether the model may lack some of the labels. */
  readonly areOptional: boolean;
  readonly minScore: number;
}

/** State that both threads share, a number each: 0 for no, 1 for yes. */
export interface SharedFlags {
  /** Whether the worker must not enter native code again. */
  readonly isStopping: Int32Array<SharedArrayBuffer>;
  /** Whether the worker runs native code. Nothing can interrupt it: ending a thread in it aborts the whole process. */
  readonly isNative: Int32Array<SharedArrayBuffer>;
}

/** The data that a worker starts with. */
export interface WorkerSetup {
  readonly source: ModelSource;
  readonly flags: SharedFlags;
}

export type Scores = Readonly<Record<string, number>>;

/** The result for one text: a score of each label, or its entities. */
export type TextResult = Scores | readonly Entity[];

/** A message of the main thread: texts to read, or the id of a request to drop. */
export type ToWorker = { readonly id: number; readonly texts: readonly string[] } | { readonly drop: number };

/** A message of the worker: it is ready, texts are read, a request failed, or the model could not be loaded. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly id: number; readonly results: readonly TextResult[] }
  | { readonly id: number; readonly failed: string }
  | { readonly notLoaded: string };
