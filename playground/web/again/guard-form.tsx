import { Play, Square } from 'lucide-react';
import { useId, useState } from 'react';
import { readyGuardNames, type ChosenGuard } from '../../protocol/again.js';
import { guardsIn } from '../../protocol/shapes.js';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
import { Panel } from '../components/panel.js';
import type { ChangeQuery } from '../shell/use-query.js';
import { chosenGuard, isReady, runCounts, type GuardChoice } from './guard-choice.js';

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

export const GuardSelect = ({ choice, onChange }: ChoiceProps) => (
  <Select title="Guard" name="guard" value={choice.guard} onChange={onChange}>
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
    <optgroup label="ready-made">
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

/** The options of the chosen guard, as JSON. */
export const GuardOptions = ({ choice, onChange, fault }: ChoiceProps & { readonly fault: string | undefined }) => {
  const faultId = useId();
  return (
    <label className={`field guard-form-options ${fault === undefined ? '' : 'field-wrong'}`}>
      <span className="field-title">{isReady(choice.guard) ? 'Options' : 'Policy'} (JSON)</span>
      <textarea
        className="input input-code"
        rows={2}
        value={choice.options}
        placeholder={isReady(choice.guard) ? '{"threshold": 0.5}' : '{"deadlineMs": 800}'}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        onChange={({ target }) => onChange({ options: target.value })}
      />
      {fault !== undefined && (
        <span id={faultId} className="field-error" role="alert">
          {fault}
        </span>
      )}
    </label>
  );
};

/** Chooses a guard, its options, and the runs for its replay; the address contains all of it. */
export const GuardForm = ({ choice, isBusy, onChange, onReplay, onStop }: GuardFormProps) => {
  const { pipelines } = useCatalog();
  const [fault, setFault] = useState<string>();
  const submit = (): void => {
    try {
      const guard = chosenGuard(choice, pipelines);
      setFault(undefined);
      if (guard) onReplay(guard);
    } catch (error) {
      setFault((error as SyntaxError).message); // from JSON.parse
    }
  };
  return (
    <Panel title="Guard and runs to replay">
      <form
        className="guard-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <GuardSelect choice={choice} onChange={onChange} />
        <PlaceSelect choice={choice} onChange={onChange} />
        <RunSelects choice={choice} onChange={onChange} />
        <GuardOptions choice={choice} onChange={onChange} fault={fault} />
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
