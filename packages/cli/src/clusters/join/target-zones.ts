import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { tell } from '../../output/tell.ts';
import { FIELD_MANAGER } from './issued-token.ts';

const LOOK_MS = 250;
const LOOKS = 40;

/**
 * A record has room for one zone. A cluster that spans several says so in its execution target, which
 * follows from the record in a moment.
 */
export const tellZones = async (
  plane: Client,
  name: string,
  zones: readonly string[],
): Promise<void> => {
  if (zones.length < 2) return;
  for (let looks = 0; looks < LOOKS; looks++) {
    try {
      const body = { spec: { zones } };
      const options = { fieldManager: FIELD_MANAGER };
      await plane.patch(MemberCluster, { name }, { type: 'merge', body }, options);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await clock.sleep(LOOK_MS);
  }
  tell(
    `warning: ${name} has no execution target yet, so its zones (${zones.join(', ')}) are not said`,
  );
};
