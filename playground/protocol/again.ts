/** An additional guard for a replay of recorded runs. */
export type ChosenGuard =
  /** A guard of a pipeline of the application; `options` is a policy around it and overrides its own. */
  | { readonly kind: 'own'; readonly pipelineId: string; readonly path: string; readonly options?: object | undefined }
  /** A built-in guard of the library, with these options. */
  | { readonly kind: 'ready'; readonly name: string; readonly options?: object | undefined };

/** Built-in guards whose options are plain data, so that a page can make one. */
export const readyGuardNames = [
  'blockedTermsGuard',
  'jsonGuard',
  'lengthGuard',
  'linkGuard',
  'promptInjectionGuard',
  'qualityGuard',
  'redactor',
  'scriptGuard',
  'toolSecretsGuard',
  'unicodeGuard',
] as const;

export type ReadyGuardName = (typeof readyGuardNames)[number];

/** `POST /api/runs/:runId/fork`: the changes of a run that branches off a recorded one. */
export interface ForkRun {
  /** Texts of the run's initial messages, by their ids. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Results of tools, by the ids of their calls. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Arguments of tools, by the ids of their calls. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Responses of the model, by step number and attempt: `0.1`. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly instructions?: string | undefined;
  /** The id of another model, with its provider. */
  readonly model?: string | undefined;
  readonly guard?: ChosenGuard | undefined;
  /** The id of the guard that it replaces. Default: its own id. */
  readonly instead?: string | undefined;
}
