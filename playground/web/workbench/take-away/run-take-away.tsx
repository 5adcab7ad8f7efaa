import { Columns2, Download, GitCompareArrows, GitFork } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../../protocol/run-file.js';
import { getText, query } from '../../api/request.js';
import { fileName } from './file-name.js';
import { saveFile } from './save.js';
import { CopyButton, SaveButton } from './take-button.js';
import './run-take-away.css';

/** What can be taken away from a run, and the way to its replay. */
export const RunTakeAway = ({ runId, isRecorded }: { readonly runId: string; readonly isRecorded: boolean }) => (
  <div className="panel-tools">
    <Files runId={runId} isRecorded={isRecorded} />
    {isRecorded && (
      <>
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
      </>
    )}
  </div>
);

/** The run as files. Words that no reader has seen are in them only where that is asked for. */
const Files = ({ runId, isRecorded }: { readonly runId: string; readonly isRecorded: boolean }) => {
  const [hasAllWords, setHasAllWords] = useState(false);
  const path = runPath(runId);
  const words = query({ words: hasAllWords ? 'all' : undefined });
  const trace = fileName(runId, 'jsonl');
  const copyTest = async (): Promise<string> => {
    const [test, lines] = await Promise.all([getText(`${path}/fixture`), getText(`${path}/trace?words=all`)]);
    saveFile(trace, lines, 'application/x-ndjson');
    return test;
  };
  return (
    <details className="take-away">
      <summary className="button button-plain">
        <Download size={14} aria-hidden />
        Export
      </summary>
      <div className="take-away-menu">
        <SaveButton name={fileName(runId, 'html')} type="text/html" text={() => getText(`${path}/file${words}`)}>
          Save as one HTML file
        </SaveButton>
        {isRecorded && (
          <>
            <SaveButton name={trace} type="application/x-ndjson" text={() => getText(`${path}/trace${words}`)}>
              Download trace
            </SaveButton>
            <label>
              <input type="checkbox" checked={hasAllWords} onChange={({ target }) => setHasAllWords(target.checked)} />
              Include words that no reader has seen
            </label>
            <CopyButton text={copyTest}>Copy as a test</CopyButton>
            <p className="faint">Also saves the trace with all words; the test reads it from {trace}.</p>
          </>
        )}
      </div>
    </details>
  );
};
