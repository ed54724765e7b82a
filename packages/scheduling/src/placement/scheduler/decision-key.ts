import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { tieDirection } from './assign/webster.ts';

/**
 * What a decision about a binding rests on, beside clusters and rules: bindings with the same key get the
 * same decision, whatever their resources are called. Absent when it also rests on other bindings or on the
 * time of the last decision.
 */
export const decisionKey = (spec: BindingSpec, status: BindingStatus): string | undefined => {
  const { resource, ...rest } = spec;
  if (rest.workloadAffinityGroups !== undefined || rest.rescheduleTriggeredAt !== undefined) {
    return undefined;
  }
  const { apiVersion, kind, uid } = resource;
  const { schedulerObservingAffinityName = '' } = status;
  return JSON.stringify([
    apiVersion,
    kind,
    tieDirection(uid),
    schedulerObservingAffinityName,
    rest,
  ]);
};
