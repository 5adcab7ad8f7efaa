import type { ReactNode } from 'react';
import './drawing.css';
import { trackPath, type Point } from './track-path.js';

interface DrawingProps {
  readonly width: number;
  readonly height: number;
  readonly tracks: readonly {
    readonly id: string;
    readonly points: readonly Point[];
    readonly look: string;
    readonly title?: string;
  }[];
  /** The boxes, at their places. */
  readonly children: ReactNode;
}

/** Boxes above the tracks between them. */
export const Drawing = ({ width, height, tracks, children }: DrawingProps) => (
  <div className="drawing" style={{ width, height }}>
    <svg width={width} height={height} aria-hidden>
      {tracks.map(({ id, points, look, title }) => (
        <g key={id} className={look}>
          {title !== undefined && <title>{title}</title>}
          <path d={trackPath(points)} />
        </g>
      ))}
    </svg>
    {children}
  </div>
);
