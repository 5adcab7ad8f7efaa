import { Play, Square } from 'lucide-react';
import { useMemo, useState } from 'react';
import { readyGuardNames, type ChosenGuard } from '../../protocol/again.js';
import { guardsIn } from '../../protocol/shapes.js';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
import { Form, Select } from '../components/fields.js';
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

export interface ChoiceProps {
  readonly choice: GuardChoice;
  readonly onChange: ChangeQuery;
}

interface GuardOptionsProps extends ChoiceProps {
  /** Called with the reason while an input is no valid value. */
  readonly onFault: (fault: string | undefined) => void;
}

export const GuardSelect = ({ choice, onChange }: ChoiceProps) => (
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

export const PlaceSelect = ({ choice, onChange }: ChoiceProps) => {
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
export const GuardOptions = ({ choice: { guard, options }, onChange, onFault }: GuardOptionsProps) => {
  const { options: schemas, pipelines } = useCatalog();
  const fields = useMemo(() => formFieldsOf(schemas.ready[guard] ?? schemas.policy), [schemas, guard]);
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
        <GuardSelect choice={choice} onChange={onChange} />
        <PlaceSelect choice={choice} onChange={onChange} />
        <RunSelects choice={choice} onChange={onChange} />
        {choice.guard !== '' && <GuardOptions key={choice.guard} choice={choice} onChange={onChange} onFault={setFault} />}
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
