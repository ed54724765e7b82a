import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { InProcessMembers, type MemberClients } from '@perigee/controllers/members/member-clients';
import { MemberInformers } from '@perigee/controllers/members/member-informers';
import { executionController } from '@perigee/controllers/placement/execution/execution-controller';
import { workStatusController } from '@perigee/controllers/placement/work-status/work-status-controller';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { bindingStatusController } from '../../src/placement/binding-status/binding-status-controller.ts';
import { bindingWorkController } from '../../src/placement/binding-work/binding-work-controller.ts';
import { executionNamespacesController } from '../../src/placement/execution-namespaces/execution-namespaces-controller.ts';
import { namespaceSyncController } from '../../src/placement/namespace-sync/namespace-sync-controller.ts';
import { workDegradedController } from '../../src/placement/work-status/work-degraded-controller.ts';
import { SimulatedMember } from './simulated-member.ts';

export interface FederationOptions {
  readonly members?: readonly string[];
  readonly clock?: VirtualClock;
  /** Wraps the client of the controllers. */
  readonly reach?: (client: Client) => Client;
  readonly interpreter?: Interpreter;
  /** Controllers that run beside those of Works. */
  readonly further?: (members: MemberClients, client: Client) => readonly ControllerDefinition[];
}

export const setReady = async (client: Client, name: string, status: 'True' | 'False') => {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const condition = { type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime };
  const body = { status: { conditions: [condition] } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};

/** An embedded control plane that carries bindings to clusters in memory, in a time that is moved by hand. */
export const startFederation = async ({
  members: names = ['m1'],
  clock = new VirtualClock(),
  reach = (client) => client,
  interpreter = createInterpreter(nativeKinds),
  further = () => [],
}: FederationOptions = {}) => {
  await using stack = new AsyncDisposableStack();
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  const { client } = stack.use(await startEmbeddedServer({ clock, logger }));
  const members = new Map(names.map((name) => [name, new SimulatedMember(name, clock)]));
  const reached = new InProcessMembers(({ metadata }) => members.get(metadata.name)?.client);

  const launch = async () => {
    const views = new MemberInformers({ members: reached, clock });
    const options = { members: views, interpreter };
    const reachable = reach(client);
    const controllers = [
      executionNamespacesController(),
      namespaceSyncController(),
      ...BINDING_KINDS.map((kind) => bindingWorkController(kind, options)),
      executionController(options),
      workStatusController(options),
      workDegradedController(options),
      ...BINDING_KINDS.map((kind) => bindingStatusController(kind, options)),
      ...further(reached, reachable),
    ];
    const manager = new Manager({ client: reachable, clock, logger, controllers });
    await manager.start();
    return {
      stop: async () => {
        await manager[Symbol.asyncDispose]();
        await views[Symbol.asyncDispose]();
      },
    };
  };
  let launched = await launch();
  stack.defer(() => launched.stop());

  for (const [name, member] of members) {
    await member.addNamespaces('default');
    await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
    await setReady(client, name, 'True');
  }
  const settle = (ms = 2000) => clock.advance(ms);
  await settle();
  const federation = stack.move();
  /** An orderly shutdown takes time. */
  const inTime = async (ending: Promise<void>): Promise<void> => {
    await clock.advance(60_000);
    await ending;
  };
  return {
    client,
    clock,
    members,
    reached,
    member: (name: string): SimulatedMember => {
      const member = members.get(name);
      if (member === undefined) throw new Error(`there is no member ${name}`);
      return member;
    },
    /** Lets everybody do what there is to do. */
    settle,
    /** Ends all controllers and starts them anew; what happens meanwhile they only see then. */
    restart: async (meanwhile: () => Promise<unknown> = async () => {}) => {
      await inTime(launched.stop());
      await meanwhile();
      launched = await launch();
    },
    bind: (resource: object, clusters: readonly object[], spec: object = {}) => {
      const { kind, name, namespace } = resource as { [field: string]: string };
      return client.create(ResourceBinding, {
        metadata: {
          namespace,
          name: `${name}-${kind}`.toLowerCase(),
          labels: { 'resourcebinding.karmada.io/permanent-id': 'binding-id' },
        },
        spec: { resource, clusters, conflictResolution: 'Abort', ...spec } as never,
      });
    },
    works: async (cluster: string) =>
      (await client.list(Work, { namespace: `karmada-es-${cluster}` })).items,
    [Symbol.asyncDispose]: () => inTime(federation.disposeAsync()),
  };
};
