import { FlaskConical } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { useCatalog } from '../../api/catalog.js';
import type { Catalog } from '../../../protocol/catalog.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { CopyButton } from '../take-away/take-button.js';
import { FilmPanel } from './film-panel.js';
import { LabSetup } from './lab-setup.js';
import { LeakPanel } from './leak-panel.js';
import { isLinked, readLabLink, writeLabLink, type LabSettings } from './lab-link.js';
import { useLab } from './use-lab.js';
import '../workbench.css';
import './lab.css';

const sampleText = 'Of course. Write to ann.lee@example.org, or call +41 44 668 18 00. Have a nice day!';

/** The settings that the lab opens with: the first pipeline that judges a stream. */
const initialSettings = ({ phases, pipelines }: Catalog): LabSettings => {
  const chunked = new Set(phases.filter(({ cadence }) => cadence === 'chunk').map(({ phase }) => phase));
  const first = pipelines.find((pipeline) => pipeline.phases.some((phase) => chunked.has(phase))) ?? pipelines[0];
  return { pipelineId: first?.id ?? '', text: sampleText, kind: 'text', cutting: { kind: 'characters' } };
};

/** Lets a person cut a stream as it may come, and shows what leaves the gate, and when. */
export const LabPage = () => {
  const catalog = useCatalog();
  const search = useSearch();
  const [settings, setSettings] = useState(() => readLabLink(search, initialSettings(catalog)));
  const { lab, run } = useLab();
  const link = `?${writeLabLink(settings)}`;
  useEffect(() => {
    // The address follows what is set, so that it can be shared; it is no step back in the history.
    window.history.replaceState(window.history.state, '', `${window.location.pathname}${link}`);
  }, [link]);
  const load = (next: LabSettings): void => {
    setSettings(next);
    void run(next);
  };
  if (catalog.pipelines.length === 0)
    return (
      <EmptyState icon={FlaskConical} title="No pipelines">
        The lab runs a stream through a pipeline. Give an agent guards first.
      </EmptyState>
    );
  return (
    <div className="page">
      <header className="page-head">
        <h1>Chunk lab</h1>
        <CopyButton text={() => window.location.href}>
          {isLinked(settings) ? 'Copy a link to this' : 'Copy a link, without the text'}
        </CopyButton>
      </header>
      <div className="lab-layout">
        <LabSetup settings={settings} isBusy={lab.isBusy} onChange={setSettings} onRun={() => void run(settings)} />
        <div className="lab-results">
          {lab.error && <ErrorNotice error={lab.error} />}
          <FilmPanel result={lab.result} isStale={lab.result !== undefined && lab.result.settings !== settings} />
          <LeakPanel settings={settings} onLoad={load} />
        </div>
      </div>
    </div>
  );
};
