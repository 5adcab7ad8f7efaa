import { useCallback } from 'react';
import type { Lane } from '../../../fold/run-view.js';
import { runPath } from '../../../protocol/run-file.js';
import { guardsIn } from '../../../protocol/shapes.js';
import type { GuardView } from '../../../protocol/trace-entry.js';
import { useCatalog } from '../../api/catalog.js';
import { get } from '../../api/request.js';
import { restMs, useLoaded } from '../../api/use-loaded.js';
import type { EditedWords } from '../../components/split-authored.js';
import { diffWords } from '../../components/diff-words.js';
import { pipelineNamed, pipelineOf } from './judged.js';
import { pairsOf } from '../../components/text-pairs.js';

/** The most verdicts that are read. */
const mostEdits = 12;

/** The words that guards of the response put into an attempt. None while they are loaded, or if they are not stored. */
export const useEditedWords = (runId: string, lane: Lane | undefined): readonly EditedWords[] => {
  const catalog = useCatalog();
  const isOutput = (name: string): boolean => catalog.phases.some((info) => info.phase === name && info.lane === 'output');
  const edits = (lane?.marks ?? []).filter((mark) => mark.kind === 'verdict' && mark.verdict === 'edit' && isOutput(mark.phase));
  const seqs = edits
    .slice(-mostEdits)
    .map(({ seq }) => seq)
    .join(' ');
  const load = useCallback(
    (signal: AbortSignal) =>
      Promise.all(
        seqs
          .split(' ')
          .filter(Boolean)
          .map((seq) => get<GuardView>(`${runPath(runId)}/guards/${seq}`, signal)),
      ),
    [runId, seqs],
  );
  const loaded = useLoaded(load, restMs);
  if (loaded.state !== 'loaded') return [];
  return loaded.value.flatMap((view) => {
    const pipeline = pipelineNamed(catalog, pipelineOf(view.path));
    const author = pipeline ? guardsIn(pipeline.graph).findIndex(({ path }) => path === view.path) : 0;
    const added = pairsOf(view.received, view.returned).flatMap(({ before, after }) =>
      diffWords(before, after).filter(({ kind }) => kind === 'added'),
    );
    return added.map(({ text }) => ({ text: text.trim(), name: view.processorId, author: Math.max(0, author) }));
  });
};
