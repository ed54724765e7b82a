import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn } from './fields.ts';
import type { Dependency } from './interpreter.ts';

/** Paths of Secret names in volume sources. */
const SECRET_VOLUMES: readonly (readonly string[])[] = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['cinder', 'secretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['scaleIO', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['storageos', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
];

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

type Kind = 'ConfigMap' | 'Secret' | 'ServiceAccount' | 'PersistentVolumeClaim';

function* namedByVolumes(podSpec: JsonObject): Generator<readonly [Kind, string]> {
  for (const volume of objectsIn(podSpec, 'volumes')) {
    for (const path of SECRET_VOLUMES) yield ['Secret', textIn(volume, ...path)];
    yield ['ConfigMap', textIn(volume, 'configMap', 'name')];
    yield ['PersistentVolumeClaim', textIn(volume, 'persistentVolumeClaim', 'claimName')];
    for (const source of objectsIn(volume, 'projected', 'sources')) {
      yield ['Secret', textIn(source, 'secret', 'name')];
      yield ['ConfigMap', textIn(source, 'configMap', 'name')];
    }
  }
}

function* namedByContainers(podSpec: JsonObject): Generator<readonly [Kind, string]> {
  for (const container of CONTAINERS.flatMap((field) => objectsIn(podSpec, field))) {
    for (const source of objectsIn(container, 'envFrom')) {
      yield ['Secret', textIn(source, 'secretRef', 'name')];
      yield ['ConfigMap', textIn(source, 'configMapRef', 'name')];
    }
    for (const variable of objectsIn(container, 'env')) {
      const source = objectIn(variable, 'valueFrom');
      yield ['Secret', textIn(source, 'secretKeyRef', 'name')];
      yield ['ConfigMap', textIn(source, 'configMapKeyRef', 'name')];
    }
  }
}

function* namedObjects(podSpec: JsonObject): Generator<readonly [Kind, string]> {
  for (const secret of objectsIn(podSpec, 'imagePullSecrets')) {
    yield ['Secret', textIn(secret, 'name')];
  }
  const account = textIn(podSpec, 'serviceAccountName');
  if (account !== 'default') yield ['ServiceAccount', account];
  yield* namedByVolumes(podSpec);
  yield* namedByContainers(podSpec);
}

/** The objects that a pod needs to start, deduplicated and sorted. */
export const podDependencies = (podSpec: JsonObject, namespace: string): readonly Dependency[] => {
  const dependencies = new Map<string, Dependency>();
  for (const [kind, name] of namedObjects(podSpec)) {
    if (name !== '')
      dependencies.set(`${kind}/${name}`, { apiVersion: 'v1', kind, namespace, name });
  }
  return [...dependencies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
};
