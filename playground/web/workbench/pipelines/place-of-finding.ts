import type { Finding } from '../../../../src/pipeline/verify/checks.js';
import type { Tone } from '../../../fold/facts.js';
import type { GraphShape } from '../../../protocol/catalog.js';
import { shapesIn } from '../../../protocol/shapes.js';

/**
 * The place of a pipeline that a finding is about: the one of its path, or the nearest around it. If an agent put the pipeline
 * into an array, the finding's path starts with the array. Undefined if the finding is about something else.
 */
export const placeOfFinding = (graph: GraphShape, path: string): string | undefined => {
  const own = within(graph.path, path);
  if (own === undefined) return undefined;
  const around = shapesIn(graph).filter((shape) => own === shape.path || own.startsWith(`${shape.path}/`));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0]?.path;
};

/** The path inside of the pipeline at `root`. */
const within = (root: string, path: string): string | undefined => {
  if (path === root || path.startsWith(`${root}/`)) return path;
  const at = `${path}/`.indexOf(`/${root}/`);
  return at < 0 ? undefined : path.slice(at + 1);
};

export const severityTones: Readonly<Record<Finding['severity'], Tone>> = { error: 'trip', warning: 'edit' };
