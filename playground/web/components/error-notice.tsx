import { CircleX } from 'lucide-react';
import { Button } from './button.js';
import { InertText } from './inert-text.js';
import './notices.css';

interface ErrorNoticeProps {
  /** An error, or the server's report of one. */
  readonly error: { readonly message: string; readonly code?: string | undefined; readonly path?: string | undefined };
  readonly onRetry?: () => void;
}

/** What went wrong, with its code, and a way to try again. */
export const ErrorNotice = ({ error, onRetry }: ErrorNoticeProps) => (
  <div className="notice notice-trip" role="alert">
    <CircleX size={18} aria-hidden />
    <div className="notice-body">
      <p>
        <InertText text={error.message} />
      </p>
      {error.code !== undefined && !error.message.startsWith(`[${error.code}]`) && (
        <p>
          <code>{error.code}</code>
          {error.path !== undefined && (
            <>
              {' at '}
              <code>
                <InertText text={error.path} />
              </code>
            </>
          )}
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  </div>
);
