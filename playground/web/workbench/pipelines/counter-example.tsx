import type { Finding } from '../../../../src/pipeline/verify/finding.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';

/** A run of the loop that shows what a finding is about: the states in their order, with what happens in them. */
export const CounterExample = ({ finding: { code, counterExample } }: { readonly finding: Finding }) => (
  <Panel title="A run that shows it" note={<code>{code}</code>}>
    {counterExample ? (
      <ol className="walk">
        {counterExample.map(({ state, happens }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a walk may come by a state twice
          <li key={index} className={happens === undefined ? '' : 'walk-happens'}>
            <code>{state}</code>
            {happens !== undefined && <InertText text={happens} />}
          </li>
        ))}
      </ol>
    ) : (
      <p className="faint">This is about the pipeline as it is built, not about how a run goes.</p>
    )}
  </Panel>
);
