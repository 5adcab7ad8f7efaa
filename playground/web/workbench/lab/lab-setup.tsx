import { Dices, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCatalog } from '../../api/catalog.js';
import type { Cutting } from '../../../protocol/workbench.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/panel.js';
import { CutEditor } from './cut-editor.js';
import { labKinds, type LabSettings } from './lab-link.js';
import { RecordedPicker } from './recorded-picker.js';

interface LabSetupProps {
  readonly settings: LabSettings;
  readonly isBusy: boolean;
  readonly onChange: (settings: LabSettings) => void;
  readonly onRun: () => void;
}

/** The streamed text, its pipeline, and its cutting. */
export const LabSetup = ({ settings, isBusy, onChange, onRun }: LabSetupProps) => {
  const { text, cutting } = settings;
  const isRecorded = cutting.kind === 'recorded';
  const isReady = isRecorded ? cutting.runId !== '' : text !== '';
  const set = (change: Partial<LabSettings>): void => onChange({ ...settings, ...change });
  const setCutting = (next: Cutting): void => set({ cutting: next });
  return (
    <Panel title="Stream">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onRun();
        }}
      >
        <PipelineSelect id={settings.pipelineId} onChange={(pipelineId) => set({ pipelineId })} />
        <label className="field">
          <span className="field-title">Part type</span>
          <select
            className="input"
            value={settings.kind}
            onChange={({ target }) => set({ kind: labKinds.find((kind) => kind === target.value) ?? settings.kind })}
          >
            {labKinds.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <CuttingSelect cutting={cutting} onChange={setCutting} />
        {isRecorded ? (
          <RecordedPicker cutting={cutting} onChange={setCutting} />
        ) : (
          <label className="field">
            <span className="field-title">Text</span>
            <textarea className="input" rows={4} value={text} onChange={({ target }) => set({ text: target.value })} />
          </label>
        )}
        {cutting.kind === 'by-hand' && (
          <CutEditor text={text} at={cutting.at} onChange={(at) => setCutting({ kind: 'by-hand', at })} />
        )}
        <div>
          <Button look="primary" type="submit" disabled={isBusy || !isReady}>
            <Play size={14} aria-hidden /> {isBusy ? 'Running …' : 'Run stream'}
          </Button>
        </div>
      </form>
    </Panel>
  );
};

const PipelineSelect = ({ id, onChange }: { readonly id: string; readonly onChange: (id: string) => void }) => {
  const { pipelines, phases } = useCatalog();
  const chunked = new Set(phases.filter(({ cadence }) => cadence === 'chunk').map(({ phase }) => phase));
  const judges = pipelines.filter((pipeline) => pipeline.phases.some((phase) => chunked.has(phase)));
  const others = pipelines.filter((pipeline) => !judges.includes(pipeline));
  const option = (one: (typeof pipelines)[number]): ReactNode => (
    <option key={one.id} value={one.id}>
      {one.name}
    </option>
  );
  return (
    <label className="field">
      <span className="field-title">Pipeline</span>
      <select className="input" value={id} onChange={({ target }) => onChange(target.value)}>
        {!pipelines.some((one) => one.id === id) && <option value={id}>{id} (not found)</option>}
        <optgroup label="With stream guards">{judges.map(option)}</optgroup>
        {others.length > 0 && <optgroup label="Without stream guards">{others.map(option)}</optgroup>}
      </select>
    </label>
  );
};

const cuttingTitles: Readonly<Record<Cutting['kind'], string>> = {
  characters: 'per character',
  random: 'random',
  'by-hand': 'manual',
  recorded: 'as recorded',
};

/** An initial cutting of each kind. */
const firstCuttings: Readonly<Record<Cutting['kind'], Cutting>> = {
  characters: { kind: 'characters' },
  random: { kind: 'random', seed: 1, mean: 4 },
  'by-hand': { kind: 'by-hand', at: [] },
  recorded: { kind: 'recorded', runId: '', stepNumber: 0, attempt: 1 },
};

interface CuttingProps {
  readonly cutting: Cutting;
  readonly onChange: (cutting: Cutting) => void;
}

const CuttingSelect = ({ cutting, onChange }: CuttingProps) => (
  <fieldset className="cluster small choices">
    <legend className="field-title">Chunks</legend>
    {Object.values(firstCuttings).map((first) => (
      <label key={first.kind}>
        <input type="radio" name="cutting" checked={cutting.kind === first.kind} onChange={() => onChange(first)} />
        {cuttingTitles[first.kind]}
      </label>
    ))}
    {cutting.kind === 'random' && <RandomFields cutting={cutting} onChange={onChange} />}
  </fieldset>
);

interface RandomProps {
  readonly cutting: Extract<Cutting, { kind: 'random' }>;
  readonly onChange: (cutting: Cutting) => void;
}

const RandomFields = ({ cutting, onChange }: RandomProps) => (
  <div className="cluster lab-random">
    <label>
      seed
      <input
        className="input"
        type="number"
        min={0}
        value={cutting.seed}
        onChange={({ target }) => onChange({ ...cutting, seed: Math.max(0, Math.trunc(Number(target.value))) })}
      />
    </label>
    <label>
      mean length
      <input
        className="input"
        type="number"
        min={1}
        value={cutting.mean}
        onChange={({ target }) => onChange({ ...cutting, mean: Math.max(1, Math.trunc(Number(target.value))) })}
      />
    </label>
    <Button onClick={() => onChange({ ...cutting, seed: cutting.seed + 1 })}>
      <Dices size={14} aria-hidden /> Next seed
    </Button>
  </div>
);
