import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingSpec, BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isSameResource } from '@perigee/api/values/karmada-names';
import type { Labels } from '@perigee/api/values/label-requirement';
import { specSelects } from '@perigee/api/values/label-selector';
import { frameworkKinds, nativeKinds } from '../interpreter/known-kinds.ts';
import { carriedDataOf } from './data-marks.ts';

/** A workload as claims see it: its binding, and what is known of itself. */
export interface ClaimingWork {
  readonly binding: {
    readonly metadata: Pick<ObjectMeta, 'annotations'>;
    readonly spec: BindingSpec;
  };
  /** The labels of the workload itself; absent when it cannot be read, as when it is gone. */
  readonly labels?: Labels | undefined;
}

const keyed = (namespace: string, ...parts: readonly string[]): string =>
  JSON.stringify([namespace, ...parts]);

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

/** Kinds that run pods: those whose pods are counted, and those that do not tell how many they run. */
const RUNS_PODS: ReadonlySet<string> = new Set([
  'apps/DaemonSet',
  'batch/CronJob',
  ...[...nativeKinds, ...frameworkKinds]
    .filter(({ demand, components }) => demand !== undefined || components !== undefined)
    .map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`),
]);

/**
 * Whether something runs pods: a selector means workloads, not the ConfigMaps beside them. Of kinds that only a
 * customised interpreter knows, the binding tells.
 */
export const runsPods = ({
  resource,
  replicas,
  replicaRequirements,
  components = [],
}: BindingSpec) =>
  replicas !== undefined ||
  replicaRequirements !== undefined ||
  components.length > 0 ||
  RUNS_PODS.has(`${groupOf(resource.apiVersion)}/${resource.kind}`);

/** The one key under which a claim is found: by the workload that it names, or by a label that it asks for. */
export const claimKey = ({ metadata, spec }: DataSourceClaim): string => {
  const { workload, workloadSelector } = spec;
  const namespace = metadata.namespace ?? '';
  if (workload !== undefined) {
    return keyed(namespace, 'work', groupOf(workload.apiVersion), workload.kind, workload.name);
  }
  const [label] = Object.entries(workloadSelector?.matchLabels ?? {});
  return label === undefined ? keyed(namespace, 'any') : keyed(namespace, 'label', ...label);
};

/** All keys under which claims may be that concern a workload. */
const keysOfWork = (resource: BoundResource, labels: Labels = {}): readonly string[] => {
  const { apiVersion, kind, name, namespace } = resource;
  if (!namespace) return [];
  return [
    keyed(namespace, 'work', groupOf(apiVersion), kind, name),
    keyed(namespace, 'any'),
    ...Object.entries(labels).map((label) => keyed(namespace, 'label', ...label)),
  ];
};

/** Whether a claim is about a workload. It never is about one of another namespace, or of none. */
const concerns = ({ metadata, spec }: DataSourceClaim, work: ClaimingWork): boolean => {
  const { binding, labels } = work;
  const { resource } = binding.spec;
  if (!metadata.namespace || metadata.namespace !== resource.namespace) return false;
  const { workload, workloadSelector } = spec;
  if (workload !== undefined) {
    return isSameResource({ ...workload, namespace: metadata.namespace }, resource);
  }
  if (workloadSelector === undefined || !runsPods(binding.spec)) return false;
  return labels === undefined
    ? carriedDataOf(binding.metadata).some(({ claim }) => claim === metadata.name)
    : specSelects(workloadSelector, labels);
};

/** Finds claims. */
export interface ClaimFinder {
  /** By `claimKey`. */
  readonly byKey: (key: string) => readonly DataSourceClaim[];
  readonly byName: (namespace: string, name: string) => DataSourceClaim | undefined;
}

/** The claims that concern a workload. One that can no longer be read keeps those that it had. */
export const claimsOf = (work: ClaimingWork, find: ClaimFinder): readonly DataSourceClaim[] => {
  const { binding, labels } = work;
  const { resource } = binding.spec;
  const kept =
    labels === undefined && resource.namespace
      ? carriedDataOf(binding.metadata).map(({ claim }) =>
          find.byName(resource.namespace ?? '', claim),
        )
      : [];
  const found = [...keysOfWork(resource, labels).flatMap(find.byKey), ...kept];
  return [...new Set(found)].filter(
    (claim): claim is DataSourceClaim => claim !== undefined && concerns(claim, work),
  );
};
