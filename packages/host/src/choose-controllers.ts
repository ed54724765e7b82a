import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { ConfigError } from '@perigee/kube/errors';
import { selectControllers } from '@perigee/kube/manager/controller-selection';
import { MEMBER_FAULTS } from '@perigee/member/faults/member-faults-controller';
import type { Features } from './perigee-options.ts';

/** Failover needs all of these: they taint lost clusters and evict work from them. */
const FAILOVER_CONTROLLERS = [
  'cluster-taint-eviction',
  'cluster-taint-policy',
  'graceful-eviction',
  'taint-eviction',
];

/** The names of the controllers to run; an empty list runs none. */
export const chooseControllers = ({
  controllers,
  failover,
}: Pick<Features, 'controllers' | 'failover'>): ReadonlySet<string> => {
  if (controllers === '') return new Set();
  const chosenNames = selectControllers(controllers, [...CONTROLLER_NAMES, MEMBER_FAULTS]);
  const missingControllers = FAILOVER_CONTROLLERS.filter((name) => !chosenNames.has(name));
  if (!failover || missingControllers.length === 0) return chosenNames;
  throw new ConfigError(
    `failover needs controllers that "${controllers}" leaves out: ${missingControllers.join(', ')}`,
  );
};
