import type { Taint, Toleration } from '@perigee/kubernetes/core/taint';

const covers = (toleration: Toleration, taint: Taint): boolean => {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && key !== '' && value === (taint.value ?? '');
};

/** The first taint with one of the effects that is not tolerated. */
export const untolerated = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined =>
  taints.find(
    (taint) =>
      effects.includes(taint.effect) &&
      !tolerations.some((toleration) => covers(toleration, taint)),
  );

export const countUntolerated = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effect: string,
): number =>
  taints.filter(
    (taint) =>
      taint.effect === effect && !tolerations.some((toleration) => covers(toleration, taint)),
  ).length;
