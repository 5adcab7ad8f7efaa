import { Cable, Check, Waypoints } from 'lucide-react';
import { Link } from 'wouter';
import { useCatalog } from '../../api/catalog.js';
import type { PhaseInfo, PipelineInfo } from '../../../protocol/catalog.js';
import { Badge, ProcessorBadge, WordBadge } from '../../components/badge.js';
import { ButtonLink } from '../../components/button.js';
import { EmptyState } from '../../components/notices.js';
import { count } from '../../components/format.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { pipelineHref } from '../../shell/hrefs.js';
import { Table, type Column } from '../../components/table.js';
import './pipelines.css';

/** All pipelines: the phases and agents of each, and its defects. */
export const PipelinesPage = () => {
  const { pipelines } = useCatalog();
  return (
    <div className="page">
      <header className="spread">
        <h1>Pipelines</h1>
        <ButtonLink icon={Waypoints} href="/machine">
          Loop statechart
        </ButtonLink>
      </header>
      {pipelines.length === 0 ? (
        <EmptyState icon={Cable} title="No pipelines">
          Add guards to an agent, or register a workflow of type “processor”.
        </EmptyState>
      ) : (
        <PipelineTable />
      )}
    </div>
  );
};

const PipelineTable = () => {
  const { phases, pipelines } = useCatalog();
  return (
    <Table
      className="rows-flush pipelines"
      rows={pipelines}
      columns={[
        {
          title: 'Pipeline',
          render: ({ id, name, graph }) => (
            <>
              <Link href={pipelineHref(id)}>{name}</Link>
              <span className="cluster soft tiny pipelines-kind">
                <ProcessorBadge />
                {count(guardsIn(graph).length, 'guard')}
              </span>
            </>
          ),
        },
        ...phases.map(phaseColumn),
        {
          title: 'Used by',
          render: ({ usedBy }) => (usedBy.length > 0 ? usedBy.join(', ') : <span className="faint">no agent</span>),
        },
        { title: 'Findings', render: FindingCount },
      ]}
    />
  );
};

const phaseColumn = ({ phase, title, hook }: PhaseInfo): Column<PipelineInfo> => {
  const isCovered = ({ phases }: PipelineInfo): boolean => phases.includes(phase);
  return {
    title,
    hint: hook,
    render: (pipeline) =>
      isCovered(pipeline) ? <Check size={14} aria-label="covered" /> : <span className="unseen">not covered</span>,
    className: (pipeline) => `pipelines-phase ${pipeline ? (isCovered(pipeline) ? 'pipelines-covered' : 'pipelines-open') : ''}`,
  };
};

/** The number of findings, in the color of the worst. */
const FindingCount = ({ findings }: PipelineInfo) => {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return <WordBadge tone="trip" word={count(errors, 'error')} />;
  return findings.length === 0 ? (
    <WordBadge tone="pass" word="none" />
  ) : (
    <Badge tone="edit">{count(findings.length, 'warning')}</Badge>
  );
};
