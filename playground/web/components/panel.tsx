import { useId, type ReactNode } from 'react';
import './panel.css';

interface PanelProps {
  readonly title: ReactNode;
  /** A short note next to the title. */
  readonly note?: ReactNode;
  /** Buttons at the right of the title. */
  readonly tools?: ReactNode;
  /** Without padding, for content that fills it: a graph, a table. */
  readonly isFlush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A framed part of a page, with a title. */
export const Panel = ({ title, note, tools, isFlush = false, className = '', children }: PanelProps) => {
  const id = useId();
  return (
    <section className={`panel ${isFlush ? 'panel-flush' : ''} ${className}`} aria-labelledby={id}>
      <header className="spread panel-head">
        <div className="cluster">
          <h2 id={id}>{title}</h2>
          {note !== undefined && <span className="faint tiny">{note}</span>}
        </div>
        {tools !== undefined && <div className="cluster">{tools}</div>}
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
};
