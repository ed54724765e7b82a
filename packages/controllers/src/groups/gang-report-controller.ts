import { Work } from '@perigee/api/kinds/placement/work';
import { executionNamespace } from '@perigee/api/values/karmada-names';
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
import { BY_WORKLOAD, reportGang, whenGangsChange } from './report-gangs.ts';

export interface GangReportOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
  /** The cluster of the agent. */
  readonly cluster: string;
}

const workloadsOf = ({ spec }: Work): readonly string[] =>
  (spec.workload?.manifests ?? []).map((manifest) => {
    const { apiVersion, kind, metadata } = manifest as never as Parameters<
      typeof workloadKey
    >[0] & {
      readonly metadata: { readonly namespace?: string; readonly name: string };
    };
    return workloadKey({ ...metadata, apiVersion, kind });
  });

/** Reports in the Works of a cluster, from its agent, which pods wait for their gang, and the reason. */
export const gangReportController = ({
  members,
  clock,
  cluster,
}: GangReportOptions): ControllerDefinition => {
  const namespace = executionNamespace(cluster);
  const isOurs = ({ metadata }: Work): boolean => metadata.namespace === namespace;
  const views = new MemberGroupViews();
  return defineController({
    name: 'gang-report',
    for: Work,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    concurrency: 4,
    indexes: [index(Work, BY_WORKLOAD, workloadsOf)],
    watches: [whenGangsChange(views, { kind: Work, members, clock, isOurs })],
    async reconcile(ref, context) {
      const work = context.cache(Work).get(ref);
      if (work === undefined || !isOurs(work)) return undefined;
      const groups = workloadsOf(work).flatMap((workload) => views.groupsOf(cluster, workload));
      return reportGang(Work, work, reportGangs(gangSum(groups)), context);
    },
  });
};
