import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import { tieDirection } from './assign/webster.ts';
import { isRescheduleDue } from './placement-request.ts';

/**
 * The inputs of a binding's decision, beside clusters and rules: bindings with the same key get the same decision,
 * whatever the names of their resources. Absent when it also depends on other bindings.
 */
export const decisionKey = (
  spec: BindingSpec,
  status: BindingStatus,
  dataPlacement?: CarriedPlacement,
): string | undefined => {
  const { resource, rescheduleTriggeredAt: _, ...rest } = spec;
  if (rest.workloadAffinityGroups !== undefined) return undefined;
  const { apiVersion, kind, uid } = resource;
  const { schedulerObservingAffinityName = '' } = status;
  return JSON.stringify([
    apiVersion,
    kind,
    tieDirection(uid),
    schedulerObservingAffinityName,
    isRescheduleDue(spec, status),
    rest,
    ...(dataPlacement === undefined ? [] : [dataPlacement]),
  ]);
};
