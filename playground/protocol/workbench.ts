import type { RunEvent, Tripwire } from '../../schemas/index.js';
import type { TextAt } from './trace-entry.js';

/** `POST /api/pipelines/:id/try`. */
export interface TryPhase {
  readonly phase: string;
  /** The payload of the phase as its schema says, unknown fields kept. */
  readonly payload: unknown;
  readonly engine: 'plan' | 'mastra';
}

/** How a try went: at the level of the run and of each step. */
export interface Tried {
  readonly status: 'success' | 'tripwire' | 'failed';
  readonly tripwire?: Omit<Tripwire, 'path' | 'phase'> & { readonly path?: string; readonly phase?: string };
  readonly error?: { readonly message: string; readonly code?: string; readonly path?: string };
  readonly durationMs: number;
  readonly before: readonly TextAt[];
  readonly after: readonly TextAt[];
  /** The payload as it came out; absent where it was stopped. */
  readonly payload?: unknown;
  /** The steps of Mastra's engine; empty on the plan, whose events name each guard's verdict. */
  readonly steps: readonly TriedStep[];
  /** The plan's events, with what guards changed; empty on Mastra's engine, which reports steps only. */
  readonly events: readonly RunEvent[];
}

export interface TriedStep {
  readonly id: string;
  readonly path: string;
  readonly status: 'success' | 'tripwire' | 'failed' | 'skipped' | 'canceled';
  readonly durationMs?: number;
  readonly reason?: string;
}

/** How a text is cut into chunks. */
export type Cutting =
  | { readonly kind: 'characters' }
  | { readonly kind: 'random'; readonly seed: number; readonly mean: number }
  /** Positions in the text, in code points, at which it is cut. */
  | { readonly kind: 'by-hand'; readonly at: readonly number[] }
  /** The deltas as a run recorded them. */
  | { readonly kind: 'recorded'; readonly runId: string; readonly stepNumber: number; readonly attempt: number };

/** `POST /api/lab/stream`. */
export interface LabStream {
  readonly pipelineId: string;
  /** Not needed where the cutting is of a recorded run. */
  readonly text: string;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly cutting: Cutting;
}

/** One step of the lab: a chunk went in, and this is how things stood then. */
export interface LabEmission {
  /** The chunk that went in; absent for the end of the stream. */
  readonly pushed?: string;
  /** What left then. */
  readonly left: string;
  /** How many characters were held after it, in code points. */
  readonly heldChars: number;
  /** The words that were held. */
  readonly held: string;
  /** The guard that stopped the stream here. */
  readonly stop?: { readonly processorId: string; readonly reason: string; readonly kind: string };
}

export interface LabRun {
  readonly chunks: readonly string[];
  readonly emissions: readonly LabEmission[];
  /** Everything that left. */
  readonly output: string;
  readonly events: readonly RunEvent[];
}

/** `POST /api/lab/leak`: searches cuttings for one that lets a piece of the fragment out. */
export interface FindLeak {
  readonly pipelineId: string;
  readonly text: string;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly fragment: string;
  /** The longest piece of the fragment that may be seen, in code points; default 3. */
  readonly allowed?: number;
  /** The number of random cuts, in addition to every cut into two parts and the cut into single characters; default 500. */
  readonly tries?: number;
}

export interface LeakSearch {
  readonly tried: number;
  /** A cutting that leaks, and what was seen of the fragment. */
  readonly leak?: { readonly chunks: readonly string[]; readonly seen: string; readonly output: string };
}
