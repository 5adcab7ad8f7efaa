import type { Tone } from '../../../fold/facts.js';
import type { GraphShape } from '../../../protocol/catalog.js';

/** The name of a shape: its id, or of a group its size and its rule, e.g. `parallel · 3 · merged`, `branch · mentionsMoney`. */
export const shapeName = (shape: GraphShape): string => {
  if (shape.kind === 'parallel') return `parallel · ${shape.nodes.length} · merged (${shape.overlap})`;
  if (shape.kind === 'branch') return `branch · ${shape.arms.map(({ condition }) => condition).join(', ')}`;
  return shape.id;
};

/** The mark of an element of the graph, shown next to its name. */
export interface PlaceMark {
  readonly tone: Tone;
  /** A word for the tone, which is never the only cue. */
  readonly label: string;
}
