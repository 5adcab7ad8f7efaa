import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { query as toQuery } from '../api/request.js';
import { Button } from '../components/button.js';
import type { RunFilter } from './run-filter.js';

/** Named filters in this browser's storage. */
export const SavedFilters = ({ filter }: { readonly filter: RunFilter }) => {
  const [saved, setSaved] = useState(readSaved);
  const [name, setName] = useState('');
  const address = toQuery({ ...filter });
  const change = (next: readonly SavedFilter[]): void => {
    writeSaved(next);
    setSaved(next);
  };
  const isNew = address !== '' && !saved.some((one) => one.address === address);
  if (saved.length === 0 && !isNew) return null;
  return (
    <div className="cluster small saved-filters">
      {saved.map((one) => (
        <span key={one.name} className="cluster saved-filter">
          <Link href={`/runs${one.address}`} aria-current={one.address === address ? 'true' : undefined}>
            {one.name}
          </Link>
          <Button
            look="quiet"
            isIcon
            aria-label={`Delete filter ${one.name}`}
            onClick={() => change(withoutFilter(saved, one.name))}
          >
            <X size={13} aria-hidden />
          </Button>
        </span>
      ))}
      {isNew && (
        <form
          className="cluster"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            change(withFilter(saved, { name: name.trim(), address }));
            setName('');
          }}
        >
          <input
            className="input"
            aria-label="Filter name"
            placeholder="Filter name"
            maxLength={40}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            <Bookmark size={14} aria-hidden /> Save filter
          </Button>
        </form>
      )}
    </div>
  );
};

/** A named filter in this browser's storage. */
interface SavedFilter {
  readonly name: string;
  /** The query of its address, with its question mark. */
  readonly address: string;
}

const key = 'interlock-saved-filters';

/** The stored filters; empty if they cannot be read. */
const readSaved = (): readonly SavedFilter[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSaved) : [];
  } catch {
    return []; // no storage, or foreign data
  }
};

const isSaved = (value: unknown): value is SavedFilter => {
  const { name, address } = (value ?? {}) as { name?: unknown; address?: unknown };
  return typeof name === 'string' && typeof address === 'string' && address.startsWith('?');
};

const writeSaved = (saved: readonly SavedFilter[]): void => {
  try {
    localStorage.setItem(key, JSON.stringify(saved));
  } catch {
    // it lasts for as long as the page is open
  }
};

/** Adds a filter, or replaces the one with its name. */
const withFilter = (saved: readonly SavedFilter[], filter: SavedFilter): readonly SavedFilter[] => [
  ...withoutFilter(saved, filter.name),
  filter,
];

const withoutFilter = (saved: readonly SavedFilter[], name: string): readonly SavedFilter[] =>
  saved.filter((one) => one.name !== name);
