import { type LucideIcon, CircleX, LoaderCircle, Signpost } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from '../../fold/facts.js';
import { Button } from './button.js';
import { InertText } from './inert-text.js';
import type { Loading } from '../api/use-loaded.js';
import { Link } from 'wouter';
import './notices.css';

interface NoticeProps {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly role?: 'status' | 'alert';
  readonly children: ReactNode;
}

/** A message with a frame in the color of its tone. */
export const Notice = ({ tone, icon: Icon, role, children }: NoticeProps) => (
  <div className={`notice tone-${tone}`} role={role}>
    <Icon size={18} aria-hidden />
    <div className="stack-s notice-body">{children}</div>
  </div>
);

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
    How to fix it:{' '}
    {address.startsWith('https:') ? (
      <a href={address} target="_blank" rel="noreferrer">
        {address}
      </a>
    ) : (
      <code>{address}</code>
    )}
  </p>
);

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** It is the whole page. */
  readonly isPage?: boolean;
  /** Instructions for filling the page or list. */
  readonly children?: ReactNode;
}

/** The placeholder of an empty page or list. */
export const EmptyState = ({ icon: Icon, title, isPage = false, children }: EmptyStateProps) => (
  <div className="stack-s soft empty">
    <Icon size={28} strokeWidth={1.5} aria-hidden />
    {isPage ? <h1>{title}</h1> : <h3>{title}</h3>}
    {children !== undefined && <p>{children}</p>}
  </div>
);

/** Shows that something is loading. */
export const Waiting = ({ noun }: { readonly noun: string }) => (
  <div className="cluster soft waiting" role="status">
    <LoaderCircle size={18} aria-hidden />
    <span>Loading {noun} …</span>
  </div>
);

interface LoadedProps<T> {
  readonly loaded: Loading<T>;
  readonly noun: string;
  readonly children: (value: T) => ReactNode;
}

/** Loaded data; in its place the progress, or the error. */
export const Loaded = <T,>({ loaded, noun, children }: LoadedProps<T>) => {
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  return loaded.state === 'loading' ? <Waiting noun={noun} /> : children(loaded.value);
};

/** The page for an unknown address. */
export const NotFound = () => (
  <EmptyState icon={Signpost} title="Page not found" isPage>
    <Link href="/">To the chat</Link>, or <Link href="/runs">to the runs</Link>.
  </EmptyState>
);
