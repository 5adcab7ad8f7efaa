import { Search, X } from 'lucide-react';
import { useEffect, useId, useMemo, useState } from 'react';
import { useCatalog } from '../api/catalog.js';
import { Button } from '../components/button.js';
import { Select, type Option } from '../components/fields.js';
import { statusWords } from '../../fold/facts.js';
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
  const choices: readonly (readonly [keyof RunFilter, title: string, readonly Option[]])[] = [
    ['status', 'Status', Object.entries(statusWords).map(([status, { word }]) => [status, word])],
    ['agent', 'Agent', agents.map(({ id, name }) => [id, name])],
    ['guard', 'Guard', guards.map((guard) => [guard, guard])],
    ['within', 'Time', Object.entries(periodNames)],
    ['sort', 'Sort by', Object.entries({ duration: 'longest', tokens: 'most tokens' })],
  ];
  const setText = useMemo(() => (text: string) => onChange({ text }), [onChange]);
  const isFiltered = Object.keys(filter).length > 0;
  const clear = () => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <search className="filters">
      <TextFilter key={filter.text === undefined ? 'none' : 'some'} text={filter.text} onChange={setText} />
      {choices.map(([name, title, options]) => (
        <Select
          key={name}
          title={title}
          className="filter soft tiny"
          value={filter[name] ?? ''}
          options={[['', name === 'sort' ? 'newest' : 'any'], ...options]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {isFiltered && (
        <Button icon={X} look="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </search>
  );
};
