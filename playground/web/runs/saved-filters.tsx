import { Bookmark, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { query as toQuery } from '../api/request.js';
import { useStored } from '../api/use-stored.js';
import { Button } from '../components/button.js';
import { Form } from '../components/fields.js';
import type { RunFilter } from './run-filter.js';

/** Named filters: the queries of their addresses, with their question marks. */
type Saved = Readonly<Record<string, string>>;

/** Empty if they cannot be read. */
const readSaved = (stored: string): Saved => {
  try {
    return { ...(JSON.parse(stored) as Saved) }; // written below
  } catch {
    return {};
  }
};

/** Named filters in this browser's storage. */
export const SavedFilters = ({ filter }: { readonly filter: RunFilter }) => {
  const [stored = '{}', store] = useStored('interlock-filters');
  const saved = useMemo(() => readSaved(stored), [stored]);
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const address = toQuery({ ...filter });
  const save = (): void => {
    store(JSON.stringify({ ...saved, [name]: address }));
    setTyped('');
  };
  return (
    <div className="cluster small saved-filters">
      {Object.entries(saved).map(([id, query]) => (
        <span key={id} className="cluster saved-filter">
          <Link href={`/runs${query}`} aria-current={query === address ? 'true' : undefined}>
            {id}
          </Link>
          <Button
            icon={X}
            look="quiet"
            aria-label={`Delete filter ${id}`}
            onClick={() => store(JSON.stringify({ ...saved, [id]: undefined }))}
          />
        </span>
      ))}
      {address !== '' && !Object.values(saved).includes(address) && (
        <Form className="cluster" onSubmit={() => name !== '' && save()}>
          <input
            className="input"
            aria-label="Filter name"
            placeholder="Filter name"
            maxLength={40}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button icon={Bookmark} type="submit" disabled={name === ''}>
            Save filter
          </Button>
        </Form>
      )}
    </div>
  );
};
