import type { ClusterTaint, ClusterToleration } from '@perigee/api/kinds/clusters/cluster-taints';
import type { Filter } from '../filter.ts';

const NAME = 'TaintToleration';
const REASON = 'TaintNotTolerated';

export const tolerates = (toleration: ClusterToleration, taint: ClusterTaint): boolean => {
  const { key = '', operator = 'Equal', value = '', effect } = toleration;
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== '' && value === (taint.value ?? '');
};

/** A taint as messages show it. */
export const taintText = ({ key, value = '', effect }: ClusterTaint): string =>
  value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;

/** Taints keep new work away; placed work is left to the eviction. */
export const taintToleration: Filter = {
  name: NAME,
  reasons: [REASON],
  prepare: ({ placement, previous }) => {
    const tolerations = placement.clusterTolerations ?? [];
    return ({ name, taints }) => {
      if (taints.length === 0 || previous.has(name)) return undefined;
      const taint = taints.find((one) => !tolerations.some((other) => tolerates(other, one)));
      if (taint === undefined) return undefined;
      const message = `cluster(s) had untolerated taint {${taintText(taint)}}`;
      return { filter: NAME, reason: REASON, message };
    };
  },
};
