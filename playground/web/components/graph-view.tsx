import { ReactFlow, ReactFlowProvider, useReactFlow, ViewportPortal, type Node, type NodeProps } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, type ReactNode } from 'react';
import { Button } from './button.js';
import type { Tone } from './signal.js';
import { arrowPath, trackPath, type Point } from './track-path.js';
import '@xyflow/react/dist/base.css';
import './graph-view.css';

/** A box of a drawing at its place. What stands in it is the caller's; a button inside is reached by the keyboard. */
export interface PlacedNode extends Point {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly content: ReactNode;
  /** A frame lies behind what it holds. */
  readonly isFrame?: boolean;
}

/** A track of a drawing. */
export interface PlacedTrack {
  readonly id: string;
  readonly points: readonly Point[];
  readonly label?: string;
  readonly tone?: Tone | 'accent';
  readonly weight?: 'faint' | 'plain' | 'strong';
  readonly isDashed?: boolean;
  readonly hasArrow?: boolean;
}

interface GraphViewProps {
  /** What the drawing is, for ears. */
  readonly label: string;
  readonly nodes: readonly PlacedNode[];
  readonly tracks: readonly PlacedTrack[];
  /** It is never drawn smaller than this, so that its words stay legible; where there is less room it scrolls. */
  readonly leastScale: number;
}

type BoxNode = Node<{ readonly content: ReactNode }, 'box'>;

const Box = ({ data }: NodeProps<BoxNode>) => data.content;

const nodeTypes = { box: Box };

const fit = { padding: 0.04, maxZoom: 1, minZoom: 0.3 } as const;

const toFlow = ({ id, x, y, width, height, content, isFrame = false }: PlacedNode): BoxNode => ({
  id,
  type: 'box',
  position: { x, y },
  width,
  height,
  measured: { width, height },
  zIndex: isFrame ? 0 : 2,
  data: { content },
});

const labelPlace = (points: readonly Point[]): Point => points.at(-2) ?? points[0] ?? { x: 0, y: 0 };

const trackClass = ({ tone, weight = 'plain', isDashed = false }: PlacedTrack): string =>
  `graph-track graph-track-${weight} ${tone ? `graph-${tone}` : ''} ${isDashed ? 'graph-track-dashed' : ''}`;

const Tracks = ({ tracks }: { readonly tracks: readonly PlacedTrack[] }) => (
  <ViewportPortal>
    <svg className="graph-tracks" width="1" height="1" aria-hidden style={{ zIndex: 1 }}>
      {tracks.map((track) => (
        <g key={track.id} className={trackClass(track)}>
          <path d={trackPath(track.points)} />
          {track.hasArrow === true && <path className="graph-arrow" d={arrowPath(track.points)} />}
        </g>
      ))}
    </svg>
    {tracks.map(({ id, label, points }) => {
      if (label === undefined) return null;
      const { x, y } = labelPlace(points);
      return (
        <span key={id} className="graph-track-label" style={{ left: x, top: y }} title={label}>
          {label}
        </span>
      );
    })}
  </ViewportPortal>
);

const Tools = () => {
  const flow = useReactFlow();
  return (
    <div className="graph-tools">
      <Button look="quiet" isIcon aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
        <Minus size={14} />
      </Button>
      <Button look="quiet" isIcon aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
        <Plus size={14} />
      </Button>
      <Button look="quiet" isIcon aria-label="Show all" onClick={() => void flow.fitView(fit)}>
        <Maximize size={14} />
      </Button>
    </div>
  );
};

/** Shows all of it; given the drawing as its key, again for another one. */
const Fit = () => {
  const flow = useReactFlow();
  useEffect(() => void flow.fitView(fit), [flow]);
  return null;
};

/** The least room that a drawing takes, its padding included. */
const leastSize = (nodes: readonly PlacedNode[], leastScale: number): { minWidth: number; minHeight: number } => {
  const span = (from: number[], to: number[]): number =>
    Math.ceil((Math.max(...to) - Math.min(...from)) * leastScale * (1 + 2 * fit.padding));
  if (nodes.length === 0) return { minWidth: 0, minHeight: 0 };
  return {
    minWidth: span(
      nodes.map(({ x }) => x),
      nodes.map(({ x, width }) => x + width),
    ),
    minHeight: span(
      nodes.map(({ y }) => y),
      nodes.map(({ y, height }) => y + height),
    ),
  };
};

/** A drawing of boxes and tracks to pan and zoom. It fills its container, which has a height. */
export const GraphView = ({ label, nodes, tracks, leastScale }: GraphViewProps) => {
  const box = useRef<HTMLDivElement>(null);
  const { minWidth, minHeight } = useMemo(() => leastSize(nodes, leastScale), [nodes, leastScale]);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollLeft = (minWidth - box.current.clientWidth) / 2; // its spine is in its middle
  }, [minWidth]);
  const flowNodes = useMemo(() => nodes.map(toFlow), [nodes]);
  const drawing = nodes.map(({ id, x, y }) => `${id}:${x}:${y}`).join();
  return (
    <div className="graph" role="group" aria-label={label}>
      <ReactFlowProvider>
        <div ref={box} className="graph-scroll">
          <div className="graph-canvas" style={{ minWidth, minHeight }}>
            <ReactFlow
              role="presentation"
              nodes={flowNodes}
              nodeTypes={nodeTypes}
              nodesDraggable={false}
              nodesConnectable={false}
              nodesFocusable={false}
              elementsSelectable={false}
              disableKeyboardA11y
              zoomOnScroll={false}
              zoomOnDoubleClick={false}
              preventScrolling={false}
              minZoom={fit.minZoom}
              maxZoom={2}
              fitView
              fitViewOptions={fit}
              attributionPosition="bottom-left"
            >
              <Tracks tracks={tracks} />
            </ReactFlow>
          </div>
        </div>
        <Fit key={drawing} />
        <Tools />
      </ReactFlowProvider>
    </div>
  );
};
