import { specSelects } from '@perigee/api/values/label-selector';
import { controllerOf } from '@perigee/api/values/owner-references';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Pod } from '@perigee/kubernetes/core/pod';
import { formatTime } from '@perigee/schema/values/time';
import { adoptAndRelease } from '../owned/adopt-and-release.ts';
import { controlledBy, controlledByOrFree, controllerIndex } from '../owned/controller-index.ts';
import { EXPECTATIONS_EXPIRE_MS, Expectations } from '../owned/expectations.ts';
import { ownedPods } from '../owned/owned-pods.ts';
import { createPods, deletePods } from '../pods/change-pods.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isActive } from '../pods/pod-state.ts';
import { rankForDeletion } from '../pods/rank-for-deletion.ts';
import { writeStatus } from '../status/write-status.ts';
import { replicaSetStatus } from './replica-set-status.ts';

/** Most pods to create or delete in one reconcile. */
const BURST = 500;

interface ReplicaDecision {
  readonly create: number;
  readonly remove: readonly Pod[];
}

/** Pods to create and delete, to have as many active ones as desired. */
const decideReplicas = (
  replicas: number,
  pods: readonly Pod[],
  relatives: readonly Pod[],
  now: number,
): ReplicaDecision => {
  const active = pods.filter(isActive);
  const shortage = replicas - active.length;
  if (shortage >= 0) return { create: Math.min(shortage, BURST), remove: [] };
  const ranked = rankForDeletion(active, relatives.filter(isActive), now);
  return { create: 0, remove: ranked.slice(0, Math.min(-shortage, BURST)) };
};

type Context = Pick<ReconcileContext, 'client' | 'cache' | 'clock' | 'events'>;

/** Changes of pods are batched for this long: a set may have thousands. */
const BATCH_MS = 10;

/** Pods to spread: those of all sets of the same owner. */
const relatedPods = (set: ReplicaSet, own: readonly Pod[], { cache }: Context): readonly Pod[] => {
  const owner = controllerOf(set);
  if (owner === undefined) return own;
  const siblings = cache(ReplicaSet).byIndex('controller', owner.uid);
  return siblings.flatMap((sibling) => controlledBy(cache(Pod), sibling));
};

interface Replaced {
  readonly problem?: Error | undefined;
  /** True if pods were created or deleted, which the cache may show already. */
  readonly isChanged: boolean;
}

const replace = async (
  set: ReplicaSet,
  pods: readonly Pod[],
  expectations: Expectations,
  context: Context,
): Promise<Replaced> => {
  const { replicas = 1, template } = set.spec;
  const relatives = () => relatedPods(set, pods, context);
  const isSurplus = pods.length > replicas;
  const { create, remove } = decideReplicas(
    replicas,
    pods,
    isSurplus ? relatives() : [],
    context.clock.now(),
  );
  const problem = await deletePods(set, remove, expectations, context);
  if (create === 0) return { problem, isChanged: remove.length > 0 };
  const newPods = Array.from({ length: create }, () => podFromTemplate(set, template));
  return { problem: await createPods(set, newPods, expectations, context), isChanged: true };
};

const reconcile = async (
  set: ReplicaSet,
  expectations: Expectations,
  context: Context,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const { uid, deletionTimestamp } = set.metadata;
  const isSettled = expectations.areMet(uid, clock.monotonic());
  const owner = { kind: ReplicaSet, object: set };
  const candidates = controlledByOrFree(cache(Pod), set);
  const pods = await adoptAndRelease(client, owner, set.spec.selector, Pod, candidates);
  const { problem, isChanged } =
    isSettled && deletionTimestamp === undefined
      ? await replace(set, pods, expectations, context)
      : { isChanged: false };
  // Changes of pods trigger the next reconcile: a status without them would be outdated at once.
  if (problem === undefined && (isChanged || !expectations.areMet(uid, clock.monotonic()))) {
    return { requeueAfterMs: EXPECTATIONS_EXPIRE_MS };
  }
  const now = { ms: clock.now(), text: formatTime(clock.now()) };
  const { status, nextAvailableAt } = replicaSetStatus(set, pods, now, problem?.message);
  await writeStatus(client, ReplicaSet, set, status);
  if (problem !== undefined) throw problem;
  return nextAvailableAt === undefined ? undefined : { requeueAfterMs: nextAvailableAt - now.ms };
};

/** Keeps the desired number of pods of each ReplicaSet. */
export const replicaSetController = (): ControllerDefinition => {
  const expectations = new Expectations();
  return defineController({
    name: 'replicaset-controller',
    for: ReplicaSet,
    concurrency: 8,
    indexes: [controllerIndex(Pod), controllerIndex(ReplicaSet)],
    watches: [
      ownedPods(ReplicaSet, {
        expectations,
        batchMs: BATCH_MS,
        wantedBy: ({ metadata: { namespace, labels } }, caches) =>
          caches(ReplicaSet)
            .listNamespace(namespace ?? '')
            .filter(({ spec }) => specSelects(spec.selector, labels)),
      }),
    ],
    reconcile: async (ref, context) => {
      const set = context.cache(ReplicaSet).get(ref);
      return set === undefined ? undefined : reconcile(set, expectations, context);
    },
  });
};
