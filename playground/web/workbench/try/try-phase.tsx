import { Braces, Play, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCatalog } from '../../api/catalog.js';
import type { FormSchemas, PipelineInfo } from '../../../protocol/catalog.js';
import { Button } from '../../components/button.js';
import { ErrorNotice, Loaded } from '../../components/notices.js';
import { useGet } from '../../api/use-loaded.js';
import { Form, Radios, Select } from '../../components/fields.js';
import { Panel } from '../../components/panel.js';
import { carryOver } from '../form/edit-payload.js';
import { examplePayload } from '../form/example-of.js';
import { formFieldsOf, type FormField } from '../form/form-fields.js';
import type { JsonSchema, Payload } from '../form/json-schema.js';
import { PayloadForm, PayloadText, type FieldErrors, type FillProps } from '../form/payload-form.js';
import type { PlaceMark } from '../graph/shape-nodes.js';
import { differencesOf, useTry, type Engine, type Trying } from './use-try.js';
import { marksOfTries } from './marks-of-tries.js';
import { TriedResult } from './tried-result.js';
import './try-phase.css';

interface TryPhaseProps {
  readonly pipeline: PipelineInfo;
  /** Called with the outcome of each element of the graph. */
  readonly onTried: (marks: ReadonlyMap<string, PlaceMark>) => void;
}

const engineTitles = { plan: 'Compiled plan', mastra: 'Mastra engine' } as const satisfies Record<Engine, string>;

const engineChoices: Readonly<Record<string, readonly Engine[]>> = {
  [engineTitles.plan]: ['plan'],
  [engineTitles.mastra]: ['mastra'],
  Both: ['plan', 'mastra'],
};

const placeOf = (schema: JsonSchema = {}) => ({
  fields: formFieldsOf(schema),
  example: examplePayload(schema, new Date().toISOString()),
});

/** Runs one phase of a pipeline with a payload from the user. */
export const TryPhase = (props: TryPhaseProps) => (
  <Loaded loaded={useGet<FormSchemas>('schemas')} noun="the form">
    {({ phases }) => <TryForm {...props} schemas={phases} />}
  </Loaded>
);

interface TryFormProps extends TryPhaseProps {
  readonly schemas: FormSchemas['phases'];
}

const TryForm = ({ pipeline, schemas, onTried }: TryFormProps) => {
  const [phase, setPhase] = useState(pipeline.phases[0] ?? Object.keys(schemas)[0] ?? '');
  const place = useMemo(() => placeOf(schemas[phase]), [schemas, phase]);
  const [{ payload, form }, setFilled] = useState({ payload: place.example, form: 0 });
  const [isText, setIsText] = useState(false);
  const [chosen, setChosen] = useState<string>(engineTitles.plan);
  const engines = engineChoices[chosen] ?? [];
  const [drafts, setDrafts] = useState<FieldErrors>({});
  const { trying, run, clear } = useTry(pipeline.id);
  /** Opens another payload, in a new form. */
  const open = (next: Payload): void => {
    setFilled({ payload: next, form: form + 1 });
    setDrafts({});
    clear();
    onTried(new Map());
  };
  const change = (next: string): void => {
    open(carryOver(payload, place, placeOf(schemas[next])));
    setPhase(next);
  };
  const isUnread = Object.values(drafts).some((message) => message !== undefined);
  const submit = async (): Promise<void> => {
    if (!isUnread) onTried(marksOfTries(await run({ phase, payload, engines }), pipeline.graph, phase));
  };
  const filling: FillProps = {
    payload,
    errors: { ...trying.errors, ...defined(drafts) },
    onChange: (next) => setFilled({ payload: next, form }),
    onDraftError: (name, message) => setDrafts((before) => ({ ...before, [name]: message })),
  };
  return (
    <Panel title="Try a phase" tools={<ModeSwitch isText={isText} isLocked={isUnread} onChange={setIsText} />}>
      <Form className="split try" onSubmit={submit}>
        <div className="stack">
          <PhaseSelect phase={phase} fields={place.fields} covered={pipeline.phases} onChange={change} />
          {isText ? <PayloadText key={form} {...filling} /> : <PayloadForm key={form} fields={place.fields} {...filling} />}
          <Radios
            title="Run on"
            value={chosen}
            options={Object.keys(engineChoices).map((title) => [title, title])}
            onChange={setChosen}
          />
          <div className="cluster">
            <Button icon={Play} look="primary" type="submit" disabled={trying.isBusy || isUnread}>
              {trying.isBusy ? 'Running …' : 'Run'}
            </Button>
            <Button icon={RotateCcw} look="quiet" onClick={() => open(place.example)}>
              Example
            </Button>
          </div>
        </div>
        <Results trying={trying} fields={isText ? [] : place.fields} graph={pipeline.graph} phase={phase} />
      </Form>
    </Panel>
  );
};

interface ModeProps {
  readonly isText: boolean;
  /** Invalid content of a control is not part of the value and would be lost. */
  readonly isLocked: boolean;
  readonly onChange: (isText: boolean) => void;
}

const ModeSwitch = ({ isText, isLocked, onChange }: ModeProps) => (
  <Button icon={Braces} look="quiet" disabled={isLocked} onClick={() => onChange(!isText)}>
    {isText ? 'Edit as form' : 'Edit as JSON'}
  </Button>
);

const defined = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).filter(([, message]) => message !== undefined));

interface PhaseSelectProps {
  readonly phase: string;
  readonly fields: readonly FormField[];
  readonly covered: readonly string[];
  readonly onChange: (phase: string) => void;
}

const PhaseSelect = ({ phase, fields, covered, onChange }: PhaseSelectProps) => {
  const { phases } = useCatalog();
  const groups = Map.groupBy(phases, (info) => covered.includes(info.phase));
  const optionsIn = (isCovered: boolean) => (groups.get(isCovered) ?? []).map((info) => [info.phase, info.title] as const);
  return (
    <>
      <Select
        title="Phase"
        value={phase}
        options={[
          { group: 'Covered by this pipeline', options: optionsIn(true) },
          { group: 'Other phases', options: optionsIn(false) },
        ]}
        onChange={onChange}
      />
      <p className="field-words soft tiny">
        {fields.find(({ kind }) => kind === 'fixed')?.description}{' '}
        {!covered.includes(phase) && 'No guard of this pipeline has a hook for this phase. The payload passes unchanged.'}
      </p>
    </>
  );
};

interface ResultsProps {
  readonly trying: Trying;
  readonly fields: readonly FormField[];
  readonly graph: PipelineInfo['graph'];
  readonly phase: string;
}

const Results = ({ trying: { results, error, errors }, fields, graph, phase }: ResultsProps) => {
  const [first, second] = results;
  const elsewhere = Object.entries(errors).filter(([name]) => !fields.some((field) => field.name === name));
  const differences = first && second ? differencesOf(first.tried, second.tried) : undefined;
  return (
    <div className="stack try-results" aria-live="polite">
      {error && <ErrorNotice error={error} />}
      {elsewhere.map(([name, message]) => (
        <p key={name} className="field-error">
          {name}: {message}
        </p>
      ))}
      {differences && (
        <p className={differences.length === 0 ? 'agree' : 'disagree'}>
          {differences.length === 0 ? 'Both engines agree.' : `The engines differ in ${differences.join(', ')}.`}
        </p>
      )}
      <div className="columns try-columns">
        {results.map(({ engine, tried }) => (
          <TriedResult key={engine} title={engineTitles[engine]} tried={tried} graph={graph} phase={phase} />
        ))}
      </div>
    </div>
  );
};
