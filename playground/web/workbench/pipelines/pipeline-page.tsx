import { useCallback, useMemo, useState } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { getText } from '../../api/request.js';
import type { Finding } from '../../../../src/pipeline/verify/checks.js';
import type { PipelineInfo, GraphShape } from '../../../protocol/catalog.js';
import { Badge, ProcessorBadge, WordBadge } from '../../components/badge.js';
import { count } from '../../components/format.js';
import { FactList } from '../../components/fact-list.js';
import { Pills } from '../../components/pills.js';
import { Panel } from '../../components/panel.js';
import { useQuery } from '../../shell/use-query.js';
import { NotFound } from '../../components/notices.js';
import { PipelineGraph } from '../graph/pipeline-graph.js';
import { type PlaceMark, shapeName } from '../graph/shape-nodes.js';
import { drawingSvg } from '../graph/drawing-svg.js';
import { layOutGraph, type PlacedShape } from '../graph/lay-out-graph.js';
import { guardsIn, shapesIn } from '../../../protocol/shapes.js';
import { fileName } from '../take-away/save.js';
import { CopyButton, SaveButton } from '../take-away/take-button.js';
import { TryPhase } from '../try/try-phase.js';
import { placeOfFinding, severityTones } from './place-of-finding.js';
import { InertText } from '../../components/inert-text.js';
import { PageHead } from '../page-head.js';
import { VisitedStatechart } from '../../run/statechart/statechart.js';
import './pipeline-page.css';

/** One pipeline: its graph, the findings of `verify`, and a form to try it. */
export const PipelinePage = ({ id = '' }: { readonly id?: string }) => {
  const pipeline = useCatalog().pipelines.find((one) => one.id === id);
  const guard = useQuery()[0].get('guard') ?? undefined;
  return pipeline ? <PipelineView key={`${id} ${guard}`} pipeline={pipeline} guard={guard} /> : <NotFound />;
};

interface PipelineViewProps {
  readonly pipeline: PipelineInfo;
  /** The initially selected path. */
  readonly guard: string | undefined;
}

const PipelineView = ({ pipeline, guard }: PipelineViewProps) => {
  const { graph, findings } = pipeline;
  const [selected, setSelected] = useState(guard);
  const [finding, setFinding] = useState<Finding>();
  const [tried, setTried] = useState<ReadonlyMap<string, PlaceMark>>(noMarks);
  const select = useCallback((path: string) => setSelected((before) => (before === path ? undefined : path)), []);
  const choose = (next: Finding | undefined): void => {
    setFinding(next);
    setSelected(next && placeOfFinding(graph, next.path));
  };
  const marks = useMemo(() => (finding ? marksOf(finding, placeOfFinding(graph, finding.path)) : tried), [finding, graph, tried]);
  const shape = shapesIn(graph).find(({ path }) => path === selected);
  return (
    <div className="page">
      <PipelineHead pipeline={pipeline} />
      <div className="split">
        <Panel title="Graph" note={count(guardsIn(graph).length, 'guard')} isFlush>
          <PipelineGraph graph={graph} selected={selected} marks={marks} onSelect={select} />
        </Panel>
        <div className="stack-l">
          {shape && (
            <Panel title="Selected step">
              <PlaceDetails shape={shape} />
            </Panel>
          )}
          <Panel title="Findings of verify()" note={findings.length > 0 ? count(findings.length, 'finding') : undefined}>
            <FindingList findings={findings} chosen={finding} onChoose={choose} />
          </Panel>
        </div>
      </div>
      {finding && <CounterExample finding={finding} />}
      <TryPhase pipeline={pipeline} onTried={setTried} />
    </div>
  );
};

const noMarks: ReadonlyMap<string, PlaceMark> = new Map();

const marksOf = ({ severity }: Finding, path: string | undefined): ReadonlyMap<string, PlaceMark> =>
  path === undefined ? noMarks : new Map([[path, { tone: severityTones[severity], label: severity }]]);

/** The graph as an SVG file, as on the page. */
const pipelineSvg = ({ name, graph }: PipelineInfo): string => {
  const { places, tracks, ...size } = layOutGraph(graph, () => '');
  const lookOf = ({ shape, isFrame }: PlacedShape) => (isFrame ? 'frame' : shape ? 'box' : 'label');
  return drawingSvg({
    ...size,
    title: name,
    boxes: places.map((place) => ({ ...place, look: lookOf(place), title: place.name })),
    tracks: tracks.map(({ points }) => points),
  });
};

