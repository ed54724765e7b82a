import type { ClusterTaint, ClusterToleration } from '@perigee/api/kinds/clusters/cluster-taints';

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
