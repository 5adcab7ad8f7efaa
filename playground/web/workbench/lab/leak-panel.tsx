import { Search, ShieldCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { post } from '../../api/request.js';
import { useAction } from '../../api/use-loaded.js';
import type { FindLeak, LeakSearch } from '../../../protocol/workbench.js';
import { Button } from '../../components/button.js';
import { ErrorNotice, Notice } from '../../components/notices.js';
import { Field, Form, NumberField } from '../../components/fields.js';
import { count } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { cutsOf } from './cuts.js';
import type { LabSettings } from './lab-link.js';

interface LeakPanelProps {
  readonly settings: LabSettings;
  /** Loads the leaking cutting into the lab, and runs it. */
  readonly onLoad: (settings: LabSettings) => void;
}

/** Searches for a cutting that releases more of a fragment than allowed. */
export const LeakPanel = ({ settings, onLoad }: LeakPanelProps) => {
  const [fragment, setFragment] = useState('');
  const [allowed, setAllowed] = useState(3);
  const [tries, setTries] = useState(200);
  const [outcome, act] = useAction<Pick<FoundProps, 'query' | 'found'>>();
  const { pipelineId, text, kind, cutting } = settings;
  const why = whyNot(settings, fragment);
  const search = () => {
    const query: FindLeak = { pipelineId, text, kind, fragment, allowed, tries };
    return act(async () => ({ query, found: await post<LeakSearch>('lab/leak', query) }));
  };
  return (
    <Panel title="Find a leak">
      <Form className="leak" onSubmit={() => why === undefined && void search()}>
        <p className="field-words soft tiny">
          Splits the text into two chunks at every position, into single characters, and randomly. Reports a split that emits more
          of the secret text than allowed.
        </p>
        <Field title="Secret text">
          <input className="input" value={fragment} onChange={({ target }) => setFragment(target.value)} />
        </Field>
        <NumberField title="Allowed length" value={allowed} onChange={setAllowed} />
        <NumberField title="Random splits" value={tries} onChange={setTries} />
        <Button icon={Search} type="submit" disabled={why !== undefined || outcome.state === 'busy'}>
          {outcome.state === 'busy' ? 'Searching …' : 'Search'}
        </Button>
        {why !== undefined && (fragment !== '' || cutting.kind === 'recorded') && <p className="field-words soft tiny">{why}</p>}
      </Form>
      <div aria-live="polite">
        {outcome.error && <ErrorNotice error={outcome.error} />}
        {outcome.state === 'done' && outcome.value && <Found {...outcome.value} onLoad={onLoad} />}
      </div>
    </Panel>
  );
};

/** The reason why there is nothing to search; undefined if there is something. */
const whyNot = ({ text, cutting }: LabSettings, fragment: string): string | undefined => {
  if (cutting.kind === 'recorded') return 'A search needs a text. Choose other chunks than “as recorded”.';
  if (fragment === '') return 'Enter the secret text.';
  return text.includes(fragment) ? undefined : 'The text does not contain the secret text.';
};

interface FoundProps {
  readonly query: FindLeak;
  readonly found: LeakSearch;
  readonly onLoad: (settings: LabSettings) => void;
}

const Found = ({ query: { pipelineId, text, kind, tries = 0 }, found: { tried, leak }, onLoad }: FoundProps) => {
  if (!leak)
    return (
      <p className="cluster leak-none">
        <ShieldCheck size={16} aria-hidden />
        <span>
          No leak in {count(tried, 'split')}: two chunks at every position, single characters
          {tries > 0 && `, and ${tries.toLocaleString()} random splits`}.
        </span>
      </p>
    );
  const load = (): void => onLoad({ pipelineId, text, kind, cutting: { kind: 'by-hand', at: cutsOf(leak.chunks) } });
  return (
    <Notice tone="trip" icon={TriangleAlert}>
      <p>
        <strong>
          <InertText text={leak.emitted} />
        </strong>{' '}
        is emitted if the text arrives in {count(leak.chunks.length, 'chunk')}. Tried: {count(tried, 'split')}.
      </p>
      <ol className="leak-chunks" aria-label="Chunks">
        {leak.chunks.map((chunk, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a chunk is identified by its position
          <li key={index}>
            <bdi>{chunk}</bdi>
          </li>
        ))}
      </ol>
      <Button onClick={load}>Load this split into the lab</Button>
    </Notice>
  );
};
