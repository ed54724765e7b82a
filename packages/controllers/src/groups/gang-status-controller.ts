import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { type GangSum, gangCondition, gangSum } from '@perigee/scheduling/groups/gang-condition';
import { reportedGangs } from '@perigee/scheduling/groups/gang-report';
import type { MemberClients } from '../members/member-clients.ts';
import { bindingOf, worksKey, worksOfBinding } from '../placement/binding-work/binding-index.ts';
import { MemberGroupViews, workloadKey } from './member-group-views.ts';
import { BY_WORKLOAD, reportGang, whenGangsChange } from './report-gangs.ts';

export interface GangStatusOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
}

const gangMessage = (work: Work | undefined): string | undefined =>
  findCondition(work?.status?.conditions, 'Gang')?.message;

/** The reports of agents, by cluster. */
const agentReports = (cache: Caches, binding: ObjectRef): ReadonlyMap<string, GangSum> =>
  new Map(
    cache(Work)
      .byIndex(...worksKey(binding))
      .flatMap((work) => {
        const sum = reportedGangs(work);
        return sum === undefined ? [] : [[work.metadata.namespace ?? '', sum] as const];
      }),
  );

/** Writes to the binding of a workload if its pods wait for their gang in a member, and the reason. */
export const gangStatusController = ({
  members,
  clock,
}: GangStatusOptions): ControllerDefinition => {
  const views = new MemberGroupViews();
  return defineController({
    name: 'gang-status',
    for: ResourceBinding,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    concurrency: 4,
    indexes: [
      index(ResourceBinding, BY_WORKLOAD, ({ spec }) => [workloadKey(spec.resource)]),
      worksOfBinding,
    ],
    watches: [
      whenGangsChange(views, { kind: ResourceBinding, members, clock }),
      // Members in pull mode: their agents report.
      watch(Work, {
        when: (now, before) => gangMessage(now) !== gangMessage(before),
        map: (work) => {
          const binding = bindingOf(work, ResourceBinding);
          return binding === undefined ? [] : [binding];
        },
      }),
    ],
    async reconcile(ref, context) {
      const binding = context.cache(ResourceBinding).get(ref);
      if (binding === undefined) return undefined;
      const { resource, clusters = [] } = binding.spec;
      const workload = workloadKey(resource);
      const gangsByNamespace = agentReports(context.cache, ref);
      const gangs = clusters.map(({ name: cluster }) => ({
        cluster,
        ...(gangsByNamespace.get(executionNamespace(cluster)) ??
          gangSum(views.groupsOf(cluster, workload))),
      }));
      return reportGang(ResourceBinding, binding, gangCondition(gangs), context);
    },
  });
};
