import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingSpec, BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isSameResource } from '@perigee/api/values/karmada-names';
import type { Labels } from '@perigee/api/values/label-requirement';
import { type LabelSelectorSpec, specSelects } from '@perigee/api/values/label-selector';
import { frameworkKinds, nativeKinds } from '../interpreter/known-kinds.ts';
import { carriedDataOf } from './data-marks.ts';

/** A workload as claims match it: its binding, and its labels. */
export interface ClaimingWork {
  readonly binding: {
    readonly metadata: Pick<ObjectMeta, 'annotations'>;
    readonly spec: BindingSpec;
  };
  /** The labels of the workload; absent if it cannot be read, for example because it is gone. */
  readonly labels?: Labels | undefined;
}

const keyText = (namespace: string, ...parts: readonly string[]): string =>
  JSON.stringify([namespace, ...parts]);

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

/** Kinds that run pods: those with counted pods, and those that do not report a count. */
const RUNS_PODS: ReadonlySet<string> = new Set([
  'apps/DaemonSet',
  'batch/CronJob',
  ...[...nativeKinds, ...frameworkKinds]
    .filter(({ demand, components }) => demand !== undefined || components !== undefined)
    .map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`),
]);

/**
 * True if the resource runs pods: a selector means workloads, not the ConfigMaps beside them. For
 * kinds with a customised interpreter, the binding shows it.
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

/** Index key of a claim: the workload that it names, or a label that it selects. */
export const claimKey = ({ metadata, spec }: DataSourceClaim): string => {
  const { workload, workloadSelector } = spec;
  const namespace = metadata.namespace ?? '';
  if (workload !== undefined) {
    return keyText(namespace, 'work', groupOf(workload.apiVersion), workload.kind, workload.name);
  }
  const [label] = Object.entries(workloadSelector?.matchLabels ?? {});
  return label === undefined ? keyText(namespace, 'any') : keyText(namespace, 'label', ...label);
};

/** All index keys of claims that may select a workload. */
const keysOfWork = (resource: BoundResource, labels: Labels = {}): readonly string[] => {
  const { apiVersion, kind, name, namespace } = resource;
  if (!namespace) return [];
  return [
    keyText(namespace, 'work', groupOf(apiVersion), kind, name),
    keyText(namespace, 'any'),
    ...Object.entries(labels).map((label) => keyText(namespace, 'label', ...label)),
  ];
};

/** The label of the Jobs of data operations; `flows`, which builds on this folder, writes it. */
const OPERATION = 'flows.perigee.io/operation';

/** True if a selector asks for a label, and not only for the absence of some. */
const asksForLabel = ({ matchLabels = {}, matchExpressions = [] }: LabelSelectorSpec): boolean =>
  Object.keys(matchLabels).length > 0 ||
  matchExpressions.some(({ operator }) => operator === 'In' || operator === 'Exists');

/**
 * True if a selector means a workload with these labels. Operations bring the data that other work waits for: unless
 * they are asked for by a label, they would wait for what they bring.
 */
const means = (selector: LabelSelectorSpec, labels: Labels): boolean =>
  (labels[OPERATION] === undefined || asksForLabel(selector)) && specSelects(selector, labels);

/**
 * True if the claim selects the workload. Claims never cross namespaces or select cluster-scoped
 * objects.
 */
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
    : means(workloadSelector, labels);
};

export interface ClaimFinder {
  /** Looks up by `claimKey`. */
  readonly byKey: (key: string) => readonly DataSourceClaim[];
  readonly byName: (namespace: string, name: string) => DataSourceClaim | undefined;
}

/** The claims that select a workload. A workload that cannot be read keeps its recorded claims. */
export const claimsOf = (work: ClaimingWork, find: ClaimFinder): readonly DataSourceClaim[] => {
  const { binding, labels } = work;
  const { resource } = binding.spec;
  const carriedClaims =
    labels === undefined && resource.namespace
      ? carriedDataOf(binding.metadata).map(({ claim }) =>
          find.byName(resource.namespace ?? '', claim),
        )
      : [];
  const candidates = [...keysOfWork(resource, labels).flatMap(find.byKey), ...carriedClaims];
  return [...new Set(candidates)].filter(
    (claim): claim is DataSourceClaim => claim !== undefined && concerns(claim, work),
  );
};
