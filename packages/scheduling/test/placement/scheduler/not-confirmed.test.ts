import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { schedulingCause } from '@perigee/scheduling/placement/scheduler/scheduling-cause';

const placement = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
  },
} as const;

const causeOf = (conditions: readonly { readonly status: 'True' | 'False' }[]) =>
  schedulingCause(
    {
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        replicas: 2,
        replicaRequirements: {},
        clusters: [{ name: 'm1', replicas: 2 }],
        placement,
      } as never,
      status: {
        conditions: conditions.map(({ status }) => ({
          type: 'Scheduled',
          status,
          reason: 'Success',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      },
      appliedPlacement: JSON.stringify(placement),
    },
    () => false,
  );

describe('work that is where it should be', () => {
  it('is left alone once its scheduler has said so', () => {
    assert.equal(causeOf([{ status: 'True' }]), undefined);
  });

  it('is looked at again when its scheduler ended between the decision and its word', () => {
    assert.equal(causeOf([]), 'NotConfirmed');
  });

  it('is looked at again when it lacked room for replicas that nobody wants any more', () => {
    assert.equal(causeOf([{ status: 'False' }]), 'NotConfirmed');
  });
});
