import { useCallback, useMemo, useState } from 'react';
import { useCatalog } from '../../api/catalog.js';
import type { Finding } from '../../../../src/pipeline/verify/find-defects.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { chartPosition } from '../../fold/chart-position.js';
import { Statechart } from '../../run/statechart/statechart.js';

type Walk = NonNullable<Finding['counterExample']>;

/** A run of the loop that demonstrates a finding: its path through the statechart, with the events. */
export const CounterExample = ({ finding: { code, counterExample } }: { readonly finding: Finding }) => (
  <Panel title="Example run" note={<code>{code}</code>}>
    {counterExample ? (
      <WalkView key={code} walk={counterExample} />
    ) : (
      <p className="faint">This finding is about the structure of the pipeline. It has no example run.</p>
    )}
  </Panel>
);

const WalkView = ({ walk }: { readonly walk: Walk }) => {
  const { machine } = useCatalog();
  const [at, setAt] = useState(walk.length - 1);
  const position = useMemo(
    () =>
      chartPosition(
        walk.slice(0, at + 1).map(({ state }, index) => ({ state, seq: index, at: index })),
        machine,
      ),
    [walk, at, machine],
  );
  const goTo = useCallback((path: string) => setAt((before) => lastOf(walk, path) ?? before), [walk]);
  return (
    <div className="split walk-layout">
      <ol className="walk">
        {walk.map(({ state, happens }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a walk may come by a state twice
          <li key={index} className={happens === undefined ? '' : 'walk-happens'}>
            <button type="button" className="bare" aria-current={index === at ? 'step' : undefined} onClick={() => setAt(index)}>
              <code>{state}</code>
              {happens !== undefined && <InertText text={happens} />}
            </button>
          </li>
        ))}
      </ol>
      <div className="stack">
        <Statechart position={position} onState={goTo} />
      </div>
    </div>
  );
};

const lastOf = (walk: Walk, path: string): number | undefined => {
  const index = walk.findLastIndex(({ state }) => state === path);
  return index < 0 ? undefined : index;
};
