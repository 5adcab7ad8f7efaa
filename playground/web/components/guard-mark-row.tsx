import { GitMerge, History } from 'lucide-react';
import type { GuardMark } from '../fold/run-view.js';
import { Badge, VerdictBadge } from './badge.js';
import { formatDuration } from './format.js';
import { InertText } from './inert-text.js';
import { bypassSignal } from './signal.js';
import './guard-mark-row.css';

/** The label of a mark, as a badge. */
export const MarkBadge = ({ mark }: { readonly mark: GuardMark }) => {
  switch (mark.kind) {
    case 'verdict':
    case 'shadow':
      return <VerdictBadge verdict={mark.verdict} isShadow={mark.kind === 'shadow'} />;
    case 'bypass':
      return (
        <Badge tone={bypassSignal.tone} icon={bypassSignal.icon} isDashed>
          {bypassSignal.label}
        </Badge>
      );
    case 'conflict':
      return (
        <Badge tone="edit" icon={GitMerge}>
          conflict
        </Badge>
      );
    case 'stale':
      return (
        <Badge tone="edit" icon={History}>
          {mark.rerun ? 'checked again' : 'stale'}
        </Badge>
      );
    default:
      return mark satisfies never;
  }
};

/** The name of the guard or block of a mark. */
export const markName = (mark: GuardMark): string => {
  if (mark.kind === 'conflict') return mark.authors.join(' and ');
  return mark.processorId;
};

/** The additional note of a mark. */
export const markNote = (mark: GuardMark): string | undefined => {
  if (mark.kind === 'conflict') return `resolved by ${mark.rule}`;
  if (mark.kind === 'stale') return `passed before ${mark.authors.join(', ')} edited the text`;
  return mark.reason;
};

/** A guard's verdict in a list. */
export const GuardMarkRow = ({ mark, phaseTitle }: { readonly mark: GuardMark; readonly phaseTitle: string }) => {
  const note = markNote(mark);
  return (
    <li className="mark-row">
      <span className="mark-name">
        <InertText text={markName(mark)} />
      </span>
      <span className="mark-time">{'durationMs' in mark ? formatDuration(mark.durationMs) : ''}</span>
      <MarkBadge mark={mark} />
      <span className="mark-phase">
        {phaseTitle}
        {note !== undefined && (
          <>
            {': '}
            <InertText text={note} />
          </>
        )}
      </span>
    </li>
  );
};
