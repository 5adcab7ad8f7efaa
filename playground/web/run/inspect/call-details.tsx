import { GitFork } from 'lucide-react';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { tellTool } from '../../../fold/facts.js';
import type { RunTree } from '../../../fold/run-tree.js';
import type { ToolCall } from '../../../fold/run-view.js';
import { runPath } from '../../../protocol/run-file.js';
import type { PromptView } from '../../../protocol/trace-entry.js';
import { get, query, runFile } from '../../api/request.js';
import { restMs, useLoaded } from '../../api/use-loaded.js';
import { Badge } from '../../components/badge.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { FactList, Value } from '../../components/fact-list.js';
import { count, formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { runHref } from '../../shell/run-href.js';
import type { DetailProps } from './inspector.js';

/** A call of a tool: its arguments, its result or error, and its sub-runs. */
export const CallDetails = ({ runId, row, whole, subRuns }: DetailProps & Pick<RunTree, 'subRuns'>) => {
  const call = whole.lanes.flatMap(({ tools }) => tools).findLast(({ toolCallId }) => toolCallId === row.toolCallId);
  if (!call) return <h3>{row.name}</h3>;
  const { tone, word } = tellTool(call);
  const runs = subRuns.filter(({ run }) => run.parent?.toolCallId === call.toolCallId);
  return (
    <>
      <h3>
        <InertText text={call.toolName} />{' '}
        <Badge tone={tone}>{call.rejectedBy === undefined ? word : `rejected by ${call.rejectedBy}`}</Badge>
      </h3>
      <FactList
        facts={{
          [call.rejectedBy === undefined ? (call.outcome === 'error' ? 'Error' : 'Reason') : 'Reason']: call.error,
          Took: call.durationMs === undefined || call.rejectedBy !== undefined ? undefined : formatDuration(call.durationMs),
          Call: call.toolCallId,
        }}
      />
      <h4>Arguments</h4>
      {call.rejectedBy === undefined ? <Value value={call.args ?? 'none'} /> : <RejectedArguments runId={runId} call={call} />}
      {call.result !== undefined && (
        <>
          <h4>Result</h4>
          <Value value={call.result} />
        </>
      )}
      {runs.map(({ run }) => (
        <p key={run.runId}>
          <Link href={runHref(run.runId)}>
            Open the run of <InertText text={run.agentId} />
          </Link>
        </p>
      ))}
      {!runFile && whole.visits.length > 0 && (
        <div className="cluster">
          {(call.result === undefined ? ['args'] : ['args', 'results']).map((field) => (
            <Link
              key={field}
              className="button button-plain"
              href={`/runs/${encodeURIComponent(runId)}/edit${query({ part: `${field} ${call.toolCallId}` })}`}
            >
              <GitFork size={14} aria-hidden />{' '}
              {field === 'args' ? 'Edit arguments, fork from here' : 'Edit result, fork from here'}
            </Link>
          ))}
        </div>
      )}
    </>
  );
};

/** The model's arguments of a call that a guard rejected. No reader outside the run has seen them. */
const RejectedArguments = ({ runId, call }: { readonly runId: string; readonly call: ToolCall }) => {
  const path = `${runPath(runId)}/rejected`;
  const loaded = useLoaded(
    useCallback((signal) => get<Readonly<Record<string, unknown>>>(path, signal), [path]),
    restMs,
  );
  if (loaded.state === 'loading') return <p className="soft small">Loading arguments …</p>;
  if (loaded.state === 'failed') return <p className="soft small">{loaded.error.message}</p>;
  return <Value value={loaded.value[call.toolCallId] ?? 'not recorded'} />;
};

/** A call of a model, with its prompt as sent, after every guard before it. */
export const ModelDetails = ({ runId, row, whole }: DetailProps) => {
  const calls = whole.lanes.flatMap(({ models }) => models);
  const index = calls.findIndex(({ seq }) => seq === row.seq);
  const call = calls[index];
  if (!call) return <h3>{row.name}</h3>;
  const { inputTokens, outputTokens } = call.usage ?? {};
  return (
    <>
      <h3>
        Model call {index + 1}{' '}
        <code>
          {call.provider}/{call.modelId}
        </code>
      </h3>
      <FactList
        facts={{
          [call.outcome === 'failed' ? 'Error' : 'Finish reason']: call.note,
          Took: row.ownMs === undefined ? undefined : formatDuration(row.ownMs),
          Tokens:
            inputTokens === undefined && outputTokens === undefined
              ? undefined
              : `${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out`,
        }}
      />
      <h4>Prompt as sent</h4>
      <Sent runId={runId} index={index} />
    </>
  );
};

const Sent = ({ runId, index }: { readonly runId: string; readonly index: number }) => {
  const load = useCallback((signal: AbortSignal) => get<PromptView[]>(`${runPath(runId)}/prompts`, signal), [runId]);
  const loaded = useLoaded(load, restMs);
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  const prompt = loaded.state === 'loaded' ? loaded.value[index] : undefined;
  if (!prompt) return <p className="soft small">{loaded.state === 'loading' ? 'Loading …' : 'This prompt was not recorded.'}</p>;
  return (
    <ol className="stack-s prompt-messages">
      {prompt.messages.map(({ role, text, parts }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages of a prompt have no other name
        <li key={place}>
          <b>{role}</b>
          {text !== '' && <InertText text={text} className="prompt-text" />}
          {parts.length > 0 && <Value value={parts} />}
        </li>
      ))}
      <li>
        <details>
          <summary>settings, {count(Object.keys(prompt.settings).length, 'field')}</summary>
          <Value value={prompt.settings} />
        </details>
      </li>
    </ol>
  );
};
