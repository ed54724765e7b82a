import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Pod } from '@perigee/kubernetes/core/pod';
import { Secret } from '@perigee/kubernetes/core/secret';
import { isFinished } from '../pods/pod-state.ts';
import { processSpecOf } from '../processes/process-spec.ts';
import { type FindConfig, type MissingConfig, missingConfig } from './missing-config.ts';
import { mountedVolumes, sourcesOf } from './volume-sources.ts';

const BY_CONFIG = 'config-waited-for';

const keyOf = (kind: string, namespace: string, name = ''): string =>
  `${kind}/${namespace}/${name}`;

interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}

const referencesOf = (pod: Pod): readonly (readonly [string, Reference])[] => {
  const { containers, initContainers = [] } = processSpecOf(pod);
  const all = [...initContainers, ...containers];
  const maps = [
    ...mountedVolumes(pod)
      .flatMap(sourcesOf)
      .map(({ configMap }) => configMap),
    ...all.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef)),
    ...all.flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.configMapKeyRef)),
  ];
  const secrets = [
    ...mountedVolumes(pod)
      .flatMap(sourcesOf)
      .map(({ secret }) => secret),
    ...all.flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef)),
    ...all.flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.secretKeyRef)),
  ];
  return [
    ...maps.flatMap((ref) => (ref ? [[ConfigMap.kind, ref] as const] : [])),
    ...secrets.flatMap((ref) => (ref ? [[Secret.kind, ref] as const] : [])),
  ];
};

/** True while a container has yet to be created, for the first time or again. */
const isWaiting = (pod: Pod): boolean => {
  if (!pod.spec.nodeName || isFinished(pod)) return false;
  const { containerStatuses, initContainerStatuses = [] } = pod.status ?? {};
  if (containerStatuses === undefined) return true;
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.waiting);
};

/** Waiting pods only, so that running ones cost nothing when a ConfigMap changes. */
const waitedFor = (pod: Pod): readonly string[] => {
  if (!isWaiting(pod)) return [];
  const { namespace = '' } = pod.metadata;
  const requiredReferences = referencesOf(pod).filter(([, { optional }]) => !optional);
  return [...new Set(requiredReferences.map(([kind, { name }]) => keyOf(kind, namespace, name)))];
};

/** Finds the pods that wait for a ConfigMap or a Secret. */
export const configIndex: CacheIndex = index(Pod, BY_CONFIG, waitedFor);

const watchConfig = <T extends KubeObject>(kind: ResourceKind<T>): Source =>
  watch(kind, {
    // At the start every pod is reconciled anyway.
    atStart: false,
    map: ({ metadata: { namespace = '', name } }, caches) =>
      caches(Pod)
        .byIndex(BY_CONFIG, keyOf(kind.kind, namespace, name))
        .map(({ metadata }) => ({ namespace, name: metadata.name })),
  });

/** Retries pods when an object that they wait for appears or changes. */
export const configWatches: readonly Source[] = [watchConfig(ConfigMap), watchConfig(Secret)];

/** The objects that a waiting pod lacks now. */
export const missingNow = (pod: Pod, caches: Caches): MissingConfig | undefined => {
  if (!isWaiting(pod)) return undefined;
  const { namespace = '' } = pod.metadata;
  const find: FindConfig = (kind, name) =>
    kind === 'Secret'
      ? caches(Secret).get({ namespace, name })
      : caches(ConfigMap).get({ namespace, name });
  return missingConfig(pod, find);
};
