import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';

/** The nodes that pods ask for, in words such as `disk=ssd, zone In (a, b)`; empty for pods that run on any node. */
export const nodeRequirements = ({
  nodeSelector = {},
  hardNodeAffinity,
}: NodeClaim = {}): string => {
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  const terms = (hardNodeAffinity?.nodeSelectorTerms ?? []).map(
    ({ matchExpressions = [], matchFields = [] }) =>
      [...matchExpressions, ...matchFields]
        .map(({ key, operator, values = [] }) =>
          values.length === 0 ? `${key} ${operator}` : `${key} ${operator} (${values.join(', ')})`,
        )
        .join(' and '),
  );
  return [...labels, ...(terms.length === 0 ? [] : [terms.join(' or ')])].join(', ');
};
