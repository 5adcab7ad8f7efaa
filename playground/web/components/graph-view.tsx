import { ReactFlow, ReactFlowProvider, useReactFlow, useStore, ViewportPortal, type Node, type NodeProps } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, type ReactNode } from 'react';
import { Button } from './button.js';
import { GraphMap } from './graph-map.js';
import type { Tone } from './signal.js';
import { arrowPath, trackPath, type Point } from './track-path.js';
import '@xyflow/react/dist/base.css';
import './graph-view.css';

/** A box of a drawing at its position. The caller supplies its content; the keyboard reaches a button inside. */
export interface PlacedNode extends Point {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly content: ReactNode;
  /** A frame is drawn behind its content. */
  readonly isFrame?: boolean;
  /** Its color in the small picture of a drawing that does not fit. */
  readonly mapTone?: Tone | undefined;
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
  /** Not drawn for now. Its space is reserved, so that the drawing does not move when it appears. */
  readonly isHidden?: boolean;
}

interface GraphViewProps {
  /** The name of the drawing for screen readers. */
  readonly label: string;
  readonly nodes: readonly PlacedNode[];
  readonly tracks: readonly PlacedTrack[];
  /** The minimum scale, so that text stays legible; in a smaller panel the drawing scrolls. */
  readonly leastScale: number;
  /** The id of a node to scroll to. */
  readonly focus?: string | undefined;
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

const Tracks = ({ tracks }: { readonly tracks: readonly PlacedTrack[] }) => {
  const visible = tracks.filter(({ isHidden }) => isHidden !== true);
  return (
    <ViewportPortal>
      <svg className="graph-tracks" width="1" height="1" aria-hidden style={{ zIndex: 1 }}>
        {visible.map((track) => (
          <g key={track.id} className={trackClass(track)}>
            <path d={trackPath(track.points)} />
            {track.hasArrow === true && <path className="graph-arrow" d={arrowPath(track.points)} />}
          </g>
        ))}
      </svg>
      {visible.map(({ id, label, points }) => {
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
};

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
      <Button look="quiet" isIcon aria-label="Fit to view" onClick={() => void flow.fitView(fit)}>
        <Maximize size={14} />
      </Button>
    </div>
  );
};

const moveInto = (scroll: Element, box: Element): void => {
  const [outer, inner] = [scroll.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right)
    scroll.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    scroll.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
};

type Bounds = Omit<PlacedNode, 'id' | 'content' | 'isFrame' | 'mapTone'>;

/** The area of the whole drawing: tracks extend beyond the boxes. */
const boundsOf = (nodes: readonly PlacedNode[], tracks: readonly PlacedTrack[]): Bounds => {
  const corners = nodes.flatMap(({ x, y, width, height }) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  const points = [...corners, ...tracks.flatMap((track) => track.points)];
  if (points.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

/** Shows the whole drawing; if its panel scrolls, moves the focused box into view. */
const Fit = ({ focus }: Pick<GraphViewProps, 'focus'>) => {
  const flow = useReactFlow();
  const element = useStore(({ domNode }) => domNode);
  const fitted = useRef<Promise<unknown>>(undefined);
  useEffect(() => {
    fitted.current = flow.fitView(fit);
  }, [flow]);
  useEffect(() => {
    let isLeft = false;
    const reveal = async (): Promise<void> => {
      await fitted.current;
      const scroll = element?.closest('.graph-scroll');
      const box = focus === undefined ? undefined : element?.querySelector(`.react-flow__node[data-id="${CSS.escape(focus)}"]`);
      if (!isLeft && scroll && box) moveInto(scroll, box);
    };
    void reveal();
    return () => {
      isLeft = true;
    };
  }, [element, focus]);
  return null;
};

/** Fits the drawing again after it or its panel was resized. */
const FitToPanel = ({ bounds: { x, y, width, height }, focus }: Pick<GraphViewProps, 'focus'> & { readonly bounds: Bounds }) => {
  const panel = useStore((store) => `${store.width} ${store.height}`);
  return <Fit key={`${x} ${y} ${width} ${height} in ${panel}`} focus={focus} />;
};

/** A drawing of boxes and tracks to pan and zoom. It fills its container, which has a height. */
export const GraphView = ({ label, nodes, tracks, leastScale, focus }: GraphViewProps) => {
  const scroll = useRef<HTMLDivElement>(null);
  const bounds = useMemo(() => boundsOf(nodes, tracks), [nodes, tracks]);
  const leastSize = (length: number): number => Math.ceil(length * leastScale * (1 + 2 * fit.padding));
  const [minWidth, minHeight] = [leastSize(bounds.width), leastSize(bounds.height)];
  useLayoutEffect(() => {
    if (scroll.current) scroll.current.scrollLeft = (minWidth - scroll.current.clientWidth) / 2; // its spine is in its middle
  }, [minWidth]);
  // React Flow fits boxes only: an empty one has the size of everything.
  const flowNodes = useMemo(
    () => [toFlow({ ...bounds, id: 'room', content: null, isFrame: true }), ...nodes.map(toFlow)],
    [bounds, nodes],
  );
  return (
    <div className="graph" role="group" aria-label={label}>
      <ReactFlowProvider>
        <div ref={scroll} className="graph-scroll">
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
              proOptions={{ hideAttribution: true }} // shown above, where no drawing is
            >
              <Tracks tracks={tracks} />
            </ReactFlow>
          </div>
        </div>
        <a className="graph-credit" href="https://reactflow.dev" target="_blank" rel="noreferrer">
          React Flow
        </a>
        <FitToPanel bounds={bounds} focus={focus} />
        <Tools />
        <GraphMap bounds={bounds} nodes={nodes} scroll={scroll} />
      </ReactFlowProvider>
    </div>
  );
};
