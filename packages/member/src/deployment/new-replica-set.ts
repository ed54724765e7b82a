import { createHash } from 'node:crypto';
import { safeEncode } from '@perigee/api/values/generated-name';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet, ReplicaSetWritten } from '@perigee/kubernetes/apps/replica-set';
import type { PodTemplate } from '@perigee/kubernetes/core/pod';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { annotationsOfNewSet, revisionOf, scaleAnnotations } from './annotations.ts';
import { newSetReplicas, oldestFirst, totalReplicas } from './roll.ts';

const HASH_LABEL = 'pod-template-hash';

const withSortedKeys = (value: JsonValue | undefined): JsonValue | undefined => {
  if (Array.isArray(value)) return value.map((item) => withSortedKeys(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.keys(object)
      .toSorted()
      .map((key) => [key, withSortedKeys(object[key])]),
  );
};

/** A short hash of a template. */
export const templateHash = (template: unknown, collisions = 0): string => {
  const text = JSON.stringify(withSortedKeys(template as JsonObject));
  const digest = createHash('sha256').update(`${collisions}:${text}`).digest();
  return safeEncode(String(digest.readUInt32BE(0)));
};

const withoutHash = ({ metadata, spec }: PodTemplate): JsonObject => {
  const { [HASH_LABEL]: _, ...labels } = metadata?.labels ?? {};
  const { creationTimestamp: __, ...rest } = metadata ?? {};
  return { metadata: { ...rest, labels }, spec } as unknown as JsonObject;
};

/** The ReplicaSet of the current template; the oldest of several. */
export const findNewSet = (
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): ReplicaSet | undefined => {
  const wantedTemplate = withoutHash(deployment.spec.template);
  return sets
    .toSorted(oldestFirst)
    .find(({ spec }) => sameJson(withoutHash(spec.template), wantedTemplate));
};

export const nextRevision = (old: readonly ReplicaSet[]): number =>
  Math.max(0, ...old.map(revisionOf)) + 1;

/** A ReplicaSet for the current template, at the largest size allowed at once. */
export const makeNewSet = (
  deployment: Deployment,
  old: readonly ReplicaSet[],
): ReplicaSetWritten => {
  const { metadata, spec, status } = deployment;
  const { template, selector, minReadySeconds } = spec;
  const hash = templateHash(withoutHash(template), status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const { namespace } = metadata;
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...present({ namespace }),
      labels,
      annotations: {
        ...annotationsOfNewSet(deployment, undefined, nextRevision(old)),
        ...scaleAnnotations(deployment),
      },
      ownerReferences: [
        ownerReferenceTo(deployment, { controller: true, blockOwnerDeletion: true }),
      ],
    },
    spec: {
      replicas: newSetReplicas(deployment, 0, totalReplicas(old)),
      ...present({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
};
