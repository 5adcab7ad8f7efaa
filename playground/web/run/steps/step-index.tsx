import type { KeyboardEvent } from 'react';
import { count } from '../../components/format.js';
import { Panel } from '../../components/panel.js';
import type { Tone } from '../../components/signal.js';
import type { Lane, RunView } from '../../fold/run-view.js';
import './steps.css';

interface StepIndexProps {
  /** The run with all known lines. */
  readonly whole: RunView;
  /** The attempt at the point in time. */
  readonly lane: Lane | undefined;
  readonly onSeq: (seq: number) => void;
}

/** With fewer attempts their list is enough of an index. */
const fewAttempts = 4;

const toneOf = ({ reason, marks }: Lane): Tone | undefined => {
  if (reason === 'tripwire' || reason === 'error') return 'trip';
  if (reason === 'retry') return 'retry';
  return marks.some((mark) => mark.kind === 'verdict' && mark.verdict === 'edit') ? 'edit' : undefined;
};

const words: Readonly<Record<Tone, string>> = { pass: '', edit: ', edited', retry: ', retried', trip: ', stopped', out: '' };

const nameOf = ({ stepNumber, attempt }: Lane): string =>
  attempt === 1 ? String(stepNumber + 1) : `${stepNumber + 1}.${attempt}`;

/** Arrow keys move among the attempts, so that the index is one stop of the tab key. */
const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
  const items = [...event.currentTarget.querySelectorAll('button')];
  const at = items.findIndex((item) => item === event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key];
  const next = to === undefined ? undefined : items[to];
  if (!next) return;
  event.preventDefault();
  next.focus();
};

/** Every attempt as a number in its outcome's color; each leads to its end. */
export const StepIndex = ({ whole, lane, onSeq }: StepIndexProps) => {
  const { lanes } = whole;
  if (lanes.length < fewAttempts) return null;
  const endOf = ({ index }: Lane): number => (lanes[index + 1]?.startSeq ?? Infinity) - 1;
  return (
    <Panel title="Steps" note={`${count(lanes.length, 'attempt')}; choose one to go to its end`}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons are what is used; keys move among them */}
      <ol className="steps" onKeyDown={onKeyDown}>
        {lanes.map((one) => {
          const tone = toneOf(one);
          const isHere = one.index === lane?.index;
          return (
            <li key={one.index}>
              <button
                type="button"
                className={tone && `steps-${tone}`}
                tabIndex={isHere || (!lane && one.index === 0) ? 0 : -1}
                aria-current={isHere ? 'step' : undefined}
                aria-label={`Step ${one.stepNumber + 1}, attempt ${one.attempt}${tone ? words[tone] : ''}`}
                onClick={() => onSeq(Math.min(endOf(one), whole.seq))}
              >
                {nameOf(one)}
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
};
