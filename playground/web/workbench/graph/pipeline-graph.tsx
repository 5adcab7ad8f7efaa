import { FunctionSquare, Map as MapIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { GraphShape } from '../../../protocol/catalog.js';
import { useCatalog } from '../../api/catalog.js';
import './pipeline-graph.css';
import type { PlaceMark } from './place-mark.js';
import { groupName, shapeName } from './shape-nodes.js';

interface PipelineGraphProps {
  readonly graph: GraphShape;
  /** The path of the selected place. */
  readonly selected?: string | undefined;
  /** Marks by path. */
  readonly marks?: ReadonlyMap<string, PlaceMark>;
  /** A band above other content, without the phases of each guard. */
  readonly isCompact?: boolean;
  readonly onSelect: (path: string) => void;
}

type Drawn = Omit<PipelineGraphProps, 'graph'>;

/**
 * A pipeline from left to right. Its nesting is its layout, so that the browser lays it out: a sequence is a row, a group of
 * parallel guards or branches a named frame with one line for each. Each place is a button.
 */
export const PipelineGraph = ({ graph, ...drawn }: PipelineGraphProps) => {
  const box = useRef<HTMLDivElement>(null);
  const { selected } = drawn;
  useEffect(() => {
    const [outer, inner] = [box.current, box.current?.querySelector<HTMLElement>('[aria-pressed="true"]')];
    if (!outer || !inner) return;
    const [frame, chosen] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()];
    if (chosen.left < frame.left || chosen.right > frame.right)
      outer.scrollLeft += (chosen.left + chosen.right - frame.left - frame.right) / 2;
    if (chosen.top < frame.top || chosen.bottom > frame.bottom)
      outer.scrollTop += (chosen.top + chosen.bottom - frame.top - frame.bottom) / 2;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the selected place is found in the document
  }, [selected, graph]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
    <div ref={box} className="pg" role="group" aria-label={`Graph of ${shapeName(graph)}`} tabIndex={0}>
      <Row nodes={graph.kind === 'sequence' ? graph.nodes : [graph]} {...drawn} />
    </div>
  );
};

const Row = ({ nodes, ...drawn }: Drawn & { readonly nodes: readonly GraphShape[] }) => (
  <div className="pg-row">
    {nodes.map((shape) => (
      <Shape key={shape.path} shape={shape} {...drawn} />
    ))}
  </div>
);

type ShapeProps = Drawn & { readonly shape: GraphShape };

const Shape = ({ shape, ...drawn }: ShapeProps) => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map':
      return <Step shape={shape} {...drawn} />;
    case 'sequence':
      return (
        <Frame shape={shape} {...drawn}>
          <Row nodes={shape.nodes} {...drawn} />
        </Frame>
      );
    case 'parallel':
      return (
        <Frame shape={shape} {...drawn}>
          <ul className="pg-group">
            {shape.nodes.map((node) => (
              <li key={node.path}>
                <Shape shape={node} {...drawn} />
              </li>
            ))}
          </ul>
        </Frame>
      );
    case 'branch':
      return (
        <Frame shape={shape} {...drawn}>
          <ul className="pg-group">
            {shape.arms.map(({ condition, node }) => (
              <li key={node.path}>
                <span className="pg-condition">{condition}</span>
                <Shape shape={node} {...drawn} />
              </li>
            ))}
          </ul>
        </Frame>
      );
    default:
      return shape satisfies never;
  }
};

const lookOf = ({ shape: { path }, selected, marks }: ShapeProps): string =>
  `${path === selected ? 'pg-selected' : ''} tone-${marks?.get(path)?.tone ?? 'none'}`;

/** A group with its name, its size and its rule, e.g. `parallel · 3 · merged`. */
const Frame = ({ children, ...props }: ShapeProps & { readonly children: React.ReactNode }) => {
  const { shape, selected, marks, onSelect } = props;
  const mark = marks?.get(shape.path);
  return (
    <div className={`pg-frame pg-frame-${shape.kind} ${lookOf(props)}`}>
      <button
        type="button"
        className="pg-frame-title"
        aria-pressed={shape.path === selected}
        onClick={() => onSelect(shape.path)}
      >
        {groupName(shape)} {mark && <span className="pg-mark">{mark.label}</span>}
      </button>
      {children}
    </div>
  );
};

/** One step of a pipeline: its name, and its mark; without a mark, its phases. */
const Step = (props: ShapeProps) => {
  const { shape, selected, marks, isCompact = false, onSelect } = props;
  const mark = marks?.get(shape.path);
  return (
    <button
      type="button"
      className={`pg-step ${lookOf(props)}`}
      aria-pressed={shape.path === selected}
      onClick={() => onSelect(shape.path)}
    >
      {shape.kind === 'function' && <FunctionSquare size={13} aria-hidden />}
      {shape.kind === 'map' && <MapIcon size={13} aria-hidden />}
      <span className="pg-id" title={shapeName(shape)}>
        {shapeName(shape)}
      </span>
      {mark && <span className="pg-mark">{mark.label}</span>}
      {!mark && shape.kind === 'guard' && !isCompact && <Phases phases={shape.phases} />}
      {!mark && shape.kind !== 'guard' && <span className="pg-mark">{shape.kind}</span>}
    </button>
  );
};

const Phases = ({ phases }: { readonly phases: readonly string[] }) => {
  const covered = useCatalog().phases.filter(({ phase }) => phases.includes(phase));
  return <span className="pg-mark">{covered.map(({ title }) => title).join(', ') || 'no phases'}</span>;
};
