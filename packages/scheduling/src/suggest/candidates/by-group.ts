import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { workChange } from './work-change.ts';

/** Candidates that take the work out of its affinity or anti-affinity group. */
export const byGroup = ({ template, policy, binding }: StuckWork): readonly Candidate[] => {
  const { affinity, antiAffinity } = policy?.spec.placement?.workloadAffinity ?? {};
  if (template === undefined || binding?.spec.workloadAffinityGroups === undefined) return [];
  const { labels = {} } = template.metadata;
  const keys = [affinity?.groupByLabelKey, antiAffinity?.groupByLabelKey];
  return [...new Set(keys)].flatMap((key) => {
    if (key === undefined || labels[key] === undefined) return [];
    const why =
      key === antiAffinity?.groupByLabelKey ? 'beside the others' : 'apart from the others';
    const text = `take the label ${key}=${labels[key]} off the work, if it may run ${why} of that group`;
    const patch = { metadata: { labels: { [key]: null } } };
    return [workChange(template, patch, { reason: 'LeaveGroup', text, cost: 3 })];
  });
};
