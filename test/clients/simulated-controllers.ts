import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Job } from '@perigee/kubernetes/batch/job';
import { sameJson } from '@perigee/schema/same-json';

const REVISION = 'deployment.kubernetes.io/revision';
const LONG_AGO = '2026-01-01T00:00:00Z';

const revisionOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.[REVISION] ?? 0);

const refOf = ({ metadata: { name, namespace = '' } }: KubeObject) => ({ name, namespace });

const ownedBy = (owner: KubeObject) => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
  },
];

const condition = (type: string, reason: string) => ({
  type,
  reason,
  status: 'True',
  lastTransitionTime: LONG_AGO,
});

/** The replica set of the deployment's present template, as the newest revision. */
const newestSet = async (client: Client, deployment: Deployment): Promise<ReplicaSet> => {
  const { name, namespace = '', uid } = deployment.metadata;
  const { items } = await client.list(ReplicaSet, { namespace });
  const mine = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid),
  );
  const newest = Math.max(0, ...mine.map(revisionOf));
  const present = mine.find(({ spec }) => sameJson(spec.template, deployment.spec.template));
  if (present !== undefined && revisionOf(present) === newest) return present;
  const annotations = {
    ...deployment.metadata.annotations,
    [REVISION]: String(newest + 1),
  };
  if (present !== undefined) {
    const body = { metadata: { annotations } };
    return client.patch(ReplicaSet, refOf(present), { type: 'merge', body });
  }
  return client.create(ReplicaSet, {
    metadata: {
      name: `${name}-${newest + 1}`,
      namespace,
      annotations,
      labels: deployment.spec.template.metadata?.labels ?? {},
      ownerReferences: ownedBy(deployment),
    },
    spec: deployment.spec,
  } as never);
};

/** Every pod of the newest revision is there and ready, at once. */
const rollOut = async (client: Client, deployment: Deployment): Promise<void> => {
  const set = await newestSet(client, deployment);
  const { replicas } = deployment.spec;
  const ready = { replicas, readyReplicas: replicas, availableReplicas: replicas };
  const report = (kind: ResourceKind, object: KubeObject, status: object) =>
    client.patch(
      kind,
      refOf(object),
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  await client.patch(ReplicaSet, refOf(set), { type: 'merge', body: { spec: { replicas } } });
  await report(ReplicaSet, set, { ...ready, observedGeneration: set.metadata.generation });
  const revision = String(revisionOf(set));
  const numbered = await client.patch(Deployment, refOf(deployment), {
    type: 'merge',
    body: { metadata: { annotations: { [REVISION]: revision } } },
  });
  await report(Deployment, deployment, {
    ...ready,
    updatedReplicas: replicas,
    observedGeneration: numbered.metadata.generation,
    conditions: [
      condition('Available', 'MinimumReplicasAvailable'),
      condition('Progressing', 'NewReplicaSetAvailable'),
    ],
  });
};

const complete = (client: Client, job: Job) =>
  client.patch(
    Job,
    refOf(job),
    {
      type: 'merge',
      body: {
        status: {
          succeeded: 1,
          startTime: LONG_AGO,
          completionTime: LONG_AGO,
          conditions: [
            condition('SuccessCriteriaMet', 'CompletionsReached'),
            condition('Complete', 'CompletionsReached'),
          ],
        },
      },
    },
    { subresource: 'status' },
  );

const follow = async <S extends KubeObject>(
  client: Client,
  kind: ResourceKind<S>,
  signal: AbortSignal,
  act: (object: S) => Promise<unknown>,
): Promise<void> => {
  try {
    for await (const { type, object } of client.watch(kind, { sendInitialEvents: true, signal })) {
      if (type === 'BOOKMARK' || type === 'DELETED') continue;
      if (object.metadata.deletionTimestamp !== undefined) continue;
      await act(object).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/** Does the work of kube-controller-manager that clients wait for, until the signal is aborted. */
export const simulateControllers = async (client: Client, signal: AbortSignal): Promise<void> => {
  await Promise.all([
    follow(client, Deployment, signal, (deployment) => rollOut(client, deployment)),
    follow(client, Job, signal, async (job) => {
      if (!sameJson(job.status ?? {}, {})) return;
      await complete(client, job);
    }),
  ]);
};
