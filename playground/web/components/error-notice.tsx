import { CircleX } from 'lucide-react';
import { Button } from './button.js';
import { InertText } from './inert-text.js';
import { Notice } from './notice.js';

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
  <Notice tone="trip" icon={CircleX} role="alert">
    <p>
      <InertText text={error.message} />
    </p>
    {error.code !== undefined && !error.message.startsWith(`[${error.code}]`) && (
      <p>
        <code>
          <InertText text={error.path === undefined ? error.code : `${error.code} at ${error.path}`} />
        </code>
      </p>
    )}
    {error.docs !== undefined && <Documentation address={error.docs} />}
    {onRetry && <Button onClick={onRetry}>Try again</Button>}
  </Notice>
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
