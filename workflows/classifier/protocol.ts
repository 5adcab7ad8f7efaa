/** What the worker loads. */
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
}

export type Scores = Readonly<Record<string, number>>;

/** What the main thread sends: texts to classify, or the id of a request to drop. */
export type ToWorker = { readonly id: number; readonly texts: readonly string[] } | { readonly drop: number };

/** What the worker sends: it is ready, it has classified texts, or a request failed, or the model could not be loaded. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly id: number; readonly scores: readonly Scores[] }
  | { readonly id: number; readonly failed: string }
  | { readonly notLoaded: string };
