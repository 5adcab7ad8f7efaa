import { Columns2, GitCompareArrows, GitFork } from 'lucide-react';
import { Link } from 'wouter';
import { getText, query } from '../../api/request.js';
import { fileName } from './file-name.js';
import { CopyButton, SaveButton } from './take-button.js';

/** What can be taken away from a run, and the way to its replay. */
export const RunTakeAway = ({ runId }: { readonly runId: string }) => {
  const path = `runs/${encodeURIComponent(runId)}`;
  return (
    <div className="panel-tools">
      <CopyButton text={() => getText(`${path}/fixture`)}>Copy as a test</CopyButton>
      <SaveButton name={fileName(runId, 'jsonl')} type="application/x-ndjson" text={() => getText(`${path}/trace`)}>
        Download trace
      </SaveButton>
      <Link className="button button-plain" href={`/runs/${encodeURIComponent(runId)}/compare`}>
        <GitCompareArrows size={14} aria-hidden />
        Replay and compare
      </Link>
      <Link className="button button-plain" href={`/runs/${encodeURIComponent(runId)}/edit`}>
        <GitFork size={14} aria-hidden />
        Edit and run again
      </Link>
      <Link className="button button-plain" href={`/runs${query({ beside: runId })}`}>
        <Columns2 size={14} aria-hidden />
        Compare with another run
      </Link>
    </div>
  );
};
