import { Play } from 'lucide-react';
import { useState } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/panel.js';

/** Other pipelines, by lane. */
export type LanePipelines = Readonly<Record<string, string>>;

interface LaneChoiceProps {
  readonly agentId: string;
  readonly isBusy: boolean;
  readonly onReplay: (pipelines: LanePipelines) => void;
}

/** Chooses which pipeline judges in each lane; a lane where nothing is chosen keeps what the agent has. */
export const LaneChoice = ({ agentId, isBusy, onReplay }: LaneChoiceProps) => {
  const { phases, agents, pipelines } = useCatalog();
  const [chosen, setChosen] = useState<LanePipelines>({});
  const own = agents.find(({ id }) => id === agentId)?.pipelines ?? {};
  const lanes = [...new Set(phases.map(({ lane }) => lane))];
  const choose = (lane: string, id: string): void => {
    const { [lane]: _, ...others } = chosen;
    setChosen(id === '' ? others : { ...others, [lane]: id });
  };
  const fitting = (lane: string) => {
    const inLane = new Set(phases.filter((row) => row.lane === lane).map(({ phase }) => phase));
    return pipelines.filter(({ id, phases: covered }) => id !== own[lane] && covered.some((phase) => inLane.has(phase)));
  };
  return (
    <Panel title="Judged by">
      <form
        className="lane-choice"
        onSubmit={(event) => {
          event.preventDefault();
          onReplay(chosen);
        }}
      >
        {lanes.map((lane) => (
          <label key={lane} className="field">
            <span className="field-title">{lane} lane</span>
            <select className="input" value={chosen[lane] ?? ''} onChange={({ target }) => choose(lane, target.value)}>
              <option value="">{own[lane] === undefined ? 'as recorded: no guards' : `as now: ${own[lane]}`}</option>
              {fitting(lane).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ))}
        <Button look="primary" type="submit" disabled={isBusy}>
          <Play size={14} aria-hidden /> {isBusy ? 'Replaying …' : 'Replay'}
        </Button>
      </form>
    </Panel>
  );
};
