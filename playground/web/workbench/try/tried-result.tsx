import type { GraphShape } from '../../../protocol/catalog.js';
import type { Tried } from '../../../protocol/workbench.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { TripwireNotice } from '../../components/tripwire-notice.js';
import { WordDiff } from '../../components/word-diff.js';
import { writeJson } from '../form/edit-payload.js';
import { RowHead, RowTable } from '../row-head.js';
import { isChanged, textChanges } from './agreement.js';
import { StepStatus } from './step-status.js';
import { TriedVerdicts } from './tried-verdicts.js';

interface TriedResultProps {
  readonly title: string;
  readonly tried: Tried;
  readonly graph: GraphShape;
  readonly phase: string;
}

/** How a try went: the run, what became of the words, and each guard or step. */
export const TriedResult = ({ title, tried, graph, phase }: TriedResultProps) => (
  <section className="tried" aria-label={`Result: ${title}`}>
    <header className="tried-head">
      <h3>{title}</h3>
      <StepStatus status={tried.status} />
      <span className="faint">{formatDuration(tried.durationMs)}</span>
    </header>
    {tried.tripwire && <TripwireNotice tripwire={tried.tripwire} />}
    {tried.error && (
      <p className="tried-error">
        <InertText text={tried.error.message} /> {tried.error.code !== undefined && <code>{tried.error.code}</code>}
      </p>
    )}
    {tried.payload !== undefined && <Texts tried={tried} />}
    {tried.steps.length > 0 ? <Steps tried={tried} /> : <TriedVerdicts tried={tried} graph={graph} phase={phase} />}
    {tried.payload !== undefined && (
      <details className="tried-payload">
        <summary>Payload as it came out</summary>
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
    <div className="tried-texts">
      {changed.length === 0 && <p className="faint">No words were changed.</p>}
      {(changed.length > 0 ? changed : changes).map(({ target, before, after }) => (
        <div key={target}>
          <code className="faint">{target}</code>
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
