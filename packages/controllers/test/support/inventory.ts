import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ConditionType } from '@perigee/api/reasons/condition-reasons';
import { findCondition } from '@perigee/api/values/conditions';
import { clusterRegistrationController } from '@perigee/controllers/clusters/inventory/cluster-registration-controller';
import type { VirtualHost } from '@perigee/controllers/clusters/southbound/virtual-host';
import { virtualSouthbound } from '@perigee/controllers/clusters/southbound/virtual-southbound';
import { clusterStatusController } from '@perigee/controllers/clusters/status/cluster-status-controller';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ConfigError, isNotFound } from '@perigee/kube/errors';
import { clusterAdoptionController } from '../../src/clusters/inventory/cluster-adoption-controller.ts';
import { inventoryStatusController } from '../../src/clusters/inventory/inventory-status-controller.ts';
import { kubernetesSouthbound } from '../../src/clusters/southbound/kubernetes-southbound.ts';
import { OpenStackSouthbound } from '../../src/clusters/southbound/openstack/openstack-southbound.ts';
import { executionNamespacesController } from '../../src/placement/execution-namespaces/execution-namespaces-controller.ts';
import { type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { SimulatedMember } from './simulated-member.ts';

const orGone = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** An inventory whose Kubernetes clusters are in memory, in a time that is moved by hand. */
export const startInventory = async (
  options: Pick<ControlPlaneOptions, 'reach' | 'isQuiet'> = {},
) => {
  await using stack = new AsyncDisposableStack();
  const clock = new VirtualClock();
  const reached = new Map<string, SimulatedMember>();
  const aliases = new Map<string, string>();
  const members = new InProcessMembers(
    ({ metadata: { name } }) => reached.get(aliases.get(name) ?? name)?.client,
  );
  const hosted: string[] = [];
  const host: VirtualHost = {
    ensure: async ({ metadata: { name } }) => {
      if (name === 'impossible') throw new ConfigError('there is no room for impossible');
      if (!reached.has(name)) {
        reached.set(name, new SimulatedMember(name, clock));
        hosted.push(`made ${name}`);
        members.changed(name);
      }
      return { apiEndpoint: `https://host/clusters/${name}` };
    },
    remove: async (name) => {
      if (reached.delete(name)) hosted.push(`removed ${name}`);
      members.changed(name);
    },
  };
  const plane = stack.use(
    await startControlPlane({
      ...options,
      clock,
      controllers: ({ client }) => {
        const common = { client, clock, members };
        const southbounds = {
          kubernetes: kubernetesSouthbound(common),
          virtual: virtualSouthbound({ ...common, host }),
          openstack: stack.use(new OpenStackSouthbound(common)),
        };
        return [
          clusterRegistrationController({ southbounds }),
          clusterAdoptionController(),
          inventoryStatusController({ southbounds }),
          clusterStatusController({ members }),
          executionNamespacesController(),
        ];
      },
    }),
  );
  const { client } = plane;
  const resources = stack.move();
  const recordOf = (name: string) => orGone(client.get(ClusterRecord, { name }));
  return {
    client,
    clock,
    hosted,
    members,
    /** Puts a cluster where its name leads to. */
    addMember: (name: string): SimulatedMember => {
      const member = new SimulatedMember(name, clock);
      reached.set(name, member);
      members.changed(name);
      return member;
    },
    /** Lets a name lead to the cluster of another one. */
    alias: (name: string, to: string): void => {
      aliases.set(name, to);
      members.changed(name);
    },
    register: (name: string, spec: object = {}, metadata: object = {}) =>
      client.create(ClusterRecord, { metadata: { name, ...metadata }, spec }),
    settle: (ms = 2000) => clock.advance(ms),
    recordOf,
    targetOf: (name: string) => orGone(client.get(MemberCluster, { name })),
    /** Such as `Ready: True ClusterReady`. */
    conditionOf: async (name: string, type: ConditionType<'ClusterRecord'> = 'Ready') => {
      const { status } = (await recordOf(name)) ?? {};
      const { status: holds, reason } = findCondition(status?.conditions, type) ?? {};
      return `${status?.phase}: ${holds} ${reason}`;
    },
    messageOf: async (name: string, type: ConditionType<'ClusterRecord'> = 'Ready') =>
      findCondition((await recordOf(name))?.status?.conditions, type)?.message ?? '',
    [Symbol.asyncDispose]: async () => {
      const stopping = resources.disposeAsync();
      await clock.advance(60_000);
      await stopping;
    },
  };
};