const PipelineHead = ({ pipeline }: { readonly pipeline: PipelineInfo }) => {
  const { id, name, phases, usedBy } = pipeline;
  return (
    <PageHead
      crumbs={[['Pipelines', '/pipelines']]}
      title={name}
      badge={<ProcessorBadge />}
      tools={
        <>
          <CopyButton text={() => getText(`pipelines/${encodeURIComponent(id)}/mermaid`)}>Copy Mermaid</CopyButton>
          <SaveButton name={fileName(id, 'svg')} type="image/svg+xml" text={() => pipelineSvg(pipeline)}>
            Download SVG
          </SaveButton>
        </>
      }
    >
      <Phases phases={phases} />
      <p className="faint tiny">{usedBy.length > 0 ? `used by ${usedBy.join(', ')}` : 'not used by any agent'}</p>
    </PageHead>
  );
};

interface FindingListProps {
  readonly findings: readonly Finding[];
  readonly chosen: Finding | undefined;
  readonly onChoose: (finding: Finding | undefined) => void;
}

/** The findings of `verify`. A click shows the place, and a run that demonstrates it. */
const FindingList = ({ findings, chosen, onChoose }: FindingListProps) => {
  if (findings.length === 0) return <p className="faint">No findings.</p>;
  return (
    <ul className="stack-s">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.path}`}>
          <button
            type="button"
            className="bare card stack-s small finding"
            aria-pressed={finding === chosen}
            onClick={() => onChoose(finding === chosen ? undefined : finding)}
          >
            <span className="cluster">
              <WordBadge tone={severityTones[finding.severity]} word={finding.severity} />
              <code>{finding.code}</code>
            </span>
            <InertText text={finding.message} />
            <code className="soft">{finding.path}</code>
          </button>
        </li>
      ))}
    </ul>
  );
};

/** The details of one place of a pipeline. */
const PlaceDetails = ({ shape }: { readonly shape: GraphShape }) => (
  <div className="stack-s">
    <h3>{shapeName(shape)}</h3>
    {shape.kind === 'guard' && <Phases phases={shape.phases} />}
    <FactList
      facts={{
        Path: shape.path,
        Kind: shape.kind,
        'Overlap rule': 'overlap' in shape ? shape.overlap : undefined,
        ...(shape.kind === 'guard' && shape.policy),
      }}
    />
  </div>
);

const Phases = ({ phases }: { readonly phases: readonly string[] }) => {
  const covered = useCatalog().phases.filter(({ phase }) => phases.includes(phase));
  return (
    <ul className="cluster tiny">
      {covered.map(({ phase, title, hook }) => (
        <li key={phase}>
          <Badge tone="processor" title={hook}>
            {title}
          </Badge>
        </li>
      ))}
    </ul>
  );
};

type Walk = NonNullable<Finding['counterExample']>;

/** A run of the loop that demonstrates a finding: its path through the statechart, with the events. */
const CounterExample = ({ finding: { code, counterExample } }: { readonly finding: Finding }) => (
  <Panel title="Example run" note={<code>{code}</code>}>
    {counterExample ? (
      <WalkView key={code} walk={counterExample} />
    ) : (
      <p className="faint">This finding is about the structure of the pipeline. It has no example run.</p>
    )}
  </Panel>
);

const WalkView = ({ walk }: { readonly walk: Walk }) => {
  const [at, setAt] = useState(walk.length - 1);
  const visits = useMemo(() => walk.map(({ state }, index) => ({ state, seq: index, at: index })), [walk]);
  const goTo = (path: string): void => {
    const index = walk.findLastIndex(({ state }) => state === path);
    if (index >= 0) setAt(index);
  };
  return (
    <div className="stack">
      <Pills visits={visits} seq={at} onSeq={setAt} />
      {walk.map(
        ({ state, happens }, index) =>
          // oxlint-disable-next-line react/no-array-index-key -- a walk may come by a state twice
          happens !== undefined && <FactList key={index} facts={{ [state]: happens }} />,
      )}
      <VisitedStatechart visits={visits.slice(0, at + 1)} onState={goTo} />
    </div>
  );
};
