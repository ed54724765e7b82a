import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import {
  GROUPING_SCHEDULERS,
  podGroupControllers,
} from '@perigee/controllers/groups/pod-group-controllers';
import { volcanoMakesGroups } from '@perigee/controllers/groups/volcano-makes-groups';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { parseListen } from '../controllers/parse-listen.ts';
import { openClient, type ServerChoice } from '../open-client.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';

export interface RunPodGroupsOptions extends ServerChoice {
  readonly schedulerName?: readonly string[];
  readonly listen: string;
  /** Runs beside Volcano's controllers, of which the PodGroup controller is off. */
  readonly besideVolcano?: boolean;
}

const LEASE = { namespace: 'kube-system', name: 'perigee-pod-groups' };

const checkKind = async (client: Client): Promise<void> => {
  const kinds = await client.discover();
  if (kinds.some(({ group, plural }) => group === PodGroup.group && plural === PodGroup.plural)) {
    return;
  }
  throw new ConfigError(
    'the server does not know PodGroups: install Volcano’s definitions, or run ' +
      '"kubectl apply --server-side -f deploy/crds/scheduling.volcano.sh_podgroups.yaml"',
  );
};

/** Refuses to run beside Volcano's PodGroup controller: each would revert the other's changes. */
const checkVolcano = async (client: Client): Promise<void> => {
  if (!(await volcanoMakesGroups(client, clock))) return;
  throw new ConfigError(
    'Volcano’s own controllers run in this cluster and make PodGroups: start them with ' +
      '--controllers=*,-pg-controller, and this with --beside-volcano',
  );
};

/** Runs the PodGroup controller of a cluster in the foreground until the user stops it. */
export const runPodGroups = async (options: RunPodGroupsOptions): Promise<void> => {
  const http = parseListen(options.listen);
  const stopRequest = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  // A client of its own, so that lease renewals never queue behind other requests.
  await using leaseClient = await openClient(options, logger);
  await checkKind(client);
  if (!options.besideVolcano) await checkVolcano(client);
  const { schedulerName: schedulerNames = GROUPING_SCHEDULERS } = options;
  await using manager = new Manager({
    client,
    clock,
    logger,
    controllers: podGroupControllers({ client, clock, schedulerNames }),
    leaderElection: { lease: LEASE, client: leaseClient },
    http,
  });
  await manager.start();
  process.stderr.write(
    `perigee: pods of ${schedulerNames.join(', ')} are put into groups, here or by a process that leads; ${manager.url}/readyz tells how it goes\n`,
  );
  await stopRequest;
};
