import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { Address, Order, Outcome, Task } from './client-protocol.ts';

/** Does tasks with one client; each resolves to how many objects or answers it got. */
type Contender = { readonly [task in Task]: (count: number) => Promise<number> };

const IN_FLIGHT = 16;

const concurrently = async (count: number, request: () => Promise<unknown>): Promise<number> => {
  let remaining = count;
  const worker = async () => {
    while (remaining-- > 0) await request();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return count;
};

const repeatedly = async (count: number, list: () => Promise<readonly unknown[]>) => {
  let objects = 0;
  for (let at = 0; at < count; at++) objects += (await list()).length;
  return objects;
};

const ours = ({ server, ca }: Address): Contender => {
  const client = createHttpClient({ server, caBundle: ca }, { clock: realClock });
  const namespace = 'default';
  return {
    requests: (count) => concurrently(count, () => client.get(Pod, { name: 'web', namespace })),
    list: (count) => repeatedly(count, async () => (await client.list(Pod, { namespace })).items),
    watch: async (count) => {
      let events = 0;
      for await (const _ of client.watch(Pod, { namespace, resourceVersion: String(count) }))
        events++;
      return events;
    },
  };
};

const clientNode = async ({ server, ca }: Address): Promise<Contender> => {
  const k8s = await import('@kubernetes/client-node');
  const config = new k8s.KubeConfig();
  config.loadFromOptions({
    clusters: [
      { name: 'c', server, caData: Buffer.from(ca).toString('base64'), skipTLSVerify: false },
    ],
    users: [{ name: 'u' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  const api = config.makeApiClient(k8s.CoreV1Api);
  const namespace = 'default';
  return {
    requests: (count) =>
      concurrently(count, () => api.readNamespacedPod({ name: 'web', namespace })),
    list: (count) =>
      repeatedly(count, async () => (await api.listNamespacedPod({ namespace })).items),
    watch: async (count) => {
      let events = 0;
      const end = Promise.withResolvers<void>();
      await new k8s.Watch(config).watch(
        '/api/v1/namespaces/default/pods',
        { resourceVersion: String(count), allowWatchBookmarks: true },
        () => {
          events++;
        },
        (error) => (error ? end.reject(error) : end.resolve()),
      );
      await end.promise;
      return events;
    },
  };
};

const [who = '', server = '', ca = ''] = process.argv.slice(2);
const contender = who === 'ours' ? ours({ server, ca }) : await clientNode({ server, ca });

process.on('message', async ({ task, count }: Order) => {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const doneCount = await contender[task](count);
  const seconds = (performance.now() - before) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const outcome: Outcome = { doneCount, seconds, cpuSeconds: (user + system) / 1e6 };
  process.send?.(outcome);
});
process.once('disconnect', () => process.exit());
