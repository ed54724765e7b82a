import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { selectControllers } from '@perigee/kube/manager/controller-selection';
import { MEMBER_FAULTS } from '@perigee/member/faults/member-faults-controller';

/** The names of the controllers that a list such as `*,-scheduler` switches on; none when it is empty. */
export const chooseControllers = (list: string): ReadonlySet<string> =>
  list === '' ? new Set() : selectControllers(list, [...CONTROLLER_NAMES, MEMBER_FAULTS]);
