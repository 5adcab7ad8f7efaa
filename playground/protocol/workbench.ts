import type { RunEvent, TraceHeader, Tripwire } from '../../schemas/index.js';
import type { TextAt } from './trace-entry.js';

/** `POST /api/pipelines/:id/try`. */
export interface TryPhase {
  readonly phase: string;
  /** The payload in the phase's schema, with unknown fields kept. */
  readonly payload: unknown;
  readonly engine: 'plan' | 'mastra';
}

/** The result of a try: for the run and for each step. */
export interface Tried {
  readonly status: 'success' | 'tripwire' | 'failed';
  readonly tripwire?: Omit<Tripwire, 'path' | 'phase'> & { readonly path?: string; readonly phase?: string };
  readonly error?: { readonly message: string; readonly code?: string; readonly path?: string };
  readonly durationMs: number;
  readonly before: readonly TextAt[];
  readonly after: readonly TextAt[];
  /** The resulting payload; undefined if the run was stopped. */
  readonly payload?: unknown;
  /** The steps of Mastra's engine; empty on the plan, whose events name each guard's verdict. */
  readonly steps: readonly TriedStep[];
  /** The plan's events, with the changes by guards; empty on Mastra's engine, which reports steps only. */
  readonly events: readonly RunEvent[];
}

export interface TriedStep {
  readonly id: string;
  readonly path: string;
  readonly status: 'success' | 'tripwire' | 'failed' | 'skipped' | 'canceled';
  readonly durationMs?: number;
  readonly reason?: string;
}

/** The cutting of a text into chunks. */
export type Cutting =
  | { readonly kind: 'characters' }
  | { readonly kind: 'random'; readonly seed: number; readonly mean: number }
  /** Positions in the text, in code points, at which it is cut. */
  | { readonly kind: 'by-hand'; readonly at: readonly number[] }
  /** The deltas in a recorded run. */
  | { readonly kind: 'recorded'; readonly runId: string; readonly stepNumber: number; readonly attempt: number };

/** `POST /api/lab/stream`. */
export interface LabStream {
  readonly pipelineId: string;
  /** Not needed for the cutting of a recorded run. */
  readonly text: string;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly cutting: Cutting;
}

/** The window of guards without their own: the one of the recorded run, or of the latest run of an agent with the pipeline. */
export type LabWindow = NonNullable<TraceHeader['window']>;

/** One step of the lab: a chunk was pushed, with the state after it. */
export interface LabEmission {
  /** The pushed chunk; undefined for the end of the stream. */
  readonly pushed?: string;
  /** The text that left in this step. */
  readonly emitted: string;
  /** The length of the buffered text after it, in code points. */
  readonly heldChars: number;
  /** The buffered text. */
  readonly held: string;
  /** The guard that stopped the stream here. */
  readonly stop?: { readonly processorId: string; readonly reason: string; readonly kind: string };
}

export interface LabRun {
  readonly chunks: readonly string[];
  readonly emissions: readonly LabEmission[];
  /** All text that left. */
  readonly output: string;
  /** Undefined for the default. */
  readonly window?: LabWindow;
  readonly events: readonly RunEvent[];
}

/** `POST /api/lab/leak`: searches for a cutting that releases a piece of the fragment. */
export interface FindLeak {
  readonly pipelineId: string;
  readonly text: string;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly fragment: string;
  /** The maximum visible length of the fragment, in code points; default 3. */
  readonly allowed?: number;
  /** The number of random cuts, in addition to every cut into two parts and the cut into single characters; default 500. */
  readonly tries?: number;
}

export interface LeakSearch {
  readonly tried: number;
  /** A leaking cutting, and the visible piece of the fragment. */
  readonly leak?: { readonly chunks: readonly string[]; readonly emitted: string; readonly output: string };
}
