import { Film as FilmIcon } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { LabRun } from '../../../protocol/workbench.js';
import { EmptyState } from '../../components/empty-state.js';
import { Panel } from '../../components/panel.js';
import { FilmView } from './film-view.js';
import { frameCount } from './film.js';
import { LabVerdicts } from './lab-verdicts.js';
import type { LabResult } from './use-lab.js';
import { usePageKeys } from './use-page-keys.js';

interface FilmPanelProps {
  readonly result: LabResult | undefined;
  /** The settings were changed since. */
  readonly isStale: boolean;
}

/** What the gate did, chunk by chunk. */
export const FilmPanel = ({ result, isStale }: FilmPanelProps) => (
  <Panel title="What left, and when" note={isStale ? 'Settings have changed: run again to see them' : undefined}>
    {result ? (
      <LabFilm key={result.number} run={result.run} />
    ) : (
      <EmptyState icon={FilmIcon} title="Nothing has run yet">
        Run the stream through the gate; then step through it, chunk by chunk.
      </EmptyState>
    )}
  </Panel>
);

const LabFilm = ({ run }: { readonly run: LabRun }) => {
  const last = frameCount(run) - 1;
  const [index, setIndex] = useState(last);
  const go = useCallback((to: number) => setIndex(Math.max(0, Math.min(to, last))), [last]);
  usePageKeys({
    ArrowLeft: () => go(index - 1),
    ArrowRight: () => go(index + 1),
    Home: () => go(0),
    End: () => go(last),
  });
  return (
    <>
      <FilmView film={run} index={index} onGo={go} keys="← → step, Home End" />
      <LabVerdicts events={run.events} />
    </>
  );
};
