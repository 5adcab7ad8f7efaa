import {
  Ban,
  Check,
  CircleDashed,
  CirclePause,
  Cpu,
  LoaderCircle,
  OctagonX,
  Pencil,
  RotateCcw,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { statusWords, tellMark, type Tone } from '../../fold/facts.js';
import type { GuardMark } from '../../fold/run-view.js';
import type { RunSummary } from '../../protocol/runs.js';
import { signalOf } from './signal.js';
import './badge.css';

interface BadgeProps {
  readonly tone?: Tone | 'processor';
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

const toneIcons: Readonly<Record<Tone, LucideIcon>> = {
  pass: Check,
  edit: Pencil,
  retry: RotateCcw,
  trip: OctagonX,
  out: CircleDashed,
};

/** The icons of words that say more than their tone. */
const wordIcons: Readonly<Partial<Record<string, LucideIcon>>> = {
  running: LoaderCircle,
  waiting: CirclePause,
  canceled: Ban,
  interrupted: Unplug,
  unavailable: Unplug,
  warning: TriangleAlert,
};

interface WordBadgeProps extends Pick<BadgeProps, 'isDashed' | 'title'> {
  readonly tone: Tone;
  readonly word: string;
  /** Default: the word. */
  readonly children?: ReactNode;
}

/** A word with its color and its icon, because a color is never the only cue. */
export const WordBadge = ({ tone, word, children = word, ...look }: WordBadgeProps) => (
  <Badge tone={tone} icon={wordIcons[word] ?? toneIcons[tone]} {...look}>
    {children}
  </Badge>
);

/** A guard's verdict, given as text. */
export const VerdictBadge = ({ verdict }: { readonly verdict: string }) => {
  const { tone, word } = signalOf(verdict);
  return <WordBadge tone={tone} word={word} isDashed={tone === 'out'} />;
};

/** The effect of a report of a guard. */
export const MarkBadge = ({ mark }: { readonly mark: GuardMark }) => {
  const { tone, word } = tellMark(mark);
  return <WordBadge tone={tone} word={word} isDashed={mark.kind === 'shadow' || mark.kind === 'bypass'} />;
};

/** The status of a run. */
export const StatusBadge = ({ status }: { readonly status: RunSummary['status'] }) => (
  <span className={status === 'running' ? 'badge-turning' : undefined}>
    <WordBadge tone={statusWords[status].tone} word={statusWords[status].word} />
  </span>
);

/** Marks a workflow that is a processor. */
export const ProcessorBadge = () => (
  <Badge tone="processor" icon={Cpu}>
    Processor
  </Badge>
);
