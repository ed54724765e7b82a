import type { Pod } from '@perigee/kubernetes/core/pod';
import {
  type KeyedSource,
  type ProcessContainer,
  type ProcessVolume,
  processSpecOf,
} from '../processes/process-spec.ts';
import { mountedVolumes, sourcesOf } from './volume-sources.ts';

type ConfigKind = 'ConfigMap' | 'Secret';

interface ConfigData {
  readonly data?: { readonly [key: string]: string };
  readonly binaryData?: { readonly [key: string]: string };
}

/** Finds an object of the namespace of the pod. */
export type FindConfig = (kind: ConfigKind, name: string) => ConfigData | undefined;

/** The missing references of a pod, in the words of a kubelet. */
export interface MissingConfig {
  /** A message for each volume that cannot be mounted. */
  readonly volumes: readonly string[];
  /** A message for each container that cannot be created, by container name. */
  readonly containers: ReadonlyMap<string, string>;
}

export const notFound = (kind: ConfigKind, name: string): string =>
  `${kind.toLowerCase()} "${name}" not found`;

export const noSuchKey = (kind: ConfigKind, key: string): string =>
  kind === 'ConfigMap'
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`;

export const cannotMount = (volume: string, message: string): string =>
  `MountVolume.SetUp failed for volume "${volume}" : ${message}`;

const has = (map: object | undefined, key: string): boolean =>
  map !== undefined && Object.hasOwn(map, key);

const sourceProblem = (
  kind: ConfigKind,
  { name = '', items = [], optional = false }: KeyedSource,
  find: FindConfig,
): string | undefined => {
  if (optional) return undefined;
  const source = find(kind, name);
  if (source === undefined) return notFound(kind, name);
  const missingItem = items.find(
    ({ key }) => !(has(source.data, key) || has(source.binaryData, key)),
  );
  return missingItem && noSuchKey(kind, missingItem.key);
};

const volumeProblem = (volume: ProcessVolume, find: FindConfig): string | undefined => {
  for (const { configMap, secret } of sourcesOf(volume)) {
    const problem =
      (configMap && sourceProblem('ConfigMap', configMap, find)) ??
      (secret && sourceProblem('Secret', secret, find));
    if (problem !== undefined) return cannotMount(volume.name, problem);
  }
  return undefined;
};

const containerProblem = (
  { env = [], envFrom = [] }: ProcessContainer,
  namespace: string,
  find: FindConfig,
): string | undefined => {
  for (const { configMapRef, secretRef } of envFrom) {
    const problem =
      (configMapRef && sourceProblem('ConfigMap', configMapRef, find)) ??
      (secretRef && sourceProblem('Secret', secretRef, find));
    if (problem !== undefined) return problem;
  }
  for (const { valueFrom: { configMapKeyRef, secretKeyRef } = {} } of env) {
    for (const [kind, ref] of [
      ['ConfigMap', configMapKeyRef],
      ['Secret', secretKeyRef],
    ] as const) {
      if (ref === undefined || ref.optional) continue;
      const { name = '', key } = ref;
      const keyedSource = find(kind, name);
      if (keyedSource === undefined) return notFound(kind, name);
      // Environment variables are text: like a kubelet, skip binary data.
      if (!has(keyedSource.data, key))
        return `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
    }
  }
  return undefined;
};

/** The missing references that keep a pod from starting; undefined when everything is there. */
export const missingConfig = (pod: Pod, find: FindConfig): MissingConfig | undefined => {
  const { namespace = '' } = pod.metadata;
  const { containers, initContainers = [] } = processSpecOf(pod);
  const volumes = mountedVolumes(pod).flatMap((volume) => volumeProblem(volume, find) ?? []);
  const problems = [...initContainers, ...containers].flatMap((container) => {
    const problem = containerProblem(container, namespace, find);
    return problem === undefined ? [] : [[container.name, problem] as const];
  });
  if (volumes.length === 0 && problems.length === 0) return undefined;
  return { volumes, containers: new Map(problems) };
};
