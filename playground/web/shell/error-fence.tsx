import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.js';

interface FenceState {
  readonly error: Error | undefined;
}

/** Shows what broke a page in its place, and lets it be tried again. React has no other form for this than a class. */
export class ErrorFence extends Component<{ readonly children: ReactNode }, FenceState> {
  override readonly state: FenceState = { error: undefined };

  static getDerivedStateFromError(thrown: unknown): FenceState {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page">
        <ErrorNotice error={error} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}
