import { useMemo } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { GraphView, type PlacedNode, type PlacedTrack } from '../../components/graph-view.js';
import { transitionId, type ChartPosition } from '../../fold/chart-position.js';
import { layOutMachine, stateName, type PlacedState, type PlacedTransition } from './lay-out-machine.js';
import './statechart.css';

interface StatechartProps {
  readonly position: ChartPosition;
  /** Goes to the last entry of a state. */
  readonly onState: (path: string) => void;
}

const toneOf = (path: string, { isFinal }: { readonly isFinal: boolean }): string =>
  isFinal && /trip|fail/.test(path) ? 'state-stop' : '';

const State = ({ placed, position, onState }: StatechartProps & { readonly placed: PlacedState }) => {
  const { state, isFrame } = placed;
  const name = stateName(state);
  if (isFrame)
    return (
      <div className={`state-frame state-${state.type}`}>
        <span>{name}</span>
      </div>
    );
  const times = position.visits.get(state.path) ?? 0;
  const isHere = position.active.has(state.path);
  return (
    <button
      type="button"
      className={`state state-${state.type} ${times > 0 ? 'state-visited' : ''} ${isHere ? 'state-here' : ''} ${toneOf(state.path, { isFinal: state.type === 'final' })}`}
      disabled={times === 0}
      aria-current={isHere ? 'step' : undefined}
      title={`${state.path}${times > 0 ? `, entered ${times} times` : ''}`}
      onClick={() => onState(state.path)}
    >
      <span className="state-name">{name}</span>
      {times > 1 && <span className="state-times">{times}</span>}
    </button>
  );
};

/** A track: strong if it was taken, in the accent color if it was taken last. */
const toTrack = ({ id, transitions, points, isCommon }: PlacedTransition, { taken, latest }: ChartPosition): PlacedTrack => {
  const ids = transitions.map(transitionId);
  const wasTaken = ids.some((one) => taken.has(one));
  const isLatest = latest !== undefined && ids.includes(latest);
  return {
    id,
    points,
    hasArrow: true,
    isHidden: isCommon && !wasTaken,
    weight: wasTaken ? 'strong' : 'plain',
    ...(isLatest ? { tone: 'accent' as const } : {}),
  };
};

/** The loop's statechart, with the path of the run and its position. */
export const Statechart = ({ position, onState }: StatechartProps) => {
  const { machine } = useCatalog();
  const drawing = useMemo(() => layOutMachine(machine), [machine]);
  const nodes = useMemo(
    () =>
      drawing.states.map((placed): PlacedNode => {
        const { x, y, width, height, isFrame, state } = placed;
        const content = <State placed={placed} position={position} onState={onState} />;
        return { id: state.path, x, y, width, height, isFrame, content };
      }),
    [drawing, position, onState],
  );
  const tracks = useMemo(() => {
    const all = drawing.transitions.map((transition) => toTrack(transition, position));
    const rank = ({ tone, weight }: PlacedTrack) => (tone ? 2 : weight === 'strong' ? 1 : 0);
    return all.toSorted((a, b) => rank(a) - rank(b));
  }, [drawing, position]);
  const here = [...position.active].at(-1);
  return <GraphView label="Loop statechart" nodes={nodes} tracks={tracks} leastScale={0.7} focus={here} />;
};

/** The legend for the states of a run. */
export const StateLegend = () => (
  <span className="state-legend">
    <span className="state-key state-key-here" aria-hidden /> now <span className="state-key state-key-visited" aria-hidden />{' '}
    entered <span className="state-key" aria-hidden /> not entered
  </span>
);
