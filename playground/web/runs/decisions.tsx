import { useCallback, useEffect } from 'react';
import type { DecideRun, Decision } from '../../protocol/runs.js';
import { get, post } from '../api/request.js';
import { useAction, useLoaded } from '../api/use-loaded.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/notices.js';
import { InertText } from '../components/inert-text.js';

const pollMs = 5_000;

/** The durable runs that wait for their original code: the changes, and the possible actions. */
export const Decisions = () => {
  const loaded = useLoaded(useCallback((signal) => get<readonly Decision[]>('decisions', signal), []));
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(reload, pollMs);
    return () => clearInterval(timer);
  }, [reload]);
  if (loaded.state !== 'loaded' || loaded.value.length === 0) return null;
  return (
    <section className="card stack-s small" aria-label="Runs that need a decision">
      <h2>Runs that need a decision</h2>
      <p>
        The code changed since these runs started. To continue them, deploy the earlier code, or accept the change with the
        agent’s <code>acceptChangedCode</code>.
      </p>
      <ul>
        {loaded.value.map((decision) => (
          <DecisionRow key={`${decision.agentId} ${decision.runId}`} decision={decision} onDone={reload} />
        ))}
      </ul>
    </section>
  );
};

const DecisionRow = ({ decision, onDone }: { readonly decision: Decision; readonly onDone: () => void }) => {
  const { agentId, runId, from, to, changes } = decision;
  const [decided, act] = useAction<void>();
  const decide = (action: DecideRun['action']) =>
    void act(() => post('decisions', { agentId, runId, action } satisfies DecideRun).then(onDone));
  return (
    <li className="cluster">
      <strong>
        <InertText text={runId} />
      </strong>{' '}
      of {agentId}: <InertText text={changes.join('; ')} /> <span title="Code hashes">({`${from} → ${to}`})</span>
      <Button onClick={() => decide('cancel')} aria-label={`Cancel ${runId}`}>
        Cancel
      </Button>
      <Button onClick={() => decide('abandon')} aria-label={`Abandon ${runId}`} title="Ends the run without running its code">
        Abandon
      </Button>
      {decided.error && <ErrorNotice error={decided.error} />}
    </li>
  );
};
