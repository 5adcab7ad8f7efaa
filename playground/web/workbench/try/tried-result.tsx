import type { GraphShape } from '../../../protocol/catalog.js';
import type { Tried } from '../../../protocol/workbench.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { targetTitle } from '../../components/target-title.js';
import { BlockNotice } from '../../components/block-notice.js';
import { WordDiff } from '../../components/word-diff.js';
import { writeJson } from '../form/edit-payload.js';
import { RowHead, RowTable } from '../row-head.js';
import { isChanged, textChanges } from './agreement.js';
import { StepStatus } from './step-status.js';
import type { Change } from '../../../../schemas/run-event.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { markName, tellMark } from '../../../fold/facts.js';
import { Badge, MarkBadge } from '../../components/badge.js';
import type { GuardMark } from '../../../fold/run-view.js';
import { marksOfPlan } from './marks-of-tries.js';

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
      <StepStatus status={tried.status} />
      <span className="faint">{formatDuration(tried.durationMs)}</span>
    </header>
    {tried.tripwire && <BlockNotice tripwire={tried.tripwire} />}
    {tried.error && (
      <p className="small">
        <InertText text={tried.error.message} /> {tried.error.code !== undefined && <code>{tried.error.code}</code>}
      </p>
    )}
    {tried.payload !== undefined && <Texts tried={tried} />}
    {tried.steps.length > 0 ? <Steps tried={tried} /> : <TriedVerdicts tried={tried} graph={graph} phase={phase} />}
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

const Texts = ({ tried }: { readonly tried: Tried }) => {
  const changes = textChanges(tried);
  const changed = changes.filter(isChanged);
  if (changes.length === 0) return <p className="faint">No text in this payload.</p>;
  return (
    <div className="stack">
      {changed.length === 0 && <p className="faint">No text changed.</p>}
      {(changed.length > 0 ? changed : changes).map(({ target, before, after }) => (
        <div key={target}>
          <h4 title={target}>{targetTitle(target)}</h4>
          <WordDiff before={before} after={after} />
        </div>
      ))}
    </div>
  );
};

const Steps = ({ tried: { steps } }: { readonly tried: Tried }) => (
  <RowTable caption="Steps" columns={['Step', 'Status', 'Took']}>
    {steps.map(({ path, id, status, durationMs, reason }) => (
      <tr key={path}>
        <RowHead id={id} path={path} reason={reason} />
        <td>
          <StepStatus status={status} />
        </td>
        <td>{durationMs === undefined ? '' : formatDuration(durationMs)}</td>
      </tr>
    ))}
  </RowTable>
);

interface TriedVerdictsProps {
  readonly tried: Tried;
  readonly graph: GraphShape;
  readonly phase: string;
}

/** Each guard of the phase in the order of the pipeline, with its verdict and changes; then the reports of its blocks. */
const TriedVerdicts = ({ tried, graph, phase }: TriedVerdictsProps) => {
  const marks = marksOfPlan(tried);
  const guards = guardsIn(graph).filter(({ phases }) => phases.includes(phase));
  const paths = new Set(guards.map(({ path }) => path));
  if (guards.length === 0) return null;
  return (
    <RowTable caption="Guards" columns={['Guard', 'Verdict', 'Took']}>
      {guards.map(({ id, path }, author) => {
        const own = marks.filter((mark) => mark.path === path);
        return own.length > 0 ? (
          own.map((mark) => <MarkRow key={mark.seq} mark={mark} changes={changesOf(tried, mark)} author={author} />)
        ) : (
          <tr key={path}>
            <RowHead id={id} path={path} reason={undefined} />
            <td colSpan={2}>
              <Badge>no verdict</Badge>
            </td>
          </tr>
        );
      })}
      {marks
        .filter(({ path }) => !paths.has(path))
        .map((mark) => (
          <MarkRow key={mark.seq} mark={mark} changes={[]} author={0} />
        ))}
    </RowTable>
  );
};

interface MarkRowProps {
  readonly mark: GuardMark;
  readonly changes: readonly Change[];
  readonly author: number;
}

const MarkRow = ({ mark, changes, author }: MarkRowProps) => (
  <>
    <tr>
      <RowHead id={markName(mark)} path={mark.path} reason={tellMark(mark).note} />
      <td>
        <MarkBadge mark={mark} />
      </td>
      <td>{'durationMs' in mark && mark.durationMs !== undefined ? formatDuration(mark.durationMs) : ''}</td>
    </tr>
    {changes.map((change) => (
      <tr key={change.target} className="tried-change">
        <td colSpan={3}>
          <h4 title={change.target}>{targetTitle(change.target)}</h4>
          <WordDiff before={change.before ?? ''} after={textAfter(change)} author={author} />
        </td>
      </tr>
    ))}
  </>
);

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
