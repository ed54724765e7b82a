import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  apiEnablements,
  enablementsCondition,
} from '@perigee/scheduling/clusters/status/api-enablements';

const resource = (group: string, version: string, plural: string, kind: string) => ({
  group,
  version,
  plural,
  kind,
  scope: 'Namespaced' as const,
});

describe('what a cluster serves', () => {
  it('is listed by version and name', () => {
    assert.deepEqual(
      apiEnablements([
        resource('apps', 'v1', 'statefulsets', 'StatefulSet'),
        resource('', 'v1', 'pods', 'Pod'),
        resource('apps', 'v1', 'deployments', 'Deployment'),
        resource('apps', 'v1beta1', 'deployments', 'Deployment'),
      ]),
      [
        {
          groupVersion: 'apps/v1',
          resources: [
            { name: 'deployments', kind: 'Deployment' },
            { name: 'statefulsets', kind: 'StatefulSet' },
          ],
        },
        { groupVersion: 'apps/v1beta1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
        { groupVersion: 'v1', resources: [{ name: 'pods', kind: 'Pod' }] },
      ],
    );
  });

  it('is complete, partial or empty', () => {
    const found = apiEnablements([resource('', 'v1', 'pods', 'Pod')]);
    const say = (list: typeof found, isComplete: boolean) => {
      const { status, reason, message } = enablementsCondition(list, isComplete);
      return `${status} ${reason}: ${message}`;
    };
    assert.deepEqual(
      [say(found, true), say(found, false), say([], true), say([], false)],
      [
        'True Complete: collected complete APIEnablements from the cluster',
        'False Partial: might collect partial APIEnablements(1) from the cluster',
        'False Empty: collected empty APIEnablements from the cluster',
        'False Empty: collected empty APIEnablements from the cluster',
      ],
    );
  });
});
