import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { Clock } from '@perigee/kube/clock/clock';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { type NamespaceProgress, namespaceConditions } from './namespace-conditions.ts';
import { emptyResource, namespacedResources } from './namespace-content.ts';

const FINALIZER = 'kubernetes';

const SOONEST_MS = 200;
const LATEST_MS = 15_000;

/** Delay before the next check: a quarter of the time since the deletion was requested. */
const recheckMs = (since: string, nowMs: number): number =>
  Math.min(LATEST_MS, Math.max(SOONEST_MS, (nowMs - parseTime(since)) / 4));

const empty = async (client: Client, name: string): Promise<NamespaceProgress> => {
  let resources: Awaited<ReturnType<Client['discover']>>;
  try {
    resources = await client.discover();
  } catch (error) {
    return { remainders: [], discoveryProblem: String((error as Error).message ?? error) };
  }
  const remainders = await Promise.all(
    namespacedResources(resources).map((resource) => emptyResource(client, resource, name)),
  );
  return { remainders };
};

const isDone = ({ remainders, discoveryProblem }: NamespaceProgress): boolean =>
  discoveryProblem === undefined &&
  remainders.every(({ objects, problem }) => objects.length === 0 && problem === undefined);

const report = async (
  client: Client,
  clock: Clock,
  namespace: Namespace,
  progress: NamespaceProgress,
): Promise<Namespace> => {
  const { conditions: before = [] } = namespace.status ?? {};
  const conditions = namespaceConditions(before, progress, formatTime(clock.now()));
  if (conditions === before) return namespace;
  return replaceStatus(client, Namespace, namespace, { ...namespace.status, conditions });
};

/** Removes the finalizer of this controller, which completes the deletion unless others have one. */
const finalize = (client: Client, namespace: Namespace): Promise<Namespace> => {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== FINALIZER);
  const next = { ...namespace, spec: { ...namespace.spec, finalizers } };
  return client.update(Namespace, next, { subresource: 'finalize' });
};

const reconcile = async (client: Client, clock: Clock, name: string): Promise<ReconcileResult> => {
  const namespace = await getOrUndefined(client, Namespace, { name });
  const since = namespace?.metadata.deletionTimestamp;
  if (namespace === undefined || since === undefined) return undefined;
  if (!namespace.spec?.finalizers?.includes(FINALIZER)) return undefined;
  const progress = await empty(client, name);
  const reported = await report(client, clock, namespace, progress);
  if (!isDone(progress)) return { requeueAfterMs: recheckMs(since, clock.now()) };
  await finalize(client, reported);
  return undefined;
};

/**
 * Empties namespaces under deletion, and then removes their finalizer. Their conditions list the remaining content.
 */
export const namespaceController = (): ControllerDefinition =>
  defineController({
    name: 'namespaces',
    for: Namespace,
    when: (now) => now?.metadata.deletionTimestamp !== undefined,
    // Concurrent writes share a flush.
    concurrency: 32,
    needsLeader: false,
    reconcile: ({ name }, { client, clock }) => reconcile(client, clock, name),
  });
