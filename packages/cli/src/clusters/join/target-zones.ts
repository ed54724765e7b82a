import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ignoreNotFound } from '@perigee/kube/errors';
import { tell } from '../../output/tell.ts';
import { FIELD_MANAGER } from './issued-token.ts';

const LOOK_MS = 250;
const LOOKS = 40;

/**
 * A record has one zone. The zones of a cluster with several go into its execution target, which the control plane
 * creates from the record.
 */
export const tellZones = async (
  plane: Client,
  name: string,
  zones: readonly string[],
): Promise<void> => {
  if (zones.length < 2) return;
  for (let looks = 0; looks < LOOKS; looks++) {
    const body = { spec: { zones } };
    const options = { fieldManager: FIELD_MANAGER };
    const cluster = await plane
      .patch(MemberCluster, { name }, { type: 'merge', body }, options)
      .catch(ignoreNotFound);
    if (cluster !== undefined) return;
    await clock.sleep(LOOK_MS);
  }
  tell(
    `warning: ${name} has no execution target yet, so its zones (${zones.join(', ')}) are not said`,
  );
};
