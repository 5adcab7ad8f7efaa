import type { Finding } from '../../../../src/pipeline/verify/finding.js';
import { InertText } from '../../components/inert-text.js';
import { SeverityBadge } from './severity.js';

interface FindingListProps {
  readonly findings: readonly Finding[];
  readonly chosen: Finding | undefined;
  readonly onChoose: (finding: Finding | undefined) => void;
}

/** What `verify` has found. A click shows where, and the run that shows it. */
export const FindingList = ({ findings, chosen, onChoose }: FindingListProps) => {
  if (findings.length === 0) return <p className="faint">Nothing. What verify() looks for is not in this pipeline.</p>;
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.path}`}>
          <button
            type="button"
            className="finding"
            aria-pressed={finding === chosen}
            onClick={() => onChoose(finding === chosen ? undefined : finding)}
          >
            <span className="finding-head">
              <SeverityBadge severity={finding.severity} />
              <code>{finding.code}</code>
            </span>
            <InertText text={finding.message} />
            <code className="finding-path">{finding.path}</code>
          </button>
        </li>
      ))}
    </ul>
  );
};
