import { Ban, Check, CircleDashed, CircleX, OctagonX, type LucideIcon } from 'lucide-react';
import type { TriedStep } from '../../../protocol/workbench.js';
import { Badge } from '../../components/badge.js';
import type { Tone } from '../../../fold/facts.js';

type Status = TriedStep['status'];

/** The appearance of a run's or a step's status. */
export const stepSignals: Readonly<Record<Status, { readonly tone: Tone; readonly icon: LucideIcon }>> = {
  success: { tone: 'pass', icon: Check },
  tripwire: { tone: 'trip', icon: OctagonX },
  failed: { tone: 'trip', icon: CircleX },
  skipped: { tone: 'out', icon: CircleDashed },
  canceled: { tone: 'out', icon: Ban },
};

export const StepStatus = ({ status }: { readonly status: Status }) => {
  const { tone, icon } = stepSignals[status];
  return (
    <Badge tone={tone} icon={icon}>
      {status}
    </Badge>
  );
};
