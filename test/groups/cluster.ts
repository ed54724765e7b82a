import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import {
  GROUPING_SCHEDULERS,
  podGroupControllers,
} from '@perigee/controllers/groups/pod-group-controllers';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Pod, type PodTemplate } from '@perigee/kubernetes/core/pod';
import type { NodeShape } from '@perigee/member/nodes/node-shape';
import { startMember } from '@perigee/member/start-member';

export interface GroupedClusterOptions {
  readonly nodes?: readonly NodeShape[];
  readonly seed?: number;
  /** Wraps the client that looks up owners on the server; the client itself by default. */
  readonly reach?: (client: Client) => Client;
  /** Wraps the client of everything else. */
  readonly reachAll?: (client: Client) => Client;
  /** Creates objects before the controllers start. */
  readonly before?: (client: Client) => Promise<unknown>;
}

/** A virtual member that puts pods into groups, in a time that moves when told to. */
export const startGroupedCluster = async ({
  nodes = [{ count: 3 }],
  seed = 1,
  reach = (client) => client,
  reachAll = (client) => client,
  before = async () => {},
}: GroupedClusterOptions = {}) => {
  const clock = new VirtualClock({ seed });
  const problems: string[] = [];
  const logger = createLogger({ clock, level: 'warn', write: (line) => void problems.push(line) });
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startEmbeddedServer({ clock, logger }));
  const { client } = server;
  await before(client);
  const start = () =>
    startMember({
      client: reachAll(client),
      clock,
      logger,
      nodes,
      controllers: podGroupControllers({ client: reach(client), clock }),
      groupedSchedulers: GROUPING_SCHEDULERS,
    });
  let member = await start();
  const resources = stack.move();
  const namespace = 'default';
  return {
    client,
    clock,
    problems,
    groups: async () => (await client.list(PodGroup, { namespace })).items,
    pods: async (labelSelector?: string) =>
      (await client.list(Pod, { namespace, ...(labelSelector && { labelSelector }) })).items,
    restart: async () => {
      await member[Symbol.asyncDispose]();
      member = await start();
    },
    /** Lets a second pass at a time until the check holds. */
    until: async (check: () => Promise<boolean>, seconds = 120) => {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1000);
        if (await check()) return;
      }
      throw new Error(`it did not come true in ${seconds} s; problems: ${problems.join('')}`);
    },
    [Symbol.asyncDispose]: async () => {
      await member[Symbol.asyncDispose]();
      await resources.disposeAsync();
    },
  };
};

type Text = { readonly [key: string]: string };

/** A template whose pods are put into groups. */
export const grouped = (app: string, requests: Text = {}, annotations: Text = {}): PodTemplate => ({
  metadata: { labels: { app }, annotations },
  spec: {
    schedulerName: 'volcano',
    containers: [{ name: 'main', image: 'app:1', resources: { requests } }],
  },
});

export const deploymentOf = (
  name: string,
  replicas: number,
  template: PodTemplate,
  annotations: Text = {},
) => ({
  kind: Deployment,
  object: {
    metadata: { namespace: 'default', name, annotations },
    spec: { replicas, selector: { matchLabels: { app: name } }, template },
  },
});

/** A client with a callback that may answer some calls; the others go through. */
export const intercepted = (
  client: Client,
  answer: (verb: string, args: readonly unknown[]) => unknown,
): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => answer(String(verb), args) ?? call.apply(target, args);
    },
  });
