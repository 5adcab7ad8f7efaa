import { FunctionSquare, Map as MapIcon } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { GraphShape } from '../../../protocol/catalog.js';
import { useCatalog } from '../../api/catalog.js';
import { Drawing } from '../../components/drawing.js';
import './pipeline-graph.css';
import { layOutGraph, type PlacedShape } from './lay-out-graph.js';
import type { PlaceMark } from './shape-nodes.js';
import { shapeName } from './shape-nodes.js';

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

/** The space for a mark, in letters. */
const markSpace = 'would block · 100 ms';

/** A pipeline from left to right. Each place is a button. */
export const PipelineGraph = ({ graph, selected, marks, isCompact = false, onSelect }: PipelineGraphProps) => {
  const { phases } = useCatalog();
  const box = useRef<HTMLDivElement>(null);
  const noteOf = useMemo(() => {
    const titlesOf = (covered: readonly string[]): string =>
      phases.flatMap(({ phase, title }) => (covered.includes(phase) ? [title] : [])).join(', ') || 'no phases';
    return (shape: GraphShape): string => (shape.kind !== 'guard' ? shape.kind : isCompact ? '' : titlesOf(shape.phases));
  }, [phases, isCompact]);
  const drawing = useMemo(
    () => layOutGraph(graph, (shape) => (noteOf(shape).length > markSpace.length ? noteOf(shape) : markSpace)),
    [graph, noteOf],
  );
  useEffect(() => {
    const [outer, inner] = [box.current, box.current?.querySelector<HTMLElement>('[aria-pressed="true"]')];
    if (!outer || !inner) return;
    const { offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height } = inner;
    outer.scrollTo(x + (width - outer.clientWidth) / 2, y + (height - outer.clientHeight) / 2); // the page stays where it is
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the selected place is found in the document
  }, [selected, drawing]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
    <div ref={box} className="pg" role="group" aria-label={`Graph of ${shapeName(graph)}`} tabIndex={0}>
      <Drawing {...drawing} tracks={drawing.tracks.map((track) => ({ ...track, look: 'track track-strong' }))}>
        {drawing.places.map((place) => (
          <PlaceButton
            key={place.id}
            place={place}
            isSelected={place.id === selected}
            mark={marks?.get(place.id)}
            note={place.shape && !place.isFrame ? noteOf(place.shape) : ''}
            onSelect={onSelect}
          />
        ))}
      </Drawing>
    </div>
  );
};

interface PlaceProps extends Pick<PipelineGraphProps, 'onSelect'> {
  readonly place: PlacedShape;
  readonly isSelected: boolean;
  readonly mark: PlaceMark | undefined;
  readonly note: string;
}

/** A step with its mark, or with its phases; a group with its name, its size and its rule, e.g. `parallel · 3 · merged`. */
const PlaceButton = ({ place, isSelected, mark, note, onSelect }: PlaceProps) => {
  const { id, shape, name, isFrame, x, y, width, height } = place;
  const style = { left: x, top: y, width, height };
  const look = `tone-${mark?.tone ?? 'none'} ${isSelected ? 'pg-selected' : ''}`;
  if (!shape)
    return (
      <span className="pg-condition ellipsis" style={style} title={name}>
        {name}
      </span>
    );
  return (
    <>
      {isFrame && <div className={`pg-frame pg-frame-${shape.kind} ${look}`} style={style} />}
      <button
        type="button"
        className={isFrame ? 'pg-frame-title' : `pg-step ${look}`}
        style={isFrame ? { ...style, height: undefined } : style}
        aria-pressed={isSelected}
        onClick={() => onSelect(id)}
      >
        {shape.kind === 'function' && <FunctionSquare size={13} aria-hidden />}
        {shape.kind === 'map' && <MapIcon size={13} aria-hidden />}
        <span className="pg-id ellipsis" title={name}>
          {name}
        </span>
        <span className="pg-mark soft tiny ellipsis" title={mark?.label ?? note}>
          {mark?.label ?? note}
        </span>
      </button>
    </>
  );
};
