import { Cpu, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunSummary } from '../../protocol/runs.js';
import { signalOf, statusSignals, type Tone } from './signal.js';
import './badge.css';

interface BadgeProps {
  readonly tone?: Tone | 'processor' | 'accent';
  readonly icon?: LucideIcon;
  /** For verdicts without effect: a shadow guard, a bypass. */
  readonly isDashed?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

export const Badge = ({ tone = 'out', icon: Icon, isDashed = false, title, children }: BadgeProps) => (
  <span className={`badge badge-${tone} ${isDashed ? 'badge-dashed' : ''}`} title={title}>
    {Icon && <Icon size={13} aria-hidden />}
    {children}
  </span>
);

/** A guard's verdict. */
export const VerdictBadge = ({ verdict, isShadow = false }: { readonly verdict: string; readonly isShadow?: boolean }) => {
  const { tone, label, icon } = signalOf(verdict);
  return (
    <Badge tone={tone} icon={icon} isDashed={isShadow}>
      {isShadow ? `would ${label}` : label}
    </Badge>
  );
};

/** The status of a run. */
export const StatusBadge = ({ status }: { readonly status: RunSummary['status'] }) => {
  const { tone, label, icon } = statusSignals[status];
  const badge = (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
  return status === 'running' ? <span className="badge-turning">{badge}</span> : badge;
};

/** Marks a workflow that is a processor. */
export const ProcessorBadge = () => (
  <Badge tone="processor" icon={Cpu}>
    Processor
  </Badge>
);
