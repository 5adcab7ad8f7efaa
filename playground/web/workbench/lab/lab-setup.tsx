import { Dices, Play } from 'lucide-react';
import { useCatalog } from '../../api/catalog.js';
import type { Cutting } from '../../../protocol/workbench.js';
import { Button } from '../../components/button.js';
import { Field, Form, NumberField, Radios, Select } from '../../components/fields.js';
import { Panel } from '../../components/panel.js';
import { chunksOf, cutsOf } from './cuts.js';
import { labKinds, type LabSettings } from './lab-link.js';
import { Link } from 'wouter';
import { runHref } from '../../shell/hrefs.js';

interface LabSetupProps {
  readonly settings: LabSettings;
  readonly isBusy: boolean;
  readonly onChange: (settings: LabSettings) => void;
  readonly onRun: () => void;
}

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

/** The streamed text, its pipeline, and its cutting. */
export const LabSetup = ({ settings, isBusy, onChange, onRun }: LabSetupProps) => {
  const { text, cutting, kind } = settings;
  const isReady = cutting.kind === 'recorded' ? cutting.runId !== '' : text !== '';
  const set = (change: Partial<LabSettings>): void => onChange({ ...settings, ...change });
  return (
    <Panel title="Stream">
      <Form className="stack" onSubmit={onRun}>
        <PipelineSelect id={settings.pipelineId} onChange={(pipelineId) => set({ pipelineId })} />
        <Select
          title="Part type"
          value={kind}
          options={labKinds.map((one) => [one, one])}
          onChange={(chosen) => set({ kind: labKinds.find((one) => one === chosen) ?? kind })}
        />
        <Radios
          title="Chunks"
          value={cutting.kind}
          options={Object.entries(cuttingTitles)}
          onChange={(chosen) => set({ cutting: firstCuttings[chosen as Cutting['kind']] })} // a key of the titles
        />
        {cutting.kind === 'random' && <RandomFields cutting={cutting} onChange={(next) => set({ cutting: next })} />}
        {cutting.kind === 'recorded' ? (
          <Recorded cutting={cutting} />
        ) : cutting.kind === 'by-hand' ? (
          <ChunkLines
            text={text}
            at={cutting.at}
            onChange={(next, at) => set({ text: next, cutting: { kind: 'by-hand', at } })}
          />
        ) : (
          <Field title="Text">
            <textarea className="input" rows={4} value={text} onChange={({ target }) => set({ text: target.value })} />
          </Field>
        )}
        <div>
          <Button icon={Play} look="primary" type="submit" disabled={isBusy || !isReady}>
            {isBusy ? 'Running …' : 'Run stream'}
          </Button>
        </div>
      </Form>
    </Panel>
  );
};

interface ChunkLinesProps {
  readonly text: string;
  /** Positions, in code points, at which the text is cut. */
  readonly at: readonly number[];
  readonly onChange: (text: string, at: number[]) => void;
}

/** Line ends of the text, because a line is a chunk. */
const lineEnd = '⏎';

/** A text with a line for each chunk. */
const ChunkLines = ({ text, at, onChange }: ChunkLinesProps) => {
  const change = (typed: string): void => {
    const chunks = typed.split('\n').map((chunk) => chunk.replaceAll(lineEnd, '\n'));
    onChange(chunks.join(''), cutsOf(chunks));
  };
  return (
    <Field title={`Text, one line for each chunk; ${lineEnd} is a line break`}>
      <textarea
        className="input input-code"
        rows={6}
        value={chunksOf(text, at)
          .map((chunk) => chunk.replaceAll('\n', lineEnd))
          .join('\n')}
        onChange={({ target }) => change(target.value)}
      />
    </Field>
  );
};

const PipelineSelect = ({ id, onChange }: { readonly id: string; readonly onChange: (id: string) => void }) => {
  const { pipelines, phases } = useCatalog();
  const chunked = new Set(phases.filter(({ cadence }) => cadence === 'chunk').map(({ phase }) => phase));
  const groups = Map.groupBy(pipelines, ({ phases: own }) => own.some((phase) => chunked.has(phase)));
  const optionsIn = (isStreamed: boolean) => (groups.get(isStreamed) ?? []).map((one) => [one.id, one.name] as const);
  return (
    <Select
      title="Pipeline"
      value={id}
      options={[
        ...(pipelines.some((one) => one.id === id) ? [] : [[id, `${id} (not found)`] as const]),
        { group: 'With stream guards', options: optionsIn(true) },
        { group: 'Without stream guards', options: optionsIn(false) },
      ]}
      onChange={onChange}
    />
  );
};

interface RandomProps {
  readonly cutting: Extract<Cutting, { kind: 'random' }>;
  readonly onChange: (cutting: Cutting) => void;
}

const RandomFields = ({ cutting, onChange }: RandomProps) => (
  <div className="cluster lab-random">
    <NumberField title="Seed" value={cutting.seed} onChange={(seed) => onChange({ ...cutting, seed })} />
    <NumberField title="Mean length" min={1} value={cutting.mean} onChange={(mean) => onChange({ ...cutting, mean })} />
    <Button icon={Dices} onClick={() => onChange({ ...cutting, seed: cutting.seed + 1 })}>
      Next seed
    </Button>
  </div>
);

/** The model call whose chunks are used: a step of a run leads here. */
const Recorded = ({ cutting: { runId, stepNumber, attempt } }: { readonly cutting: Extract<Cutting, { kind: 'recorded' }> }) =>
  runId === '' ? (
    <p className="soft small">
      Open a step of a <Link href="/runs">run</Link>, and press <i>Open in the lab</i>.
    </p>
  ) : (
    <p className="small">
      Step {stepNumber + 1}, attempt {attempt} of <Link href={runHref(runId)}>a recorded run</Link>.
    </p>
  );
