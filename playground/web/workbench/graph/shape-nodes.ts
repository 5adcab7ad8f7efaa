import type { Tone } from '../../../fold/facts.js';
import type { GraphShape } from '../../../protocol/catalog.js';

/** The name of a shape: its id, or its kind of block. */
export const shapeName = (shape: GraphShape): string => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map':
    case 'sequence':
      return shape.id;
    case 'parallel':
      return 'parallel';
    case 'branch':
      return 'all matching cases';
    default:
      return shape satisfies never;
  }
};

/** The name of a group with its size and its rule: `parallel · 3 · merged`, `branch · mentionsMoney`. */
export const groupName = (shape: GraphShape): string => {
  if (shape.kind === 'parallel') return `parallel · ${shape.nodes.length} · merged (${shape.overlap})`;
  if (shape.kind === 'branch') return `branch · ${shape.arms.map(({ condition }) => condition).join(', ')}`;
  return shapeName(shape);
};

/** The mark of an element of the graph, shown next to its name. */
export interface PlaceMark {
  readonly tone: Tone;
  /** A word for the tone, which is never the only cue. */
  readonly label: string;
}
