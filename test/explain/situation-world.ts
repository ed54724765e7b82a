import assert from 'node:assert/strict';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import { findWork } from '@perigee/cli/placement/explain/find-work';
import type { MemberAccess } from '@perigee/cli/placement/explain/read-members';
import { readSnapshot } from '@perigee/cli/placement/explain/read-snapshot';
import {
  type DoableSuggestion,
  readSuggestions,
} from '@perigee/cli/placement/suggest/read-suggestions';
import { chooseControllers } from '@perigee/host/choose-controllers';
import { planMembers } from '@perigee/host/members/member-plan';
import { startFleet } from '@perigee/host/start-fleet';
import type { Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { explainWork, type WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';

/** Actions that a situation may take: all of them through the API, in a namespace of its own. */
export interface SituationWorld {
  readonly client: Client;
  readonly namespace: string;
  /** The client of a member, for actions of others there. */
  member(name: string): Client;
  create(kind: ResourceKind, name: string, rest?: object): Promise<void>;
  patch(kind: ResourceKind, name: string, body: object): Promise<void>;
  remove(kind: ResourceKind, name: string): Promise<void>;
  /** Lets time pass, so that what was made takes effect. */
  settle(ms?: number): Promise<void>;
}

/** The fleet of all situations: members that are well, and three that are not. */
export const FLEET = {
  well: ['member1', 'member2', 'member3'],
  lost: 'member4',
  tainted: 'member5',
  full: 'member6',
  /** For work that takes whole nodes, one each: what goes there otherwise asks for none of their cpu. */
  spares: ['member7', 'member8', 'member9', 'member10'],
} as const;

export interface SituationFleet extends AsyncDisposable {
  open(namespace: string, labels?: { readonly [label: string]: string }): Promise<SituationWorld>;
  /** As `perigee explain` tells it. */
  explain(target: string, namespace: string): Promise<WorkExplanation>;
  /** Suggestions that would make work run, as `perigee explain` prints them below. */
  suggest(target: string, namespace: string): Promise<readonly DoableSuggestion[]>;
  /** Types a command that was printed. */
  type(command: string): Promise<void>;
  advance(ms: number): Promise<void>;
}

const FAULT = 'member.perigee.io/fault';

const damage = async (client: Client): Promise<void> => {
  const change = (name: string, body: object) =>
    client.patch(MemberCluster, { name }, { type: 'merge', body });
  const fault = (name: string, words: string) =>
    change(name, { metadata: { annotations: { [FAULT]: words } } });
  await change('member1', { metadata: { labels: { tier: 'silver' } } });
  await fault(FLEET.lost, 'unreachable');
  await fault(FLEET.full, 'full');
  await change(FLEET.tainted, { spec: { taints: [{ key: 'repair', effect: 'NoSchedule' }] } });
};

const openWorld = (
  server: EmbeddedServer,
  clock: VirtualClock,
  namespace: string,
): SituationWorld => {
  const { client } = server;
  const refOf = (kind: ResourceKind, name: string) =>
    kind.scope === 'Namespaced' ? { namespace, name } : { name };
  const member = (name: string): Client => {
    const cluster = server.cluster(name);
    if (cluster === undefined) throw new Error(`there is no member ${name}`);
    return cluster.client;
  };
  return {
    client,
    namespace,
    member,
    create: async (kind, name, { metadata, ...rest }: { metadata?: object } = {}) => {
      const object = { metadata: { ...metadata, ...refOf(kind, name) }, ...rest };
      await client.create(kind, object as never);
    },
    patch: async (kind, name, body) => {
      await client.patch(kind, refOf(kind, name), { type: 'merge', body });
    },
    remove: async (kind, name) => {
      await client.delete(kind, refOf(kind, name));
    },
    settle: (ms = 5000) => clock.advance(ms),
  };
};

/** Starts a control plane with members, all in memory and on a virtual clock. */
export const openSituations = async (): Promise<SituationFleet> => {
  const clock = new VirtualClock({ seed: 22 });
  const stack = new AsyncDisposableStack();
  const store = stack.use(createMemoryStore());
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  const server = await startEmbeddedServer({ clock, logger, store });
  const shell = stack.use(
    openKubectlShell({
      kubectl: kubectlBinary().path,
      connection: [`--server=${server.url}`],
      namespace: 'default',
    }),
  );
  const chosenControllers = chooseControllers({ controllers: '*', failover: false });
  const fleet = await startFleet({
    server,
    members: planMembers(10, 3),
    chosenControllers,
    clock,
    logger,
  });
  await clock.advance(15_000);
  await damage(server.client);
  await clock.advance(45_000);
  const access: MemberAccess = {
    open: async (name) =>
      name === FLEET.lost
        ? { hidden: 'it does not answer' }
        : (server.cluster(name)?.client ?? { hidden: `there is no member ${name}` }),
  };
  const mapper = new RestMapper(server.client);
  const snapshot = async (target: string, namespace: string) =>
    readSnapshot(
      server.client,
      await findWork(server.client, target, namespace),
      access,
      clock.now(),
    );
  return {
    open: async (namespace, labels = {}) => {
      await server.client.create(Namespace, { metadata: { name: namespace, labels } });
      return openWorld(server, clock, namespace);
    },
    suggest: async (target, namespace) => {
      const facts = await snapshot(target, namespace);
      return readSuggestions(server.client, mapper, facts, explainWork(facts));
    },
    type: async (command) => {
      const { code, stdout, stderr } = await shell.run(command);
      assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
    },
    explain: async (target, namespace) => explainWork(await snapshot(target, namespace)),
    advance: (ms) => clock.advance(ms),
    [Symbol.asyncDispose]: async () => {
      const stopping = fleet[Symbol.asyncDispose]().then(() => server[Symbol.asyncDispose]());
      await clock.advance(60_000);
      await stopping;
      await stack.disposeAsync();
    },
  };
};
