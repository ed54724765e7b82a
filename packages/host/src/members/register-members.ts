import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { isConflict } from '@perigee/kube/errors';
import type { PlannedMember } from './member-plan.ts';

const FIELD_MANAGER = 'perigee-up';

/** Applies the records of the members that `perigee up` brings along. Fields that users changed stay theirs. */
export const registerMembers = async (
  client: Client,
  members: readonly PlannedMember[],
): Promise<void> => {
  for (const { metadata, spec } of members) {
    const body = { apiVersion: 'globalscheduler.com/v1', kind: 'Cluster', metadata, spec };
    try {
      const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER } as const;
      await client.patch(ClusterRecord, { name: metadata.name }, patch);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
};
