import { taintText, tolerates } from '../../../clusters/tolerations.ts';
import type { Filter } from '../filter.ts';

const NAME = 'TaintToleration';
const REASON = 'TaintNotTolerated';

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
