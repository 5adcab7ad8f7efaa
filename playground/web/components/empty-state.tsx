import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import './notices.css';

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
