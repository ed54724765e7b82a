import assert from 'node:assert/strict';
import { join } from 'node:path';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Pod } from '@perigee/kubernetes/core/pod';
import { type CrashRequest, requestedObjects } from './crash-requests.ts';

export const MEMBERS = ['member1', 'member2', 'member3'] as const;

const namespace = 'default';
const web = { namespace, name: 'web' };
const settings = { namespace, name: 'settings' };

/** The control plane and its members, over the network. */
export interface CrashWorld extends AsyncDisposable {
  /** Writes down what is wished; stops at the first write that fails. */
  request(request: CrashRequest): Promise<void>;
  /** Everything that should follow from the wish, as it is now. */
  sight(): Promise<string>;
}

const connect = async (folder: string, context: string) => {
  const kubeconfig = join(folder, 'kubeconfig');
  const logger = { warn: () => {} };
  const config = await loadClusterConfig({
    env: {},
    clock,
    interactive: false,
    logger,
    kubeconfig,
    context,
  });
  return createHttpClient(config, { clock, retry: { attempts: 1 } });
};

const ignoreMissing = async (removal: Promise<unknown>): Promise<void> => {
  try {
    await removal;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

const KINDS: readonly ResourceKind[] = [ConfigMap, Deployment, OverridePolicy, PropagationPolicy];

const requestOf = async (client: Client, request: CrashRequest): Promise<void> => {
  const objects = requestedObjects(request);
  for (const kind of KINDS) {
    const name = kind === ConfigMap ? settings.name : web.name;
    const body = objects.find((object) => object.kind === kind.kind);
    if (body === undefined) await ignoreMissing(client.delete(kind, { namespace, name }));
    else {
      const patch = { type: 'apply', body, fieldManager: 'user', force: true } as const;
      await client.patch(kind, { namespace, name }, patch);
    }
  }
};

const find = async <K extends ResourceKind>(client: Client, kind: K, ref: typeof web) => {
  try {
    return await client.get(kind, ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const seenIn = async (client: Client, name: string): Promise<string> => {
  const deployment = await find(client, Deployment, web);
  const { items: pods } = await client.list(Pod, { namespace });
  const colour = (await find(client, ConfigMap, settings))?.data;
  if (deployment === undefined)
    return `${name}: - pods=${pods.length} colour=${colour?.colour ?? '-'}`;
  const { spec, status } = deployment;
  const { place = '-' } = deployment.metadata.labels ?? {};
  const [container] = spec.template.spec.containers;
  return `${name}: ${status?.readyReplicas ?? 0}/${spec.replicas} ${container?.image} place=${place} pods=${pods.length} colour=${colour?.colour ?? '-'}`;
};

const seenAbove = async (client: Client): Promise<string> => {
  const [bindings, works, deployment] = await Promise.all([
    client.list(ResourceBinding, {}),
    client.list(Work, {}),
    find(client, Deployment, web),
  ]);
  const status = deployment?.status;
  const names = bindings.items.map(({ metadata }) => metadata.name).sort();
  const workNames = works.items
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`.replace('karmada-es-', ''))
    .sort();
  return `ready=${status?.readyReplicas ?? 0} bindings=${names.join('+')} works=${workNames.join('+')}`;
};

/** Connects to what runs on the folder now. */
export const connectCrashWorld = async (folder: string): Promise<CrashWorld> => {
  const stack = new AsyncDisposableStack();
  const client = stack.use(await connect(folder, 'perigee'));
  const members: (readonly [string, Client])[] = [];
  for (const name of MEMBERS) members.push([name, stack.use(await connect(folder, name))]);
  return {
    request: (request) => requestOf(client, request),
    sight: async () =>
      [
        await seenAbove(client),
        ...(await Promise.all(members.map(([name, member]) => seenIn(member, name)))),
      ].join('\n'),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};

const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/** Looks again and again until everything is as expected. */
export const untilSeen = async (
  world: CrashWorld,
  expectedSight: string,
  what: string,
): Promise<void> => {
  const limit = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    const sight = await world.sight();
    if (sight === expectedSight) return;
    if (clock.monotonic() > limit) assert.equal(sight, expectedSight, what);
    await clock.sleep(LOOK_MS);
  }
};
