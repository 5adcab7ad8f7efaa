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
      return 'all matching arms';
    default:
      return shape satisfies never;
  }
};
