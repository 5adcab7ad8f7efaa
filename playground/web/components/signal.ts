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
import type { VerdictKind } from '../../../schemas/run-event.js';
import { statusWords, toolWords, verdictWords, type Tone } from '../../fold/facts.js';
import type { RunSummary } from '../../protocol/runs.js';

interface Signal {
  readonly tone: Tone;
  readonly label: string;
  readonly icon: LucideIcon;
}

const verdictIcons: Readonly<Record<VerdictKind, LucideIcon>> = {
  pass: Check,
  edit: Pencil,
  retry: RotateCcw,
  trip: OctagonX,
  unavailable: Unplug,
};

const signal = ({ tone, word: label }: { readonly tone: Tone; readonly word: string }, icon: LucideIcon): Signal => ({
  tone,
  label,
  icon,
});

/** The appearance of a guard's verdict. */
export const verdictSignals = Object.fromEntries(
  Object.entries(verdictIcons).map(([kind, icon]) => [kind, signal(verdictWords[kind as VerdictKind], icon)]), // its own keys
) as Readonly<Record<VerdictKind, Signal>>;

export const bypassIcon = CircleDashed;

const statusIcons: Readonly<Record<RunSummary['status'], LucideIcon>> = {
  running: LoaderCircle,
  success: Check,
  tripwire: OctagonX,
  failed: CircleX,
  canceled: Ban,
  observed: Eye,
  suspended: CirclePause,
  interrupted: Unplug,
};

/** The appearance of a run's status. */
export const statusSignals = Object.fromEntries(
  Object.entries(statusIcons).map(([status, icon]) => [status, signal(statusWords[status as RunSummary['status']], icon)]), // as above
) as Readonly<Record<RunSummary['status'], Signal>>;

/** The word for a verdict given as text, e.g. in a comparison. */
export const wordOf = (verdict: string | undefined): string => (verdict === undefined ? 'no verdict' : signalOf(verdict).label);

/** The signal of a verdict, or of the outcome of a tool call, given as text, e.g. in a comparison. */
export const signalOf = (verdict: string): Signal =>
  (verdictSignals as Partial<Record<string, Signal>>)[verdict] ?? {
    tone: Object.values(toolWords).find(({ word }) => word === verdict)?.tone ?? 'out',
    label: verdict.replace('would trip', 'would block'),
    icon: CircleDashed,
  };
