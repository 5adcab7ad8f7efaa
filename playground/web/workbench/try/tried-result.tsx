import type { GraphShape } from '../../../protocol/catalog.js';
import type { Tried } from '../../../protocol/workbench.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { pairsOf, targetTitle } from '../../components/text-pairs.js';
import { BlockNotice } from '../../components/block-notice.js';
import { WordDiff } from '../../components/word-diff.js';
import { writeJson } from '../form/edit-payload.js';
import { RowName, Table } from '../../components/table.js';
import { Texts } from '../../components/texts.js';
import type { Change } from '../../../../schemas/run-event.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { markName, tellMark } from '../../../fold/facts.js';
import { Badge, MarkBadge, WordBadge } from '../../components/badge.js';
import type { GuardMark } from '../../../fold/run-view.js';
import { marksOfPlan, stepTone } from './marks-of-tries.js';

interface TriedResultProps {
  readonly title: string;
  readonly tried: Tried;
  readonly graph: GraphShape;
  readonly phase: string;
}

/** The result of a try: the run, the changes of the texts, and each guard or step. */
export const TriedResult = ({ title, tried, graph, phase }: TriedResultProps) => (
  <section className="stack card tried" aria-label={`Result: ${title}`}>
    <header className="cluster tiny tried-head">
      <h3>{title}</h3>
      <WordBadge tone={stepTone(tried.status)} word={tried.status} />
      <span className="faint">{formatDuration(tried.durationMs)}</span>
    </header>
    {tried.tripwire && <BlockNotice tripwire={tried.tripwire} />}
    {tried.error && (
      <p className="small">
        <InertText text={tried.error.message} /> {tried.error.code !== undefined && <code>{tried.error.code}</code>}
      </p>
    )}
    {tried.payload !== undefined && <Texts pairs={pairsOf(tried.before, tried.after)} same="Unchanged" />}
    {tried.steps.length > 0 ? <StepTable tried={tried} /> : <TriedVerdicts tried={tried} graph={graph} phase={phase} />}
    {tried.payload !== undefined && (
      <details className="small">
        <summary>Resulting payload</summary>
        <pre>
          <InertText text={writeJson(tried.payload)} />
        </pre>
      </details>
    )}
  </section>
);

const StepTable = ({ tried: { steps } }: { readonly tried: Tried }) => (
  <Table
    caption="Steps"
    rows={steps}
    columns={[
      {
        title: 'Step',
        render: ({ id, path, reason }) => <RowName name={id} path={path} note={reason} />,
      },
      { title: 'Status', render: ({ status }) => <WordBadge tone={stepTone(status)} word={status} /> },
      { title: 'Took', render: ({ durationMs }) => durationMs !== undefined && formatDuration(durationMs) },
    ]}
  />
);

/** A guard of the phase, with its verdict if it has one. */
interface Judged {
  readonly name: string;
  readonly path: string;
  readonly mark?: GuardMark;
  readonly author: number;
}

/** Each guard of the phase in the order of the pipeline, with its verdict and changes; then the reports of its groups. */
const TriedVerdicts = ({ tried, graph, phase }: Omit<TriedResultProps, 'title'>) => {
  const marks = marksOfPlan(tried);
  const guards = guardsIn(graph).filter(({ phases }) => phases.includes(phase));
  if (guards.length === 0) return null;
  const judged = (own: readonly GuardMark[], author: number): Judged[] =>
    own.map((mark) => ({ name: markName(mark), path: mark.path, mark, author }));
  const rows = guards.flatMap(({ id: name, path }, author): Judged[] => {
    const own = marks.filter((mark) => mark.path === path);
    return own.length > 0 ? judged(own, author) : [{ name, path, author }];
  });
  const ofGroups = marks.filter((mark) => !guards.some(({ path }) => path === mark.path));
  return (
    <Table
      caption="Guards"
      rows={[...rows, ...judged(ofGroups, 0)]}
      columns={[
        { title: 'Guard', render: ({ mark, ...guard }) => <RowName {...guard} note={mark && tellMark(mark).note} /> },
        { title: 'Verdict', render: ({ mark }) => (mark ? <MarkBadge mark={mark} /> : <Badge>no verdict</Badge>) },
        { title: 'Took', render: ({ mark }) => mark && 'durationMs' in mark && formatDuration(mark.durationMs ?? 0) },
      ]}
      more={({ mark, author }) =>
        mark &&
        changesOf(tried, mark).map((change) => (
          <tr key={change.target} className="tried-change">
            <td colSpan={3}>
              <h4 title={change.target}>{targetTitle(change.target)}</h4>
              <WordDiff before={change.before ?? ''} after={textAfter(change)} author={author} />
            </td>
          </tr>
        ))
      }
    />
  );
};

/** The same words may occur at two places of a message; one diff shows them. */
const changesOf = ({ events }: Tried, { seq }: GuardMark): readonly Change[] => {
  const event = events[seq];
  const { changes = [] } = event?.type === 'guard' ? event : {};
  return [
    ...new Map(changes.toReversed().map((change) => [`${change.before} ${textAfter(change)}`, change])).values(),
  ].toReversed();
};

/** The text after a change. */
const textAfter = ({ before = '', after, spans }: Change): string =>
  spans
    ? spans
        .toSorted((a, b) => b.start - a.start)
        .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), before)
    : (after ?? '');
