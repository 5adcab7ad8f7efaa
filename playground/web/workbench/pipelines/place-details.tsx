import { useCatalog } from '../../api/catalog.js';
import { Badge } from '../../components/badge.js';
import type { GraphShape } from '../../../protocol/catalog.js';
import { shapeName } from '../graph/shape-nodes.js';

/** What is known of one place of a pipeline. */
export const PlaceDetails = ({ shape }: { readonly shape: GraphShape }) => {
  const rows = [['path', shape.path], ['kind', shape.kind], ...('overlap' in shape ? [['overlap rule', shape.overlap]] : [])];
  return (
    <div className="place">
      <h3>{shapeName(shape)}</h3>
      {shape.kind === 'guard' && <Phases phases={shape.phases} />}
      <dl>
        {[...rows, ...policyRows(shape)].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
};

const policyRows = (shape: GraphShape): string[][] =>
  shape.kind === 'guard' && shape.policy
    ? Object.entries(shape.policy).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
    : [];

const Phases = ({ phases }: { readonly phases: readonly string[] }) => {
  const covered = useCatalog().phases.filter(({ phase }) => phases.includes(phase));
  return (
    <ul className="badges">
      {covered.map(({ phase, title, hook }) => (
        <li key={phase}>
          <Badge tone="processor" title={hook}>
            {title}
          </Badge>
        </li>
      ))}
    </ul>
  );
};
