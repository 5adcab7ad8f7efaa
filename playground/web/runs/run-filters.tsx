import { Search, X } from 'lucide-react';
import { useEffect, useId, useMemo, useState, type ReactNode } from 'react';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
import { statusSignals } from '../components/signal.js';
import type { ChangeQuery } from '../shell/use-query.js';
import { guardsIn } from '../../protocol/shapes.js';
import { filterNames, type periods, type RunFilter } from './run-filter.js';

interface RunFiltersProps {
  readonly filter: RunFilter;
  readonly onChange: ChangeQuery;
}

const periodNames: Readonly<Record<keyof typeof periods, string>> = {
  '15m': 'last 15 minutes',
  '1h': 'last hour',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
};

/** Milliseconds without typing before the search starts. */
const restMs = 250;

interface ChoiceProps {
  readonly label: string;
  /** The label without a choice. Default `any`. */
  readonly none?: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly children: ReactNode;
}

const Choice = ({ label, none = 'any', value, onChange, children }: ChoiceProps) => (
  <label className="filter soft tiny">
    <span>{label}</span>
    <select value={value ?? ''} onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}>
      <option value="">{none}</option>
      {children}
    </select>
  </label>
);

const TextFilter = ({ text, onChange }: { readonly text: string | undefined; readonly onChange: (text: string) => void }) => {
  const [typed, setTyped] = useState(text ?? '');
  const id = useId();
  useEffect(() => {
    if (typed === (text ?? '')) return undefined;
    const timer = setTimeout(() => onChange(typed), restMs);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  return (
    <div className="filter soft tiny filter-text">
      <label htmlFor={id}>Text</label>
      <Search size={14} aria-hidden />
      <input
        id={id}
        type="search"
        value={typed}
        placeholder="message or response"
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
};

/** The filter of the shown runs; the address contains it. */
export const RunFilters = ({ filter, onChange }: RunFiltersProps) => {
  const { agents, pipelines } = useCatalog();
  const guards = useMemo(
    () => [...new Set(pipelines.flatMap(({ graph }) => guardsIn(graph).map(({ id }) => id)))].toSorted(),
    [pipelines],
  );
  const setText = useMemo(() => (text: string) => onChange({ text }), [onChange]);
  const isFiltered = Object.keys(filter).length > 0;
  const clear = () => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <search className="filters">
      <TextFilter key={filter.text === undefined ? 'none' : 'some'} text={filter.text} onChange={setText} />
      <Choice label="Status" value={filter.status} onChange={(status) => onChange({ status })}>
        {Object.entries(statusSignals).map(([status, { label }]) => (
          <option key={status} value={status}>
            {label}
          </option>
        ))}
      </Choice>
      <Choice label="Agent" value={filter.agent} onChange={(agent) => onChange({ agent })}>
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice label="Guard" value={filter.guard} onChange={(guard) => onChange({ guard })}>
        {guards.map((guard) => (
          <option key={guard}>{guard}</option>
        ))}
      </Choice>
      <Choice label="Time" value={filter.within} onChange={(within) => onChange({ within })}>
        {Object.entries(periodNames).map(([period, name]) => (
          <option key={period} value={period}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice label="Sort by" none="newest" value={filter.sort} onChange={(sort) => onChange({ sort })}>
        <option value="duration">longest</option>
        <option value="tokens">most tokens</option>
      </Choice>
      {isFiltered && (
        <Button look="quiet" onClick={clear}>
          <X size={14} aria-hidden /> Clear filters
        </Button>
      )}
    </search>
  );
};
