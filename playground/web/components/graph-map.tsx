import { useEffect, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import type { Point } from './track-path.js';

interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

interface GraphMapProps {
  /** The area of the whole drawing. */
  readonly bounds: Area;
  readonly nodes: readonly (Area & { readonly id: string; readonly isFrame?: boolean; readonly mapTone?: string | undefined })[];
  readonly scroll: RefObject<HTMLDivElement | null>;
}

const most = { width: 120, height: 150 } as const;

/** The visible part of a drawing, in shares of the whole. */
const visibleArea = ({ scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight }: HTMLElement): Area => ({
  x: scrollLeft / scrollWidth,
  y: scrollTop / scrollHeight,
  width: clientWidth / scrollWidth,
  height: clientHeight / scrollHeight,
});

/** The share of the visible part by which an arrow key moves it. */
const keyShare = 0.5;

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Moves a drawing on an arrow key. */
const moveBy = (event: KeyboardEvent, element: HTMLElement | null): void => {
  const arrow = arrows[event.key];
  if (!arrow || !element) return;
  event.preventDefault();
  event.stopPropagation(); // the page uses the arrows for its timeline
  element.scrollBy({ left: arrow.x * element.clientWidth * keyShare, top: arrow.y * element.clientHeight * keyShare });
};

/** The visible part, updated after the drawing or its panel has changed. */
const useVisibleArea = (scroll: GraphMapProps['scroll']): Area | undefined => {
  const [visible, setVisible] = useState<Area>();
  useEffect(() => {
    const element = scroll.current;
    if (!element) return undefined;
    const update = (): void => setVisible(visibleArea(element));
    const observer = new ResizeObserver(update);
    for (const one of [element, ...element.children]) observer.observe(one);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scroll]);
  return visible;
};

/** A small picture of a drawing that does not fit its panel: it shows the visible part, and leads to the rest. */
export const GraphMap = ({ bounds, nodes, scroll }: GraphMapProps) => {
  const visible = useVisibleArea(scroll);
  if (!visible || (visible.width > 0.99 && visible.height > 0.8)) return null;
  const scale = Math.min(most.width / bounds.width, most.height / bounds.height);
  const [width, height] = [bounds.width * scale, bounds.height * scale];
  const moveTo = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLButtonElement>): void => {
    const box = currentTarget.getBoundingClientRect();
    const element = scroll.current;
    element?.scrollTo({
      left: ((clientX - box.left) / box.width - visible.width / 2) * element.scrollWidth,
      top: ((clientY - box.top) / box.height - visible.height / 2) * element.scrollHeight,
    });
  };
  return (
    <button
      type="button"
      className="graph-map"
      aria-label="Overview: arrow keys move the graph"
      onKeyDown={(event) => moveBy(event, scroll.current)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        moveTo(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && moveTo(event)}
    >
      <svg viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`} width={width} height={height} aria-hidden>
        {nodes.map(({ id, x, y, width: w, height: h, isFrame, mapTone }) => (
          <rect
            key={id}
            className={`${isFrame === true ? 'graph-map-frame' : 'graph-map-node'} ${mapTone ? `graph-${mapTone}` : ''}`}
            x={x}
            y={y}
            width={w}
            height={h}
          />
        ))}
        <rect
          className="graph-map-seen"
          x={bounds.x + visible.x * bounds.width}
          y={bounds.y + visible.y * bounds.height}
          width={Math.min(1, visible.width) * bounds.width}
          height={Math.min(1, visible.height) * bounds.height}
        />
      </svg>
    </button>
  );
};
