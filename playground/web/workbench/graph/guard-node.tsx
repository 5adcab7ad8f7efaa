import { FunctionSquare, Map as MapIcon } from 'lucide-react';
import { useCatalog } from '../../api/catalog.js';
import type { GraphShape } from '../../../protocol/catalog.js';
import type { PlaceMark } from './place-mark.js';
import { shapeName } from './shape-nodes.js';

/** A place of a graph, and what is said of it. */
export interface GuardNodeProps {
  readonly shape: GraphShape;
  readonly isSelected: boolean;
  readonly mark?: PlaceMark | undefined;
  readonly onSelect: (path: string) => void;
}

/** One step of a pipeline: its name, and its mark; without one a lamp for each phase of the table that is lit where the step has a hook. */
export const GuardNode = ({ shape, isSelected, mark, onSelect }: GuardNodeProps) => (
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

const kindWords: Partial<Record<GraphShape['kind'], string>> = { function: 'a function', map: 'a map' };

/** A lamp for each phase in the table's order; lit where it is among `phases`. */
const PhaseLamps = ({ phases }: { readonly phases: readonly string[] }) => {
  const table = useCatalog().phases;
  const covered = table.filter(({ phase }) => phases.includes(phase)).map(({ title }) => title);
  const words = covered.length > 0 ? covered.join(', ') : 'no phase';
  return (
    <span className="pg-lamps" title={words}>
      <span className="unseen">covers {words}</span>
      {table.map(({ phase }) => (
        <span key={phase} className={phases.includes(phase) ? 'pg-lamp pg-lit' : 'pg-lamp'} aria-hidden />
      ))}
    </span>
  );
};
