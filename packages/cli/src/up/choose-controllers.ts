import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { ConfigError } from '@perigee/kube/errors';
import { selectControllers } from '@perigee/kube/manager/controller-selection';
import { MEMBER_FAULTS } from '@perigee/member/faults/member-faults-controller';

export interface ControllerChoice {
  /** Which controllers run, such as `*,-scheduler`; none when empty. */
  readonly controllers: string;
  /** Whether work must be able to leave lost clusters. */
  readonly failover: boolean;
}

const FAILOVER_CONTROLLERS = [
  'cluster-taint-eviction',
  'cluster-taint-policy',
  'graceful-eviction',
  'taint-eviction',
];

/** The names of the controllers that run. */
export const chooseControllers = ({
  controllers,
  failover,
}: ControllerChoice): ReadonlySet<string> => {
  if (controllers === '') return new Set();
  const chosen = selectControllers(controllers, [...CONTROLLER_NAMES, MEMBER_FAULTS]);
  const missing = FAILOVER_CONTROLLERS.filter((name) => !chosen.has(name));
  if (!failover || missing.length === 0) return chosen;
  throw new ConfigError(
    `--failover needs controllers that --controllers leaves out: ${missing.join(', ')}`,
  );
};
