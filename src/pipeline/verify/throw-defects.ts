import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../../errors.js';
import type { SequenceNode } from '../graph.js';
import { checks } from './checks.js';
import { findDefects } from './find-defects.js';
import { locationOf } from './graph-location.js';
import type { Subject } from './subject.js';

/** Errors, which are thrown; all other defects are only reported. */
const errorChecks = Object.fromEntries(Object.entries(checks).filter(([, { severity }]) => severity === 'error'));

/** Refuses an invalid subject. Raises the code of the first error that `verify` finds, with its path. */
export const throwDefects = (subject: Subject): void => {
  const [defect] = findDefects(subject, errorChecks);
  if (defect) throw new InterlockError(defect.code, { path: defect.path, detail: defect.detail });
};

/** Refuses a graph that could not work anywhere; otherwise returns it. Raises the codes of {@link throwDefects}. */
export const checkGraph = (graph: SequenceNode): SequenceNode => {
  throwDefects({ id: graph.id, roots: [locationOf(graph)] });
  return graph;
};

/** Rejects a processor without an id or without any hook; `where` is the path to its parent. */
export const checkProcessor = (processor: Processor, path: string): void =>
  void checkGraph({ kind: 'sequence', id: path, nodes: [{ kind: 'guard', id: processor.id, processor }] });
