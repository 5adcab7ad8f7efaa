import type { CallOptionsOf, SpecVersion } from './model-spec.js';

/** One call of a scripted model, updated while it runs. */
export interface ScriptedCall<V extends SpecVersion = SpecVersion> {
  /** The call's number on this model, from 0. */
  readonly index: number;
  readonly mode: 'generate' | 'stream';
  /** The caller's prompt, by reference. */
  readonly prompt: CallOptionsOf<V>['prompt'];
  readonly options: CallOptionsOf<V>;
  /** Stream parts that the consumer pulled. */
  readonly pulled: number;
  /** Whether the consumer canceled the stream before its end. */
  readonly cancelled: boolean;
  readonly cancelReason: unknown;
  /** Whether the caller's abort signal ended the call. */
  readonly aborted: boolean;
}

/** The same, writable for the model. */
export type MutableCall<V extends SpecVersion> = { -readonly [K in keyof ScriptedCall<V>]: ScriptedCall<V>[K] };
