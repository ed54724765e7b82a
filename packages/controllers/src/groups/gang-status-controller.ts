import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { removeCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { gangCondition } from '@perigee/scheduling/groups/gang-condition';
import type { MemberClients } from '../members/member-clients.ts';
import { MemberGroupViews, workloadKey } from './member-group-views.ts';

export interface GangStatusOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
}

const FIELD_MANAGER = 'perigee-gangs';
const BY_WORKLOAD = 'workload';
/** A gang starts pod by pod; so long the news of it are gathered. */
const GATHER_MS = 200;

/** Tells in the binding of a workload whether its pods wait for each other in a member, and for what. */
export const gangStatusController = ({
  members,
  clock,
}: GangStatusOptions): ControllerDefinition => {
  let views: MemberGroupViews | undefined;
  const groups: Source = {
    kinds: [MemberCluster, ResourceBinding],
    start: ({ informers, enqueue, failed, settled }) => {
      const stack = new DisposableStack();
      const bindings = informers.for(ResourceBinding);
      const clusters = informers.for(MemberCluster);
      const onChange = (workload: string): void => {
        for (const binding of bindings.byIndex(BY_WORKLOAD, workload)) {
          enqueue(refOf(binding), { delayMs: GATHER_MS });
        }
      };
      const opened = new MemberGroupViews({ members, clock, onChange, failed, settled });
      views = opened;
      const look = (name: string) => opened.look(name, clusters.get({ name }));
      const lookAt = ({ metadata }: MemberCluster) => look(metadata.name);
      stack.use(members.onChange(look));
      stack.use(clusters.addHandler({ onAdd: lookAt, onUpdate: lookAt, onDelete: lookAt }));
      stack.defer(() => void opened[Symbol.asyncDispose]());
      return stack;
    },
  };
  return defineController({
    name: 'gang-status',
    for: ResourceBinding,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    concurrency: 4,
    indexes: [index(ResourceBinding, BY_WORKLOAD, ({ spec }) => [workloadKey(spec.resource)])],
    watches: [groups],
    async reconcile(ref, context) {
      const binding = context.cache(ResourceBinding).get(ref);
      if (binding === undefined || views === undefined) return undefined;
      const { spec, status } = binding;
      const workload = workloadKey(spec.resource);
      const inMembers = (spec.clusters ?? [])
        .map(({ name: cluster }) => ({ cluster, groups: views?.groupsOf(cluster, workload) ?? [] }))
        .filter((member) => member.groups.length > 0);
      const condition = gangCondition(inMembers);
      const before = status?.conditions ?? [];
      const conditions =
        condition === undefined
          ? removeCondition(before, 'Gang')
          : setCondition(before, condition, context.clock.now());
      if (conditions === before) return undefined;
      // Guarded: others have conditions in the same list.
      const options = { fieldManager: FIELD_MANAGER, signal: context.signal };
      await patchStatus(context.client, ResourceBinding, binding, { conditions }, options);
      return undefined;
    },
  });
};
