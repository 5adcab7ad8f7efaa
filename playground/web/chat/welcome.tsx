import { ArrowUpRight } from 'lucide-react';
import type { AgentInfo } from '../../protocol/catalog.js';
import { InertText } from '../components/inert-text.js';

interface WelcomeProps {
  readonly agent: AgentInfo;
  readonly onPick: (text: string) => void;
}

/** What can be tried with an agent, before anything was said. */
export const Welcome = ({ agent, onPick }: WelcomeProps) => (
  <div className="welcome">
    <h1>
      Talk to <InertText text={agent.name} />
    </h1>
    <p className="welcome-lead">
      Its words pass through guards on their way to the model and back. Watch them at work, then open the run and step through it.
    </p>
    {agent.note !== undefined && <p className="welcome-note">{agent.note}</p>}
    <ul className="examples">
      {agent.examples.map(({ text, shows }) => (
        <li key={text}>
          <button type="button" onClick={() => onPick(text)}>
            <span className="example-text">
              <InertText text={text} />
            </span>
            <span className="example-shows">{shows}</span>
            <ArrowUpRight size={15} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  </div>
);
