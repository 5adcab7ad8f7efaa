import type { AgentInfo } from '../../protocol/catalog.js';

/** The tools that can run for real in a fork of a run. */
export const RealTools = ({ tools }: Pick<AgentInfo, 'tools'>) => (
  <div className="stack-s soft small">
    <p>
      Calls that match the recording return the recorded result. From the first call that differs, the model is called
      {tools.length === 0 ? '.' : ', and these tools can run for real:'}
    </p>
    <ul>
      {tools.map(({ name, approval }) => (
        <li key={name}>
          <code>{name}</code>{' '}
          {approval === 'always' ? '(waits for your approval)' : approval === 'depends' ? '(may ask for approval)' : ''}
        </li>
      ))}
    </ul>
  </div>
);
