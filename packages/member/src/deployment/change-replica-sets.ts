import { refOf } from '@perigee/kube/client/ref-of';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound, isAlreadyExists } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { sameJson } from '@perigee/schema/same-json';
import { annotationsOfNewSet, REVISION, revisionOf, scaleAnnotations } from './annotations.ts';
import { progressDeadlineMs, withDeploymentCondition } from './deployment-status.ts';
import { findNewSet, makeNewSet, nextRevision } from './new-replica-set.ts';
import { replicasOf, type Scale } from './roll.ts';

type Context = Pick<ReconcileContext, 'client' | 'clock' | 'events'>;

/** Scales a set, and records the size of the deployment at that moment. */
export const scaleSet = async (
  deployment: Deployment,
  { set, replicas }: Scale,
  { client, events }: Context,
): Promise<ReplicaSet> => {
  const annotations = { ...set.metadata.annotations, ...scaleAnnotations(deployment) };
  const before = replicasOf(set);
  if (before === replicas && sameJson(annotations, set.metadata.annotations)) return set;
  const scaled = await client.update(ReplicaSet, {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas },
  });
  if (before !== replicas) {
    const direction = replicas > before ? 'up' : 'down';
    const { name } = set.metadata;
    const change = `from ${before} to ${replicas}`;
    events.normal(
      deployment,
      'ScalingReplicaSet',
      `Scaled ${direction} replica set ${name} ${change}`,
    );
  }
  return scaled;
};

/** Updates annotations and revision of the new ReplicaSet. */
export const refreshNewSet = async (
  deployment: Deployment,
  newSet: ReplicaSet,
  old: readonly ReplicaSet[],
  { client }: Context,
): Promise<ReplicaSet> => {
  const { metadata, spec } = newSet;
  const annotations = annotationsOfNewSet(deployment, metadata.annotations, nextRevision(old));
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const isSame =
    sameJson(annotations, metadata.annotations) && (spec.minReadySeconds ?? 0) === minReadySeconds;
  if (isSame) return newSet;
  return client.update(ReplicaSet, {
    ...newSet,
    metadata: { ...metadata, annotations },
    spec: { ...spec, minReadySeconds },
  });
};

/** Kubernetes numbers the revisions of a deployment by those of its sets. */
export const revisionNoted = (deployment: Deployment, newSet: ReplicaSet): Deployment => {
  const { metadata } = deployment;
  const annotations = { ...metadata.annotations, [REVISION]: String(revisionOf(newSet)) };
  return { ...deployment, metadata: { ...metadata, annotations } };
};

/** Names are derived from the template, so that a stale cache causes no duplicate. */
export const createNewSet = async (
  deployment: Deployment,
  old: readonly ReplicaSet[],
  { client, events }: Context,
): Promise<ReplicaSet> => {
  const setToCreate = makeNewSet(deployment, old);
  const { name = '', namespace = '' } = setToCreate.metadata;
  try {
    const createdSet = await client.create(ReplicaSet, setToCreate);
    const size = replicasOf(createdSet);
    if (size > 0) {
      const change = `from 0 to ${size}`;
      events.normal(deployment, 'ScalingReplicaSet', `Scaled up replica set ${name} ${change}`);
    }
    return createdSet;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const present = await client.get(ReplicaSet, { name, namespace });
    const owner = present.metadata.ownerReferences?.find(({ controller }) => controller);
    const isOurs = owner?.uid === deployment.metadata.uid;
    if (isOurs && findNewSet(deployment, [present]) !== undefined) return present;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    await replaceStatus(client, Deployment, deployment, status);
    throw error;
  }
};

export const creationNoted = (
  deployment: Deployment,
  newSet: ReplicaSet,
  time: string,
): Deployment => {
  if (progressDeadlineMs(deployment) === undefined) return deployment;
  const conditions = withDeploymentCondition(
    deployment.status?.conditions ?? [],
    {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetCreated',
      message: `Created new replica set "${newSet.metadata.name}"`,
    },
    time,
  );
  return { ...deployment, status: { ...deployment.status, conditions } };
};

/** Deletes the oldest empty sets beyond the revision history limit. */
export const cleanUpHistory = async (
  { spec }: Deployment,
  old: readonly ReplicaSet[],
  { client }: Context,
): Promise<void> => {
  const { revisionHistoryLimit = 10 } = spec;
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = alive
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, Math.max(0, alive.length - revisionHistoryLimit))
    .filter(
      (set) =>
        replicasOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
  for (const set of surplus) {
    const { uid } = set.metadata;
    await client.delete(ReplicaSet, refOf(set), { preconditions: { uid } }).catch(ignoreNotFound);
  }
};
