import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import type { RunPage } from '../../../protocol/runs.js';
import { useCatalog } from '../../api/catalog.js';
import { get, query, runFile } from '../../api/request.js';
import { useRun } from '../../api/run-readers.js';
import { useLoaded } from '../../api/use-loaded.js';
import { InertText } from '../../components/inert-text.js';
import { findGoals, goalOfRun, goalsOfCatalog, goalsOfRun, type Goal } from './goals.js';
import './go-to.css';

/** The maximum number of found runs. */
const mostRuns = 8;

const useGoals = (text: string): readonly Goal[] => {
  const catalog = useCatalog();
  const [location] = useLocation();
  const runId = /^\/runs\/([^/]+)$/.exec(location)?.[1];
  const run = useRun(runId === undefined ? undefined : decodeURIComponent(runId));
  const found = useLoaded(
    useCallback((signal) => get<RunPage>(`runs${query({ text: text.trim(), limit: mostRuns })}`, signal), [text]),
  );
  const { fold, count } = run;
  return useMemo(() => {
    const ofRun = runId !== undefined && count > 0 ? goalsOfRun(decodeURIComponent(runId), fold.at()) : [];
    const runs = found.state === 'loaded' ? found.value.runs.map(goalOfRun) : [];
    const others = runFile ? [] : goalsOfCatalog(catalog); // a document without a server has no other page
    return [...findGoals([...ofRun, ...others], text), ...runs];
  }, [catalog, runId, fold, count, found, text]);
};

/** A dialog that goes to a page, a run, a guard, a state or a step by its name. */
export const GoTo = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const goals = useGoals(text);
  const chosen = Math.min(at, goals.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  const go = (goal: Goal | undefined): void => {
    if (!goal) return;
    onClose();
    navigate(goal.href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by !== undefined) setAt(Math.max(0, Math.min(chosen + by, goals.length - 1)));
    else if (event.key === 'Enter') go(goals[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="go-to" aria-label="Go to" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-expanded
        aria-controls="go-to-list"
        aria-activedescendant={goals.length > 0 ? `go-to-${chosen}` : undefined}
        aria-label="Go to a page, run, guard or state"
        placeholder="Go to a page, run, guard, state or step"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Found goals={goals} chosen={chosen} onGo={go} />
      <p role="status">{goals.length === 0 ? 'No results' : ''}</p>
    </dialog>
  );
};

interface FoundProps {
  readonly goals: readonly Goal[];
  readonly chosen: number;
  readonly onGo: (goal: Goal) => void;
}

const Found = ({ goals, chosen, onGo }: FoundProps) => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }); // newer browsers return a promise
  }, [chosen]);
  return (
    <div ref={list} id="go-to-list" role="listbox" aria-label="Results">
      {goals.map((goal, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys of the list
        <div
          key={`${goal.kind} ${goal.href}`}
          id={`go-to-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onGo(goal)}
        >
          <span className="soft small go-to-kind">{goal.kind}</span>
          <InertText text={goal.name} className="ellipsis go-to-name" />
          {goal.note !== undefined && <span className="soft small">{goal.note}</span>}
        </div>
      ))}
    </div>
  );
};
