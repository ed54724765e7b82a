import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';

/** A binding of the Deployment web, as a policy made it; what is given replaces whole fields. */
export const bindingOf = (
  spec: Partial<ResourceBinding['spec']> = {},
  status: ResourceBinding['status'] = {},
  annotations: { readonly [name: string]: string } = {},
): ResourceBinding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: {
    name: 'web-deployment',
    namespace: 'default',
    uid: 'b',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 2,
    labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
    annotations: {
      'propagationpolicy.karmada.io/namespace': 'default',
      'propagationpolicy.karmada.io/name': 'web',
      ...annotations,
    },
  },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    conflictResolution: 'Abort',
    placement: {},
    ...spec,
  },
  status,
});

const REASONS = { True: 'Success', False: 'NoClusterFit', Unknown: 'HandedOver' } as const;

/** The condition Scheduled with this status, and nothing else. */
export const scheduled = (status: keyof typeof REASONS, message = ''): BindingStatus => ({
  conditions: [
    {
      type: 'Scheduled',
      status,
      reason: REASONS[status],
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ] as const,
});
