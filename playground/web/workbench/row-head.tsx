import { InertText } from '../components/inert-text.js';
import './workbench.css';

/** What a guard said beside its verdict; nothing where it said nothing. */
export const RowReason = ({ text }: { readonly text: string | undefined }) =>
  text !== undefined && (
    <span className="row-reason">
      <InertText text={text} />
    </span>
  );

interface RowHeadProps {
  readonly id: string;
  /** The way through the pipeline to it. */
  readonly path: string;
  readonly reason: string | undefined;
}

/** The head of a row that is about a guard, or a step of a pipeline. */
export const RowHead = ({ id, path, reason }: RowHeadProps) => (
  <th scope="row" title={path}>
    <InertText text={id} />
    <RowReason text={reason} />
  </th>
);
