import { Play, Square } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { readyGuardNames, type ChosenGuard } from '../../protocol/again.js';
import type { FormSchemas } from '../../protocol/catalog.js';
import { guardsIn } from '../../protocol/shapes.js';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
import { Form, Select } from '../components/fields.js';
import { Loaded } from '../components/notices.js';
import { useGet } from '../api/use-loaded.js';
import { Panel } from '../components/panel.js';
import type { ChangeQuery } from '../shell/use-query.js';
import { formFieldsOf } from '../workbench/form/form-fields.js';
import type { Payload } from '../workbench/form/json-schema.js';
import { PayloadForm, type FieldErrors } from '../workbench/form/payload-form.js';
import { chosenGuard, isReady, policyAt, readOptions, runCounts, type GuardChoice } from './guard-choice.js';

interface GuardFormProps extends ChoiceProps {
  readonly isBusy: boolean;
  readonly onReplay: (guard: ChosenGuard) => void;
  readonly onStop: () => void;
}

interface ChoiceProps {
  readonly choice: GuardChoice;
  readonly onChange: ChangeQuery;
}

interface GuardFieldsProps extends ChoiceProps {
  /** Called with the reason while an input is no valid value. */
  readonly onFault: (fault: string | undefined) => void;
  /** Between the guard and its options. */
  readonly children?: ReactNode;
}

/** Fields for a guard, the one that it replaces, and its options. */
export const GuardFields = ({ children, ...props }: GuardFieldsProps) => (
  <>
    <GuardSelect {...props} />
    <PlaceSelect {...props} />
    {children}
    {props.choice.guard !== '' && <GuardOptions key={props.choice.guard} {...props} />}
  </>
);

const GuardSelect = ({ choice, onChange }: ChoiceProps) => (
  <Select
    title="Guard"
    value={choice.guard}
    options={[
      ['', 'Choose a guard'],
      ...useCatalog().pipelines.map(({ name, graph }) => ({
        group: `in ${name}`,
        options: guardsIn(graph).map(({ id, path }) => [path, id] as const),
      })),
      { group: 'built-in', options: readyGuardNames.map((name) => [name, name]) },
    ]}
    onChange={(guard) => onChange({ guard, options: undefined })}
  />
);

const PlaceSelect = ({ choice, onChange }: ChoiceProps) => {
  const ids = new Set(useCatalog().pipelines.flatMap(({ graph }) => guardsIn(graph).map(({ id }) => id)));
  return (
    <Select
      title="Replaces"
      value={choice.instead}
      options={[['', 'guard with the same id'], ...[...ids].toSorted().map((id) => [id, id] as const)]}
      onChange={(instead) => onChange({ instead })}
    />
  );
};

const RunSelects = ({ choice, onChange }: ChoiceProps) => {
  const recorded = useCatalog().agents.filter(({ kind }) => kind === 'interlock');
  return (
    <>
      <Select
        title="Agent"
        value={choice.agent}
        options={[['', 'all agents'], ...recorded.map(({ id, name }) => [id, name] as const)]}
        onChange={(agent) => onChange({ agent })}
      />
      <Select
        title="Latest runs"
        value={String(choice.last)}
        options={runCounts.map((last) => [String(last), String(last)])}
        onChange={(last) => onChange({ last })}
      />
    </>
  );
};

/** A form for the options of the chosen guard: the policy of a guard of the application, or what a built-in guard takes. */
const GuardOptions = (props: GuardFieldsProps) => (
  <Loaded loaded={useGet<FormSchemas>('schemas')} noun="the form">
    {({ ready, policy }) => <OptionsForm {...props} schema={ready[props.choice.guard] ?? policy} />}
  </Loaded>
);

const OptionsForm = ({
  choice: { guard, options },
  schema,
  onChange,
  onFault,
}: GuardFieldsProps & { readonly schema: object }) => {
  const { pipelines } = useCatalog();
  const fields = useMemo(() => formFieldsOf(schema), [schema]);
  const [payload, setPayload] = useState<Payload>(() => readOptions(options) ?? policyAt(guard, pipelines));
  const [errors, setErrors] = useState<FieldErrors>({});
  return (
    <fieldset className="guard-form-options">
      <legend className="field-title">{isReady(guard) ? 'Options' : 'Policy'}</legend>
      <PayloadForm
        isOpen
        fields={fields}
        payload={payload}
        errors={errors}
        onChange={(next) => {
          setPayload(next);
          onChange({ options: JSON.stringify(next) });
        }}
        onDraftError={(name, message) => {
          const next = { ...errors, [name]: message };
          setErrors(next);
          onFault(Object.values(next).find((one) => one !== undefined));
        }}
      />
    </fieldset>
  );
};

/** Chooses a guard, its options, and the runs for its replay; the address contains all of it. */
export const GuardForm = ({ choice, isBusy, onChange, onReplay, onStop }: GuardFormProps) => {
  const { pipelines } = useCatalog();
  const [fault, setFault] = useState<string>();
  const submit = (): void => {
    const guard = chosenGuard(choice, pipelines);
    if (guard && fault === undefined) onReplay(guard);
  };
  return (
    <Panel title="Guard and runs to replay">
      <Form className="columns guard-form" onSubmit={submit}>
        <GuardFields choice={choice} onChange={onChange} onFault={setFault}>
          <RunSelects choice={choice} onChange={onChange} />
        </GuardFields>
        {isBusy ? (
          <Button icon={Square} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button icon={Play} look="primary" type="submit" disabled={choice.guard === ''}>
            Replay
          </Button>
        )}
      </Form>
    </Panel>
  );
};
