import {
  Ban,
  Check,
  CircleDashed,
  CirclePause,
  CircleX,
  Eye,
  LoaderCircle,
  OctagonX,
  Pencil,
  RotateCcw,
  Unplug,
  type LucideIcon,
} from 'lucide-react';
import type { RunSummary } from '../../protocol/runs.js';
import type { VerdictKind } from '../../../schemas/index.js';

/** The color of a signal; it is never the only cue: icon and word go with it. */
export type Tone = 'pass' | 'edit' | 'retry' | 'trip' | 'out';

export interface Signal {
  readonly tone: Tone;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** The appearance of a guard's verdict. */
export const verdictSignals: Readonly<Record<VerdictKind, Signal>> = {
  pass: { tone: 'pass', label: 'pass', icon: Check },
  edit: { tone: 'edit', label: 'edit', icon: Pencil },
  retry: { tone: 'retry', label: 'retry', icon: RotateCcw },
  trip: { tone: 'trip', label: 'trip', icon: OctagonX },
  unavailable: { tone: 'trip', label: 'unavailable', icon: Unplug },
};

export const bypassSignal: Signal = { tone: 'out', label: 'bypassed', icon: CircleDashed };

/** The appearance of a run's status. */
export const statusSignals: Readonly<Record<RunSummary['status'], Signal>> = {
  running: { tone: 'out', label: 'running', icon: LoaderCircle },
  success: { tone: 'pass', label: 'success', icon: Check },
  tripwire: { tone: 'trip', label: 'tripwire', icon: OctagonX },
  failed: { tone: 'trip', label: 'failed', icon: CircleX },
  canceled: { tone: 'out', label: 'canceled', icon: Ban },
  observed: { tone: 'out', label: 'guards only', icon: Eye },
  suspended: { tone: 'edit', label: 'waiting', icon: CirclePause },
};

/** The signal of a verdict given as text, e.g. in a comparison. */
export const signalOf = (verdict: string): Signal =>
  (verdictSignals as Partial<Record<string, Signal>>)[verdict] ?? { tone: 'out', label: verdict, icon: CircleDashed };
