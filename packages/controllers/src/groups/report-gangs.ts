import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Work } from '@perigee/api/kinds/placement/work';
import type { Condition } from '@perigee/api/meta/condition';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { removeCondition, setForeignCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import type { gangCondition } from '@perigee/scheduling/groups/gang-condition';
import type { reportGangs } from '@perigee/scheduling/groups/gang-report';
import type { MemberClients } from '../members/member-clients.ts';
import type { MemberGroupViews } from './member-group-views.ts';

/** An index of the objects that carry the Gang condition, by key of the workload. */
export const BY_WORKLOAD = 'workload';

const FIELD_MANAGER = 'perigee-gangs';
/** Debounce: the pods of a gang start one by one. */
const GATHER_MS = 200;

interface ReporterOptions<T extends KubeObject> {
  readonly kind: ResourceKind<T>;
  readonly members: MemberClients;
  readonly clock: Clock;
  /** Filters the objects to report in; all by default. */
  readonly isOurs?: (reporter: T) => boolean;
}

/** Enqueues the objects of a workload whenever its groups in a member change. */
export const whenGangsChange = <T extends KubeObject>(
  views: MemberGroupViews,
  { kind, members, clock, isOurs = () => true }: ReporterOptions<T>,
): Source =>
  views.source({
    kinds: [MemberCluster, kind],
    members,
    clock,
    changeHandler: ({ informers, enqueue }) => {
      const reporters = informers.for(kind);
      return (workload) => {
        for (const reporter of reporters.byIndex(BY_WORKLOAD, workload).filter(isOurs)) {
          enqueue(refOf(reporter), { delayMs: GATHER_MS });
        }
      };
    },
  });

type Gang = ReturnType<typeof gangCondition> | ReturnType<typeof reportGangs>;

/** Writes the condition Gang, or removes it if there is nothing to report. */
export const reportGang = async <T extends ResourceBinding | Work>(
  kind: ResourceKind<T>,
  object: T,
  gang: Gang,
  { client, clock, signal }: ReconcileContext,
): Promise<undefined> => {
  const before: readonly Condition[] = object.status?.conditions ?? [];
  const conditions =
    gang === undefined
      ? removeCondition(before, 'Gang')
      : setForeignCondition(before, gang, clock.now());
  if (conditions === before) return;
  // Guarded by the resource version: other controllers write conditions in the same list.
  await patchStatus(client, kind, object, { conditions }, { fieldManager: FIELD_MANAGER, signal });
};
