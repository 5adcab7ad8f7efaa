import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { StartedRun } from '../../protocol/runs.js';
import { postText } from '../api/request.js';
import { runHref } from '../shell/run-href.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/error-notice.js';

/** Takes in an exported run, or a trace, and opens it. */
export const ImportRun = () => {
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<Error>();
  const [, navigate] = useLocation();
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      navigate(runHref((await postText<Pick<StartedRun, 'runId'>>('import', await file.text())).runId));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        accept=".html,.jsonl"
        aria-label="File of a run"
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <Button look="plain" onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden /> Import a run
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  );
};
