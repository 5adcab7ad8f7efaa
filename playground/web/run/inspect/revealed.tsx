import { Eye } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ApiError, query, runFile } from '../../api/request.js';
import { restMs, useGet } from '../../api/use-loaded.js';
import { Button } from '../../components/button.js';
import { ErrorNotice } from '../../components/notices.js';
import { InertText } from '../../components/inert-text.js';

interface RevealedProps<T> {
  readonly path: string;
  readonly noun: string;
  /** Whether the server masks text that was not emitted. */
  readonly isMasked?: boolean;
  readonly children: (value: T) => ReactNode;
}

/** A server without this run's text is no error. */
const isUnknown = (error: Error): boolean => error instanceof ApiError && error.code !== 'studio/unreachable';

/** Texts of a run. Text that was not emitted is shown only on request. */
export const Revealed = <T,>({ path, noun, isMasked = false, children }: RevealedProps<T>) => {
  const [isRevealed, setIsRevealed] = useState(false);
  const loaded = useGet<T>(`${path}${query({ reveal: isRevealed ? 1 : undefined })}`, restMs);
  if (loaded.state === 'loading') return <p className="soft small">Loading {noun} …</p>;
  if (loaded.state === 'failed')
    return isUnknown(loaded.error) ? (
      <p className="soft small">
        <InertText text={loaded.error.message} />
      </p>
    ) : (
      <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
    );
  return (
    <div className="stack-s revealed">
      {children(loaded.value)}
      {isMasked && !isRevealed && !runFile && JSON.stringify(loaded.value).includes('▒') && (
        <Button icon={Eye} look="quiet" onClick={() => setIsRevealed(true)}>
          Show text that was not emitted
        </Button>
      )}
    </div>
  );
};
