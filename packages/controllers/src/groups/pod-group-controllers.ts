import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { groupMembersController } from './group-members-controller.ts';
import type { GroupParts } from './group-parts.ts';
import { groupRulesController } from './group-rules-controller.ts';
import { groupUpkeepController } from './group-upkeep-controller.ts';
import { LiveLevels } from './live-levels.ts';
import { OwnerCache } from './owner-cache.ts';

/** By default only pods of this scheduler get groups. */
export const GROUPING_SCHEDULERS: readonly string[] = ['volcano'];

export interface PodGroupsOptions {
  /** The cluster of the pods. */
  readonly client: Client;
  readonly clock: Clock;
  readonly schedulerNames?: readonly string[];
  /** Interprets workloads; by default the built-in kinds. */
  readonly interpreter?: Interpreter;
}

/** The PodGroup controllers, for one manager on that cluster. */
export const podGroupControllers = ({
  client,
  clock,
  schedulerNames = GROUPING_SCHEDULERS,
  interpreter = createInterpreter([...nativeKinds, ...frameworkKinds]),
}: PodGroupsOptions): readonly ControllerDefinition[] => {
  const parts: GroupParts = {
    owners: new OwnerCache({ client, clock, interpreter }),
    levels: new LiveLevels(),
    interpreter,
    schedulerNames: new Set(schedulerNames),
  };
  return [
    groupRulesController(parts.levels),
    groupMembersController(parts),
    groupUpkeepController(parts),
  ];
};
