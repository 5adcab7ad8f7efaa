import type { ReactNode } from 'react';
import { InertText } from '../components/inert-text.js';
import './workbench.css';

/** A guard's reason next to its verdict; nothing without a reason. */
export const RowReason = ({ text }: { readonly text: string | undefined }) =>
  text !== undefined && (
    <span className="row-reason soft tiny">
      <InertText text={text} />
    </span>
  );

interface RowHeadProps {
  readonly id: string;
  /** The path in the pipeline. */
  readonly path: string;
  readonly reason: string | undefined;
}

/** The head of a row about a guard, or a step of a pipeline. */
export const RowHead = ({ id, path, reason }: RowHeadProps) => (
  <th scope="row" title={path}>
    <InertText text={id} />
    <RowReason text={reason} />
  </th>
);

interface RowTableProps {
  /** Names the table to screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table with rows about guards, or steps of a pipeline. */
export const RowTable = ({ caption, columns, children }: RowTableProps) => (
  <table className="rows small">
    <caption className="unseen">{caption}</caption>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
