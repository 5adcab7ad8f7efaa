import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../../errors.js';
import type { SequenceNode } from '../graph.js';
import { locationOf, type Check, type CounterExample, type DefectLocation, type Subject } from './check.js';
import { checks, type FindingCode } from './checks.js';

/** A finding of `verify`. */
export interface Finding {
  /** The code of the defect, a key of the table of errors. */
  readonly code: FindingCode;
  readonly severity: Check['severity'];
  /** The path of the place, as in run events. */
  readonly path: string;
  /** The defect and its remedy. */
  readonly message: string;
  /** A run that shows the defect, if it concerns the course of a run. */
  readonly counterExample?: CounterExample;
}

/** A finding without its counter-example. */
export interface Defect extends DefectLocation {
  readonly code: FindingCode;
  readonly severity: Check['severity'];
}

/** The defects of a subject, check by check. */
export const findDefects = (subject: Subject, table: Partial<Record<FindingCode, Check>> = checks): Defect[] =>
  (Object.keys(table) as FindingCode[]).flatMap((code) => {
    const check = table[code];
    return check ? check.find(subject).map((defect) => ({ ...defect, code, severity: check.severity })) : [];
  });

/** Errors, which are thrown; all other defects are only reported. */
const errorChecks = Object.fromEntries(Object.entries(checks).filter(([, { severity }]) => severity === 'error'));

/** Rejects an invalid subject. Raises the code of the first error that `verify` finds, with its path. */
export const throwDefects = (subject: Subject): void => {
  const [defect] = findDefects(subject, errorChecks);
  if (defect) throw new InterlockError(defect.code, { path: defect.path, detail: defect.detail });
};

/** Rejects a graph that could not work anywhere; otherwise returns it. Raises the codes of {@link throwDefects}. */
export const checkGraph = (graph: SequenceNode): SequenceNode => {
  throwDefects({ id: graph.id, roots: [locationOf(graph)] });
  return graph;
};

/** Rejects a processor without an id or without any hook; `where` is the path to its parent. */
export const checkProcessor = (processor: Processor, path: string): void =>
  void checkGraph({ kind: 'sequence', id: path, nodes: [{ kind: 'guard', id: processor.id, processor }] });
