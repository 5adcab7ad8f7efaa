import { Clock, Cpu, GitMerge, History, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunSummary } from '../../protocol/runs.js';
import { tellMark, type Tone } from '../../fold/facts.js';
import type { GuardMark } from '../../fold/run-view.js';
import { bypassIcon, signalOf, statusSignals, verdictSignals } from './signal.js';
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
  <span className={`badge tone-${tone} ${isDashed ? 'badge-dashed' : ''}`} title={title}>
    {Icon && <Icon size={13} aria-hidden />}
    {children}
  </span>
);

/** A guard's verdict. */
export const VerdictBadge = ({ verdict }: { readonly verdict: string }) => {
  const { tone, label, icon } = signalOf(verdict);
  return (
    <Badge tone={tone} icon={icon} isDashed={tone === 'out'}>
      {label}
    </Badge>
  );
};

const markIcon = (mark: GuardMark): LucideIcon => {
  switch (mark.kind) {
    case 'verdict':
    case 'shadow':
      return verdictSignals[mark.verdict].icon;
    case 'bypass':
      return bypassIcon;
    case 'late':
      return Clock;
    case 'conflict':
      return GitMerge;
    case 'stale':
      return History;
    default:
      return mark satisfies never;
  }
};

/** The effect of a report of a guard. */
export const MarkBadge = ({ mark }: { readonly mark: GuardMark }) => {
  const { tone, word } = tellMark(mark);
  return (
    <Badge tone={tone} icon={markIcon(mark)} isDashed={mark.kind === 'shadow' || mark.kind === 'bypass'}>
      {word}
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
