import { FlaskConical, Film as FilmIcon } from 'lucide-react';
import { useEffect, useState, useCallback } from 'react';
import { useSearch } from 'wouter';
import './lab.css';
import { useCatalog } from '../../api/catalog.js';
import type { Catalog } from '../../../protocol/catalog.js';
import { EmptyState, ErrorNotice } from '../../components/notices.js';
import { post } from '../../api/request.js';
import { useAction } from '../../api/use-loaded.js';
import { RowName, Table } from '../../components/table.js';
import { CopyButton } from '../take-away/take-button.js';
import { LabSetup } from './lab-setup.js';
import { LeakPanel } from './leak-panel.js';
import { isLinked, readLabLink, writeLabLink, type LabSettings } from './lab-link.js';
import type { LabRun } from '../../../protocol/workbench.js';
import { Panel } from '../../components/panel.js';
import { FilmView } from './film-view.js';
import { frameCount } from './film.js';
import { usePageKeys } from '../../components/use-page-keys.js';
import type { RunEvent } from '../../../../schemas/index.js';
import { VerdictBadge } from '../../components/badge.js';
import { count, formatDuration } from '../../components/format.js';

const sampleText = 'Of course. Write to ann.lee@example.org, or call +41 44 668 18 00. Have a nice day!';

/** The initial settings of the lab: the first pipeline that judges a stream. */
const initialSettings = ({ phases, pipelines }: Catalog): LabSettings => {
  const chunked = new Set(phases.filter(({ cadence }) => cadence === 'chunk').map(({ phase }) => phase));
  const first = pipelines.find((pipeline) => pipeline.phases.some((phase) => chunked.has(phase))) ?? pipelines[0];
  return { pipelineId: first?.id ?? '', text: sampleText, kind: 'text', cutting: { kind: 'characters' } };
};

/** Cuts a stream as the user wants, and shows the gate's releases with their times. */
export const LabPage = () => {
  const catalog = useCatalog();
  const search = useSearch();
  const [settings, setSettings] = useState(() => readLabLink(search, initialSettings(catalog)));
  const [lab, act] = useAction<LabResult>();
  const run = (wanted: LabSettings) =>
    act(async () => ({ settings: wanted, run: await post<LabRun>('lab/stream', wanted), at: Date.now() }));
  const { value: result } = lab;
  const isStale = result !== undefined && result.settings !== settings;
  const link = `?${writeLabLink(settings)}`;
  useEffect(() => {
    // The address follows the settings, so that it can be shared; it adds no step to the history.
    window.history.replaceState(window.history.state, '', `${window.location.pathname}${link}`);
  }, [link]);
  const load = (next: LabSettings): void => {
    setSettings(next);
    void run(next);
  };
  if (catalog.pipelines.length === 0)
    return (
      <EmptyState icon={FlaskConical} title="No pipelines" isPage>
        The lab runs a stream through a pipeline. Add guards to an agent first.
      </EmptyState>
    );
  return (
    <div className="page">
      <header className="spread">
        <h1>Chunk lab</h1>
        <CopyButton text={() => window.location.href}>{isLinked(settings) ? 'Copy link' : 'Copy link without text'}</CopyButton>
      </header>
      <div className="split lab-layout">
        <LabSetup settings={settings} isBusy={lab.state === 'busy'} onChange={setSettings} onRun={() => void run(settings)} />
        <div className="stack-l">
          {lab.error && <ErrorNotice error={lab.error} />}
          <Panel title="Emitted text" note={isStale ? 'Settings changed. Run again to update.' : undefined}>
            {result ? (
              <LabFilm key={result.at} run={result.run} />
            ) : (
              <EmptyState icon={FilmIcon} title="No results yet">
                Run the stream, then step through its chunks.
              </EmptyState>
            )}
          </Panel>
          <LeakPanel settings={settings} onLoad={load} />
        </div>
      </div>
    </div>
  );
};

/** A run of the lab, with its settings. */
interface LabResult {
  readonly settings: LabSettings;
  readonly run: LabRun;
  readonly at: number;
}

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
      {run.window !== undefined && (
        <p className="faint">
          Window of guards without their own: {typeof run.window === 'string' ? run.window : JSON.stringify(run.window)}
        </p>
      )}
      <FilmView film={run} index={index} onGo={go} keys="← → step, Home End" />
      <LabVerdicts events={run.events} />
    </>
  );
};

/** The number of calls of each guard, and its verdicts. */
const LabVerdicts = ({ events }: { readonly events: readonly RunEvent[] }) => {
  const verdicts = events.filter((event) => event.type === 'guard');
  if (verdicts.length === 0) return null;
  return (
    <Table
      caption="Guards"
      rows={verdicts}
      columns={[
        {
          title: 'Guard',
          render: ({ path, processorId, reason }) => <RowName name={processorId} path={path} note={reason} />,
        },
        { title: 'Verdict', render: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
        {
          title: 'Calls',
          render: ({ calls, edits, durationMs }) =>
            [count(calls, 'call'), edits > 0 && count(edits, 'edit'), formatDuration(durationMs)].filter(Boolean).join(', '),
        },
      ]}
    />
  );
};
