import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { rollingBounds, wantedReplicas } from './rolling-bounds.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

const LONGEST_HISTORY = 2000;

type Annotations = { readonly [key: string]: string };

export const revisionOf = ({ metadata }: Pick<ReplicaSet, 'metadata'>): number => {
  const annotation = metadata.annotations?.[REVISION] ?? '';
  return /^\d+$/.test(annotation) ? Number(annotation) : 0;
};

/** A ReplicaSet that is rolled back to keeps its earlier revisions in the history. */
const withHistory = (annotations: Annotations, before: string): Annotations => {
  const revisions = (annotations[REVISION_HISTORY] ?? '').split(',').filter(Boolean);
  revisions.push(before);
  while (revisions.join(',').length > LONGEST_HISTORY) revisions.shift();
  return { ...annotations, [REVISION_HISTORY]: revisions.join(',') };
};

/** Annotations of the new ReplicaSet: those of the deployment, and the revision. */
export const annotationsOfNewSet = (
  deployment: Deployment,
  present: Annotations | undefined,
  revision: number,
): Annotations => {
  const own = Object.entries(deployment.metadata.annotations ?? {});
  const copiedAnnotations: Annotations = {
    ...present,
    ...Object.fromEntries(own.filter(([key]) => !NOT_COPIED.has(key))),
  };
  const before = present?.[REVISION];
  if (before !== undefined && Number(before) >= revision) return copiedAnnotations;
  const next = { ...copiedAnnotations, [REVISION]: String(revision) };
  return before === undefined ? next : withHistory(next, before);
};

/** Records the size of the deployment, for scaling in proportion later. */
export const scaleAnnotations = (deployment: Deployment): Annotations => {
  const wantedSize = wantedReplicas(deployment);
  return {
    [DESIRED_REPLICAS]: String(wantedSize),
    [MAX_REPLICAS]: String(wantedSize + rollingBounds(deployment).maxSurge),
  };
};
