import { GitFork } from 'lucide-react';
import { Link } from 'wouter';
import { runPath } from '../../../protocol/run-file.js';
import type { PromptView } from '../../../protocol/trace-entry.js';
import { useCanRepeat } from '../../api/catalog.js';
import { ButtonLink } from '../../components/button.js';
import { CallBadge, CallValues } from '../../components/call.js';
import { FactList, Value } from '../../components/fact-list.js';
import { count, formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { forkHref, runHref } from '../../shell/hrefs.js';
import type { DetailProps } from './inspector.js';
import { Revealed } from './revealed.js';

/** A call of a tool: its arguments, its result or error, and its sub-runs. */
export const CallDetails = ({ runId, row, whole, subRuns }: DetailProps) => {
  const canRepeat = useCanRepeat(whole.agentId);
  const call = whole.lanes.flatMap(({ tools }) => tools).findLast(({ toolCallId }) => toolCallId === row.toolCallId);
  if (!call) return <h3>{row.name}</h3>;
  const runs = subRuns.filter(({ run }) => run.parent?.toolCallId === call.toolCallId);
  return (
    <>
      <h3>
        <InertText text={call.toolName} /> <CallBadge call={call} />
      </h3>
      <FactList
        facts={{
          [call.rejectedBy === undefined && call.outcome === 'error' ? 'Error' : 'Reason']: call.error,
          Took: call.durationMs === undefined ? undefined : formatDuration(call.durationMs),
          Call: call.toolCallId,
        }}
      />
      <CallValues
        call={call}
        args={
          // of a rejected call no reader outside the run has seen them
          call.rejectedBy !== undefined && (
            <Revealed<Readonly<Record<string, unknown>>> path={`${runPath(runId)}/rejected`} noun="arguments">
              {(calls) => <Value value={calls[call.toolCallId] ?? 'not recorded'} />}
            </Revealed>
          )
        }
      />
      {runs.map(({ run }) => (
        <p key={run.runId}>
          <Link href={runHref(run.runId)}>
            Open the run of <InertText text={run.agentId} />
          </Link>
        </p>
      ))}
      {canRepeat && (
        <div className="cluster">
          {(call.result === undefined ? ['args'] : ['args', 'results']).map((field) => (
            <ButtonLink key={field} icon={GitFork} href={forkHref(runId, { part: `${field} ${call.toolCallId}` })}>
              {field === 'args' ? 'Edit arguments, fork from here' : 'Edit result, fork from here'}
            </ButtonLink>
          ))}
        </div>
      )}
    </>
  );
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
      <Revealed<PromptView[]> path={`${runPath(runId)}/prompts`} noun="the prompt">
        {({ [index]: prompt }) =>
          prompt ? <Prompt prompt={prompt} /> : <p className="soft small">This prompt was not recorded.</p>
        }
      </Revealed>
    </>
  );
};

const Prompt = ({ prompt: { messages, settings } }: { readonly prompt: PromptView }) => (
  <ol className="stack-s prompt-messages">
    {messages.map(({ role, text, parts }, place) => (
      // oxlint-disable-next-line react/no-array-index-key -- messages of a prompt have no other name
      <li key={place}>
        <b>{role}</b>
        {text !== '' && <InertText text={text} className="prompt-text" />}
        {parts.length > 0 && <Value value={parts} />}
      </li>
    ))}
    <li>
      <details>
        <summary>settings, {count(Object.keys(settings).length, 'field')}</summary>
        <Value value={settings} />
      </details>
    </li>
  </ol>
);
