import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { removeCondition, setCondition } from '@perigee/api/values/conditions';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { gangSum } from '@perigee/scheduling/groups/gang-condition';
import { reportGangs } from '@perigee/scheduling/groups/gang-report';
import type { MemberClients } from '../members/member-clients.ts';
import { MemberGroupViews, workloadKey } from './member-group-views.ts';

export interface GangReportOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
  /** The cluster that the agent works for. */
  readonly cluster: string;
}

const FIELD_MANAGER = 'perigee-gangs';
const BY_WORKLOAD = 'workload';
const GATHER_MS = 200;

const workloadsOf = ({ spec }: Work): readonly string[] =>
  (spec.workload?.manifests ?? []).map((manifest) => {
    const { apiVersion, kind, metadata } = manifest as never as Parameters<
      typeof workloadKey
    >[0] & {
      readonly metadata: { readonly namespace?: string; readonly name: string };
    };
    return workloadKey({ ...metadata, apiVersion, kind });
  });

/** Tells in the Works of a cluster, from its side, whether pods wait for each other there, and for what. */
export const gangReportController = ({
  members,
  clock,
  cluster,
}: GangReportOptions): ControllerDefinition => {
  const namespace = executionNamespace(cluster);
  const views = new MemberGroupViews();
  return defineController({
    name: 'gang-report',
    for: Work,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    concurrency: 4,
    indexes: [index(Work, BY_WORKLOAD, workloadsOf)],
    watches: [
      views.source({
        kinds: [MemberCluster, Work],
        members,
        clock,
        changed: ({ informers, enqueue }) => {
          const works = informers.for(Work);
          return (workload) => {
            for (const work of works.byIndex(BY_WORKLOAD, workload)) {
              if (work.metadata.namespace === namespace) {
                enqueue(refOf(work), { delayMs: GATHER_MS });
              }
            }
          };
        },
      }),
    ],
    async reconcile(ref, context) {
      const work = context.cache(Work).get(ref);
      if (work === undefined || ref.namespace !== namespace) return undefined;
      const groups = workloadsOf(work).flatMap((workload) => views.groupsOf(cluster, workload));
      const condition = reportGangs(gangSum(groups));
      const before = work.status?.conditions ?? [];
      const conditions =
        condition === undefined
          ? removeCondition(before, 'Gang')
          : setCondition(before, condition, context.clock.now());
      if (conditions === before) return undefined;
      // Guarded: others have conditions in the same list.
      const options = { fieldManager: FIELD_MANAGER, signal: context.signal };
      await patchStatus(context.client, Work, work, { conditions }, options);
      return undefined;
    },
  });
};
