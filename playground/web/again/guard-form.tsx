import { Play, Square } from 'lucide-react';
import { useMemo, useState } from 'react';
import { readyGuardNames, type ChosenGuard } from '../../protocol/again.js';
import { guardsIn } from '../../protocol/shapes.js';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
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

interface SelectProps {
  readonly title: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: ChangeQuery;
  readonly children: React.ReactNode;
}

const Select = ({ title, name, value, onChange, children }: SelectProps) => (
  <label className="field">
    <span className="field-title">{title}</span>
    <select className="input" value={value} onChange={({ target }) => onChange({ [name]: target.value })}>
      {children}
    </select>
  </label>
);

export interface ChoiceProps {
  readonly choice: GuardChoice;
  readonly onChange: ChangeQuery;
}

interface GuardOptionsProps extends ChoiceProps {
  /** Called with the reason while an input is no valid value. */
  readonly onFault: (fault: string | undefined) => void;
}

export const GuardSelect = ({ choice, onChange }: ChoiceProps) => (
  <Select title="Guard" name="guard" value={choice.guard} onChange={(change) => onChange({ ...change, options: undefined })}>
    <option value="">Choose a guard</option>
    {useCatalog().pipelines.map(({ id, name, graph }) => (
      <optgroup key={id} label={`in ${name}`}>
        {guardsIn(graph).map((guard) => (
          <option key={guard.path} value={guard.path}>
            {guard.id}
          </option>
        ))}
      </optgroup>
    ))}
    <optgroup label="built-in">
      {readyGuardNames.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
  </Select>
);

export const PlaceSelect = ({ choice, onChange }: ChoiceProps) => {
  const ids = new Set(useCatalog().pipelines.flatMap(({ graph }) => guardsIn(graph).map(({ id }) => id)));
  return (
    <Select title="Replaces" name="instead" value={choice.instead} onChange={onChange}>
      <option value="">guard with the same id</option>
      {[...ids].toSorted().map((id) => (
        <option key={id}>{id}</option>
      ))}
    </Select>
  );
};

const RunSelects = ({ choice, onChange }: ChoiceProps) => (
  <>
    <Select title="Agent" name="agent" value={choice.agent} onChange={onChange}>
      <option value="">all agents</option>
      {useCatalog()
        .agents.filter(({ kind }) => kind === 'interlock')
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </Select>
    <Select title="Latest runs" name="last" value={String(choice.last)} onChange={onChange}>
      {runCounts.map((last) => (
        <option key={last} value={last}>
          {last}
        </option>
      ))}
    </Select>
  </>
);

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
      <form
        className="columns guard-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <GuardSelect choice={choice} onChange={onChange} />
        <PlaceSelect choice={choice} onChange={onChange} />
        <RunSelects choice={choice} onChange={onChange} />
        {choice.guard !== '' && <GuardOptions key={choice.guard} choice={choice} onChange={onChange} onFault={setFault} />}
        {isBusy ? (
          <Button onClick={onStop}>
            <Square size={14} aria-hidden /> Stop
          </Button>
        ) : (
          <Button look="primary" type="submit" disabled={choice.guard === ''}>
            <Play size={14} aria-hidden /> Replay
          </Button>
        )}
      </form>
    </Panel>
  );
};
