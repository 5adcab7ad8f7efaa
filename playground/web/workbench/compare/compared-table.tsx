import type { ComparedRow, ComparedVerdict } from '../../../protocol/runs.js';
import { usePhaseTitle } from '../../api/catalog.js';
import { VerdictBadge } from '../../components/badge.js';
import { attemptName } from '../../components/format.js';
import { Panel } from '../../components/panel.js';
import { Aside, RowName, Table } from '../../components/table.js';
import { WordDiff } from '../../components/word-diff.js';
import { changeOf, differingFirst, hasCalls, recordedAndReplayed, type Sides } from './order-rows.js';
import './compare.css';

interface ComparedTableProps {
  readonly rows: readonly (ComparedRow & { readonly agents?: readonly string[] })[];
  /** The names of the two sides. Default: a recording and its replay. */
  readonly sides?: Sides;
}

/** Verdicts of both sides, different ones first. */
export const ComparedTable = ({ rows, sides = recordedAndReplayed }: ComparedTableProps) => {
  const placeOf = usePlace();
  if (rows.length === 0) return <p className="faint compared-none">No guard ran.</p>;
  return (
    <Table
      className="rows-flush rows-cards compared"
      rows={differingFirst(rows)}
      rowClass={({ differs }) => (differs ? 'compared-differs' : '')}
      columns={[
        {
          title: hasCalls(rows) ? 'Guard or tool' : 'Guard',
          render: ({ processorId, path, agents = [] }) => (
            <RowName name={processorId} path={path} note={agents.length > 0 ? `sub-agent ${agents.join(' › ')}` : undefined} />
          ),
        },
        { title: 'Phase', render: placeOf },
        { title: sides.before.title, render: ({ before }) => <Verdict verdict={before} /> },
        { title: sides.after.title, render: ({ after }) => <Verdict verdict={after} /> },
        { title: 'Change', render: (row) => changeOf(row, sides) },
      ]}
    />
  );
};

/** The place of a verdict: its phase, step and attempt. */
export const usePlace = (): ((row: ComparedRow) => string) => {
  const titleOf = usePhaseTitle();
  return (row) => `${titleOf(row.phase)}, ${attemptName(row)}`;
};

/** A verdict with its reason. */
export const Verdict = ({ verdict }: { readonly verdict: ComparedVerdict | undefined }) =>
  verdict ? (
    <>
      <VerdictBadge verdict={verdict.verdict} />
      <Aside>{verdict.reason}</Aside>
    </>
  ) : (
    <span className="faint">not called</span>
  );

interface ResponsesProps {
  readonly before: string;
  readonly after: string;
  readonly note: string;
}

/** The responses of two runs, word by word. */
export const ComparedResponses = ({ before, after, note }: ResponsesProps) => (
  <Panel title="Response" note={note}>
    {before === '' && after === '' ? (
      <p className="faint">Neither run has a response.</p>
    ) : (
      <WordDiff before={before} after={after} />
    )}
  </Panel>
);
