import { useMemo, type ReactNode } from 'react';
import './pipeline-graph.css';
import { FunctionSquare, Map as MapIcon } from 'lucide-react';
import type { GraphShape } from '../../../protocol/catalog.js';
import { GraphView, type PlacedNode, type PlacedTrack } from '../../components/graph-view.js';
import type { PlaceMark } from './place-mark.js';
import { layOut, type Box } from './lay-out.js';
import { shapeName } from './shape-nodes.js';
import { useCatalog } from '../../api/catalog.js';

interface PipelineGraphProps {
  readonly graph: GraphShape;
  /** The path of the selected place. */
  readonly selected?: string | undefined;
  /** Marks by path. */
  readonly marks?: ReadonlyMap<string, PlaceMark>;
  readonly onSelect: (path: string) => void;
}

type Drawn = Omit<PipelineGraphProps, 'graph'>;

/** A pipeline as a track diagram. Each place is a button. */
export const PipelineGraph = ({ graph, selected, marks, onSelect }: PipelineGraphProps) => {
  const drawing = useMemo(() => layOut(graph), [graph]);
  const nodes = useMemo(
    () => drawing.boxes.map((box): PlacedNode => placed(box, { selected, marks, onSelect })),
    [drawing, selected, marks, onSelect],
  );
  const tracks = useMemo(
    () => drawing.tracks.map(({ id, points, label }): PlacedTrack => ({ id, points, ...(label !== undefined && { label }) })),
    [drawing],
  );
  const focus = drawing.boxes.find(({ role, path }) => (role === 'step' || role === 'fork') && path === selected);
  return (
    <figure className="pg-figure">
      <div className="pipeline-graph" style={{ height: Math.min(drawing.height + 88, 680) }}>
        <GraphView
          label={`Graph of ${shapeName(graph)}`}
          nodes={nodes}
          tracks={tracks}
          leastScale={0.85}
          focus={focus && boxId(focus)}
        />
      </div>
      <Legend />
    </figure>
  );
};

/** The legend of a graph. */
const Legend = () => {
  const titles = useCatalog().phases.map(({ title }) => title);
  return (
    <figcaption className="pg-legend">
      <span>
        <span className="pg-lamp pg-lit" aria-hidden /> phase with a hook of this guard, <span className="pg-lamp" aria-hidden />{' '}
        other phase; left to right: {titles.join(', ')}.
      </span>
      <span>
        <span className="pg-dot" aria-hidden /> branches split, and merge into one result.
      </span>
    </figcaption>
  );
};

const boxId = ({ role, path }: Box): string => `${role} ${path}`;

const placed = (box: Box, drawn: Drawn): PlacedNode => {
  const { role, x, y, width, height } = box;
  const mapTone = drawn.marks?.get(box.path)?.tone;
  return { id: boxId(box), x, y, width, height, isFrame: role === 'frame', content: contentOf(box, drawn), mapTone };
};

const contentOf = (box: Box, { selected, marks, onSelect }: Drawn): ReactNode => {
  const { role, path, shape } = box;
  const looks = { isSelected: path === selected, mark: marks?.get(path), onSelect };
  switch (role) {
    case 'step':
      return shape && <GuardNode shape={shape} {...looks} />;
    case 'frame':
      return shape && <Frame shape={shape} {...looks} />;
    case 'fork':
      return shape && <Fork shape={shape} {...looks} />;
    case 'join':
      return <span className="pg-dot" />;
    case 'start':
    case 'end':
      return <span className={`pg-end pg-${role}`} />;
    default:
      return role satisfies never;
  }
};

const lookOf = ({ isSelected, mark }: Omit<GuardNodeProps, 'shape' | 'onSelect'>): string =>
  `${isSelected ? 'pg-selected' : ''} ${mark ? `pg-${mark.tone}` : ''}`;

/** A nested pipeline. */
const Frame = ({ shape, onSelect, ...looks }: GuardNodeProps) => (
  <div className={`pg-frame ${lookOf(looks)}`}>
    <button type="button" className="pg-frame-title" aria-pressed={looks.isSelected} onClick={() => onSelect(shape.path)}>
      {shapeName(shape)}
    </button>
  </div>
);

/** The point where arms fork. */
const Fork = ({ shape, onSelect, ...looks }: GuardNodeProps) => (
  <button
    type="button"
    className={`pg-dot ${lookOf(looks)}`}
    aria-pressed={looks.isSelected}
    aria-label={`${shapeName(shape)}, ${shape.path}`}
    title={shapeName(shape)}
    onClick={() => onSelect(shape.path)}
  />
);

/** A place of a graph, with its mark. */
interface GuardNodeProps {
  readonly shape: GraphShape;
  readonly isSelected: boolean;
  readonly mark?: PlaceMark | undefined;
  readonly onSelect: (path: string) => void;
}

/** One step of a pipeline: its name, and its mark. Without a mark it has a lamp for each phase, lit if the step has a hook. */
const GuardNode = ({ shape, isSelected, mark, onSelect }: GuardNodeProps) => (
  <button
    type="button"
    className={`pg-step ${isSelected ? 'pg-selected' : ''} ${mark ? `pg-${mark.tone}` : ''}`}
    aria-pressed={isSelected}
    onClick={() => onSelect(shape.path)}
  >
    <span className="pg-name">
      {shape.kind === 'function' && <FunctionSquare size={13} aria-hidden />}
      {shape.kind === 'map' && <MapIcon size={13} aria-hidden />}
      <span className="pg-id" title={shapeName(shape)}>
        {shapeName(shape)}
      </span>
    </span>
    <span className="pg-foot">
      {mark && <span className="pg-mark">{mark.label}</span>}
      {!mark && shape.kind === 'guard' && <PhaseLamps phases={shape.phases} />}
      {!mark && shape.kind !== 'guard' && <span className="pg-kind">{kindWords[shape.kind] ?? ''}</span>}
    </span>
  </button>
);

const kindWords: Partial<Record<GraphShape['kind'], string>> = { function: 'function', map: 'map' };

/** A lamp for each phase in the table's order; lit if it is among `phases`. */
const PhaseLamps = ({ phases }: { readonly phases: readonly string[] }) => {
  const table = useCatalog().phases;
  const covered = table.filter(({ phase }) => phases.includes(phase)).map(({ title }) => title);
  const words = covered.length > 0 ? covered.join(', ') : 'no phases';
  return (
    <span className="pg-lamps" title={words}>
      <span className="unseen">covers {words}</span>
      {table.map(({ phase }) => (
        <span key={phase} className={phases.includes(phase) ? 'pg-lamp pg-lit' : 'pg-lamp'} aria-hidden />
      ))}
    </span>
  );
};
