import { Cable, Check, Waypoints } from 'lucide-react';
import { Link } from 'wouter';
import { useCatalog } from '../../api/catalog.js';
import type { PhaseInfo, PipelineInfo } from '../../../protocol/catalog.js';
import { ProcessorBadge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { count } from '../../components/format.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { pipelineHref } from './pipeline-href.js';
import { FindingCount } from './severity.js';
import '../workbench.css';
import './pipelines.css';

/** All pipelines: the phases and agents of each, and its defects. */
export const PipelinesPage = () => {
  const { phases, pipelines } = useCatalog();
  return (
    <div className="page">
      <header className="spread">
        <h1>Pipelines</h1>
        <Link className="button button-plain" href="/machine">
          <Waypoints size={14} aria-hidden />
          Loop statechart
        </Link>
      </header>
      {pipelines.length === 0 ? (
        <EmptyState icon={Cable} title="No pipelines">
          Add guards to an agent, or register a workflow of type “processor”.
        </EmptyState>
      ) : (
        <PipelineTable phases={phases} pipelines={pipelines} />
      )}
    </div>
  );
};

interface TableProps {
  readonly phases: readonly PhaseInfo[];
  readonly pipelines: readonly PipelineInfo[];
}

const PipelineTable = ({ phases, pipelines }: TableProps) => (
  <table className="rows small rows-flush pipelines">
    <thead>
      <tr>
        <th scope="col">Pipeline</th>
        {phases.map(({ phase, title, hook }) => (
          <th key={phase} scope="col" className="pipelines-phase" title={hook}>
            {title}
          </th>
        ))}
        <th scope="col">Used by</th>
        <th scope="col">Findings</th>
      </tr>
    </thead>
    <tbody>
      {pipelines.map((pipeline) => (
        <PipelineRow key={pipeline.id} pipeline={pipeline} phases={phases} />
      ))}
    </tbody>
  </table>
);

const PipelineRow = ({ pipeline, phases }: { readonly pipeline: PipelineInfo; readonly phases: readonly PhaseInfo[] }) => (
  <tr>
    <th scope="row">
      <Link href={pipelineHref(pipeline.id)}>{pipeline.name}</Link>
      <span className="cluster soft tiny pipelines-kind">
        <ProcessorBadge />
        {count(guardsIn(pipeline.graph).length, 'guard')}
      </span>
    </th>
    {phases.map(({ phase, title }) => {
      const isCovered = pipeline.phases.includes(phase);
      return (
        <td key={phase} className={`pipelines-phase ${isCovered ? 'pipelines-covered' : 'pipelines-open'}`} data-title={title}>
          {isCovered ? <Check size={14} aria-label="covered" /> : <span className="unseen">not covered</span>}
        </td>
      );
    })}
    <td data-title="Used by">
      {pipeline.usedBy.length > 0 ? pipeline.usedBy.join(', ') : <span className="faint">no agent</span>}
    </td>
    <td data-title="Findings">
      <FindingCount findings={pipeline.findings} />
    </td>
  </tr>
);
