import { CircleX } from 'lucide-react';
import { Button } from './button.js';
import { InertText } from './inert-text.js';
import './notices.css';

interface ErrorNoticeProps {
  /** An error, or the server's report of one. */
  readonly error: {
    readonly message: string;
    readonly code?: string | undefined;
    readonly path?: string | undefined;
    readonly docs?: string | undefined;
  };
  readonly onRetry?: () => void;
}

/** The error with its code and its documentation, and a button to try again. */
export const ErrorNotice = ({ error, onRetry }: ErrorNoticeProps) => (
  <div className="notice tone-trip" role="alert">
    <CircleX size={18} aria-hidden />
    <div className="stack-s notice-body">
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
      {error.docs !== undefined && <Documentation address={error.docs} />}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  </div>
);

/** The address of an error's documentation: a link, or the path of a file in the installed package. */
const Documentation = ({ address }: { readonly address: string }) => (
  <p>
    {address.startsWith('https:') ? (
      <a href={address} target="_blank" rel="noreferrer">
        How to fix it
      </a>
    ) : (
      <>
        How to fix it: <code>{address}</code>
      </>
    )}
  </p>
);
