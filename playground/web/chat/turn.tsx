import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { useRun } from '../api/run-readers.js';
import { StatusBadge } from '../components/badge.js';
import { ErrorNotice } from '../components/error-notice.js';
import { InertText } from '../components/inert-text.js';
import { TripwireNotice } from '../components/tripwire-notice.js';
import { markersOf } from '../fold/markers.js';
import type { RunView } from '../fold/run-view.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { runHref } from '../shell/run-href.js';
import { Approval } from './approval.js';
import { Attempt } from './attempt.js';
import { ModelSaw } from './model-saw.js';

/** The line at which a run was stopped: the verdict itself, or its end. */
const stopSeq = (entries: readonly StudioEntry[]): number | undefined =>
  markersOf(entries).find(({ kind }) => kind === 'trip')?.seq;

const Said = ({ runId, view }: { readonly runId: string; readonly view: RunView }) => {
  const last = view.said.findLast(({ role }) => role === 'user') ?? view.said.at(-1);
  return last ? (
    <>
      <div className="said" dir="auto">
        <InertText text={last.text} />
      </div>
      <ModelSaw runId={runId} view={view} said={last.text} />
    </>
  ) : null;
};

/** A turn: what was said, every attempt at an answer, and how it ended. */
export const Turn = ({ runId }: { readonly runId: string }) => {
  const { fold, entries, count, state, error } = useRun(runId);
  const view = fold.at();
  const isLive = state === 'live' && view.status === 'running';
  return (
    <li className="turn">
      <Said runId={runId} view={view} />
      <div className="answer" aria-busy={isLive}>
        {view.lanes.map((lane) => (
          <Attempt key={lane.index} runId={runId} lane={lane} isLive={isLive} isLast={lane.index === view.lanes.length - 1} />
        ))}
        {view.status === 'suspended' &&
          !view.error && // else nobody can answer it
          view.waiting.map((call) => <Approval key={call.toolCallId} runId={runId} call={call} />)}
        {view.tripwire && <TripwireNotice tripwire={view.tripwire} href={runHref(runId, stopSeq(entries))} />}
        {view.error && <ErrorNotice error={view.error} />}
        {error && state === 'failed' && <ErrorNotice error={error} />}
        <p className="turn-foot">
          {count === 0 && state === 'loading' ? (
            <span className="turn-note">Loading …</span>
          ) : (
            <StatusBadge status={view.status} />
          )}
          {state === 'waiting' && <span className="turn-note">The server is away; waiting for it …</span>}
          <Link href={runHref(runId)}>
            Open the run <ArrowRight size={13} aria-hidden />
          </Link>
        </p>
      </div>
    </li>
  );
};
