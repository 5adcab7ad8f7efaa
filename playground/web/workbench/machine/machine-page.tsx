import { useMemo, useState } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { getText } from '../../api/request.js';
import type { Catalog, TransitionInfo } from '../../../protocol/catalog.js';
import { stateName } from '../../components/format.js';
import { Panel } from '../../components/panel.js';
import { chartPosition } from '../../fold/chart-position.js';
import { Statechart } from '../../run/statechart/statechart.js';
import { CopyButton, SaveButton } from '../take-away/take-button.js';
import { layOutMachine } from '../../run/statechart/lay-out-machine.js';
import { drawingSvg } from '../graph/drawing-svg.js';
import { Aside, Table } from '../../components/table.js';
import { PageHead } from '../page-head.js';

/** The loop's statechart, which is the same for every agent, to view and to export. */
export const MachinePage = () => {
  const { machine } = useCatalog();
  const [chosen, setChosen] = useState<string>();
  // Every state counts as visited, so that each can be chosen.
  const position = useMemo(() => {
    const everywhere = new Map(machine.states.map(({ path }) => [path, 1]));
    return { ...chartPosition([], machine), visits: everywhere, active: new Set(chosen === undefined ? [] : [chosen]) };
  }, [machine, chosen]);
  const ways = machine.transitions.filter(({ from, to }) => chosen === undefined || from === chosen || to === chosen);
  return (
    <div className="page">
      <PageHead
        crumbs={[['Pipelines', '/pipelines']]}
        title="Loop statechart"
        tools={
          <>
            <CopyButton text={() => getText('machine/mermaid')}>Copy Mermaid</CopyButton>
            <SaveButton name="interlock-loop.svg" type="image/svg+xml" text={() => machineSvg(machine)}>
              Download SVG
            </SaveButton>
            <SaveButton name="interlock-loop.json" type="application/json" text={() => getText('machine')}>
              XState JSON
            </SaveButton>
          </>
        }
      >
        <p className="field-words soft tiny">
          The statechart that runs every InterlockAgent. Pass the JSON to <code>createMachine</code> of XState 5, or open it in
          Stately Sketch; Stately Studio imports it as <code>createMachine(…)</code>. It contains only the names of guards,
          actions and activities. GitHub, GitLab and most wikis render Mermaid.
        </p>
      </PageHead>
      <div className="stack-l">
        <Panel title="Statechart" isFlush>
          <Statechart position={position} onState={(path) => setChosen((before) => (before === path ? undefined : path))} />
        </Panel>
        <Panel title="Transitions" note={chosen ?? 'of all states'} isFlush>
          <Transitions ways={ways} />
        </Panel>
      </div>
    </div>
  );
};

const Transitions = ({ ways }: { readonly ways: readonly TransitionInfo[] }) => (
  <Table
    className="rows-flush"
    rows={ways}
    columns={[
      { title: 'From', render: ({ from }) => <code>{from || 'any state'}</code> },
      {
        title: 'On',
        render: ({ event, guard }) => (
          <>
            {event}
            {guard !== undefined && <Aside>if {guard}</Aside>}
          </>
        ),
      },
      { title: 'To', render: ({ to }) => <code>{to}</code> },
    ]}
  />
);

/** The loop's statechart as an SVG file, as on the page. Transitions to states with very many sources are left out, as there. */
const machineSvg = (machine: Catalog['machine']): string => {
  const { states, transitions, ...size } = layOutMachine(machine);
  return drawingSvg({
    ...size,
    title: 'Loop statechart',
    boxes: states.map(({ state, isFrame, ...box }) => ({
      ...box,
      look: isFrame ? 'frame' : 'box',
      title: stateName(state.path),
    })),
    tracks: transitions.filter(({ isCommon }) => !isCommon).map(({ points }) => points),
  });
};
