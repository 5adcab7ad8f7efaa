import { Fragment, type ReactNode } from 'react';
import { InertText } from './inert-text.js';
import './table.css';

/** A column: its title, and its cell of each row. The cell of the first column names the row. */
export interface Column<R> {
  readonly title: string;
  /** A longer title. */
  readonly hint?: string;
  readonly render: (row: R) => ReactNode;
  readonly className?: (row: R | undefined) => string;
}

interface TableProps<R> {
  /** Names the table to screen readers. */
  readonly caption?: string;
  readonly className?: string;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  readonly rowClass?: (row: R) => string;
  /** More of a row, below its cells. */
  readonly more?: (row: R) => ReactNode;
}

export const Table = <R,>({ caption, className = '', rows, columns, rowClass, more }: TableProps<R>) => (
  <table className={`rows small ${className}`}>
    {caption !== undefined && <caption className="unseen">{caption}</caption>}
    <thead>
      <tr>
        {columns.map(({ title, hint, className: look }) => (
          <th key={title} scope="col" title={hint} className={look?.(undefined)}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a guard may be asked more than once at one place
        <Fragment key={index}>
          <tr className={rowClass?.(row)}>
            {columns.map(({ title, render, className: look }, place) =>
              place === 0 ? (
                <th key={title} scope="row" className={look?.(row)}>
                  {render(row)}
                </th>
              ) : (
                <td key={title} data-title={title} className={look?.(row)}>
                  {render(row)}
                </td>
              ),
            )}
          </tr>
          {more?.(row)}
        </Fragment>
      ))}
    </tbody>
  </table>
);

/** A second line of a cell; nothing without text. */
export const Aside = ({ children }: { readonly children: ReactNode }) =>
  children !== undefined && (
    <span className="row-reason soft tiny">{typeof children === 'string' ? <InertText text={children} /> : children}</span>
  );

interface RowNameProps {
  readonly name: string;
  /** The path in the pipeline. */
  readonly path: string;
  readonly note?: ReactNode;
}

/** The name of a guard or a step, with a second line. */
export const RowName = ({ name, path, note }: RowNameProps) => (
  <span title={path}>
    <InertText text={name} />
    <Aside>{note}</Aside>
  </span>
);
