import { useEffect, useMemo, useRef } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { stateName } from '../../components/format.js';
import { Drawing } from '../../components/drawing.js';
import type { Visit } from '../../../fold/run-view.js';
import { chartPosition, transitionId, type ChartPosition } from '../../fold/chart-position.js';
import { layOutMachine, type PlacedState, type PlacedTransition } from './lay-out-machine.js';
import './statechart.css';

interface StatechartProps {
  readonly position: ChartPosition;
  /** Goes to the last entry of a state. */
  readonly onState: (path: string) => void;
}

const State = ({ placed, position, onState }: StatechartProps & { readonly placed: PlacedState }) => {
  const { state, isFrame, x, y, width, height } = placed;
  const style = { left: x, top: y, width, height };
  const name = stateName(state.path);
  if (isFrame)
    return (
      <div className="state-frame" style={style}>
        <span>{name}</span>
      </div>
    );
  const times = position.visits.get(state.path) ?? 0;
  const isHere = position.active.has(state.path);
  const isStop = state.type === 'final' && /trip|fail/.test(state.path);
  return (
    <button
      type="button"
      className={`state state-${state.type} ${times > 0 ? 'state-visited' : ''} ${isHere ? 'state-here' : ''} ${isStop ? 'state-stop' : ''}`}
      style={style}
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

/** Strong if it was taken, in the accent color if it was taken last; undefined if it is not drawn. */
const lookOf = ({ transitions, isCommon }: PlacedTransition, { taken, latest }: ChartPosition): string | undefined => {
  const ids = transitions.map(transitionId);
  if (latest !== undefined && ids.includes(latest)) return 'track track-strong track-latest';
  if (ids.some((id) => taken.has(id))) return 'track track-strong';
  return isCommon ? undefined : 'track';
};

/** Why a transition is taken: its events, and the conditions on them. */
const titleOf = ({ transitions }: PlacedTransition): string =>
  transitions
    .map(({ from, to, event, guard }) => `${from} → ${to} on ${event}${guard === undefined ? '' : ` if ${guard}`}`)
    .join('\n');

/** The loop's statechart at the end of a path through it. */
export const VisitedStatechart = ({
  visits,
  ...props
}: Pick<StatechartProps, 'onState'> & { readonly visits: readonly Visit[] }) => {
  const { machine } = useCatalog();
  return <Statechart position={useMemo(() => chartPosition(visits, machine), [visits, machine])} {...props} />;
};

/** The loop's statechart, with the path of the run and its position. */
export const Statechart = ({ position, onState }: StatechartProps) => {
  const { machine } = useCatalog();
  const drawing = useMemo(() => layOutMachine(machine), [machine]);
  const box = useRef<HTMLDivElement>(null);
  const here = [...position.active].at(-1);
  useEffect(() => {
    box.current?.querySelector('.state-here')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the state of this name is found in the document
  }, [here]);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard */}
      <div ref={box} className="chart" role="group" aria-label="Loop statechart" tabIndex={0}>
        <Drawing
          width={drawing.width}
          height={drawing.height}
          tracks={drawing.transitions.flatMap((one) => {
            const look = lookOf(one, position);
            return look === undefined ? [] : [{ id: one.id, points: one.points, look, title: titleOf(one) }];
          })}
        >
          {drawing.states.map((placed) => (
            <State key={placed.state.path} placed={placed} position={position} onState={onState} />
          ))}
        </Drawing>
      </div>
      <p className="state-legend">
        <span className="state-key state-key-here" aria-hidden /> now <span className="state-key state-key-visited" aria-hidden />{' '}
        entered <span className="state-key" aria-hidden /> not entered
      </p>
    </>
  );
};
