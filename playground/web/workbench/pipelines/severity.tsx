import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react';
import type { Finding } from '../../../../src/pipeline/verify/find-defects.js';
import { Badge } from '../../components/badge.js';
import { count } from '../../components/format.js';

export const SeverityBadge = ({ severity }: { readonly severity: Finding['severity'] }) =>
  severity === 'error' ? (
    <Badge tone="trip" icon={OctagonX}>
      error
    </Badge>
  ) : (
    <Badge tone="edit" icon={TriangleAlert}>
      warning
    </Badge>
  );

/** The number of findings, in the color of the worst. */
export const FindingCount = ({ findings }: { readonly findings: readonly Finding[] }) => {
  if (findings.length === 0)
    return (
      <Badge tone="pass" icon={CircleCheck}>
        none
      </Badge>
    );
  const isError = findings.some(({ severity }) => severity === 'error');
  return (
    <Badge tone={isError ? 'trip' : 'edit'} icon={isError ? OctagonX : TriangleAlert}>
      {count(findings.length, 'finding')}
    </Badge>
  );
};
