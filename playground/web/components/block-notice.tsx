import { OctagonX } from 'lucide-react';
import { Link } from 'wouter';
import type { Tripwire } from '../../../schemas/index.js';
import { usePhaseTitle } from '../api/catalog.js';
import { Badge } from './badge.js';
import { FactList } from './fact-list.js';
import { InertText } from './inert-text.js';
import { Notice } from './notices.js';

interface BlockNoticeProps {
  readonly tripwire: Partial<Tripwire> & Pick<Tripwire, 'reason'>;
  /** The link to its position in the run; without it there is no link. */
  readonly href?: string;
}

/** The tripwire of a run: reason, guard, phase, retry request, and metadata. */
export const BlockNotice = ({ tripwire, href }: BlockNoticeProps) => {
  const { reason, processorId, phase, retry, metadata, kind } = tripwire;
  const title = usePhaseTitle()(phase ?? '');
  return (
    <Notice tone="trip" icon={OctagonX} role="status">
      <h3>
        {kind === 'unavailable' ? 'Stopped' : 'Blocked'} by <InertText text={processorId || 'a guard'} />{' '}
        {kind === 'unavailable' && <Badge tone="trip">unavailable</Badge>}
      </h3>
      <p>
        <InertText text={reason} />
      </p>
      <FactList
        facts={{
          Phase: title === '' ? undefined : title, // not reported by Mastra's own agent
          Retry: retry === true ? 'requested, not granted' : retry === false ? 'not requested' : undefined,
          Metadata: metadata,
        }}
      />
      {href !== undefined && <Link href={href}>Show in the run</Link>}
    </Notice>
  );
};
