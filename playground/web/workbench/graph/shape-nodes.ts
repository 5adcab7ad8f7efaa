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
      return 'side by side';
    case 'branch':
      return 'every arm that matches';
    default:
      return shape satisfies never;
  }
};
