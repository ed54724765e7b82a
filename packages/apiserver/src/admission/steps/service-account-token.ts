import type { JsonObject } from '@perigee/api/json';
import { generateName } from '@perigee/api/values/generated-name';
import { changedItems, objectAt, objectsAt, textAt } from '../../kinds/fields.ts';
import { metaOf } from '../../registry/metadata.ts';
import { keyOf } from '../../registry/registry.ts';
import type { AdmissionStep } from '../admission-step.ts';

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const MIRROR = 'kubernetes.io/config.mirror';
const TOKEN_SECONDS = 3607;

/** What a container needs to speak to its API server as its account. */
const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [
            { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
          ],
        },
      },
    ],
  },
});

const isMounted = (container: JsonObject): boolean =>
  objectsAt(container, 'volumeMounts').some((mount) => textAt(mount, 'mountPath') === TOKEN_PATH);

const withToken = (spec: JsonObject, name: string): JsonObject => {
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (container: JsonObject): JsonObject =>
    isMounted(container)
      ? container
      : { ...container, volumeMounts: [...objectsAt(container, 'volumeMounts'), mount] };
  const changed = ['initContainers', 'containers'].reduce(
    (pod, list) => changedItems(pod, list, mounted),
    spec,
  );
  if (changed === spec) return spec;
  return { ...changed, volumes: [...objectsAt(spec, 'volumes'), tokenVolume(name)] };
};

const wantsToken = (spec: JsonObject, account: JsonObject): boolean =>
  (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) === true;

/**
 * A new pod runs as a service account, with its token and its secrets for images. Only for clusters
 * that have the accounts: a pod whose account is not there stays without.
 */
export const serviceAccountToken: AdmissionStep = (
  registry,
  { resource, object, old, subresource },
) => {
  if (resource.group !== '' || resource.plural !== 'pods') return object;
  if (old !== undefined || subresource !== undefined) return object;
  const { namespace, annotations = {} } = metaOf(object);
  if (annotations[MIRROR] !== undefined) return object;
  const spec = objectAt(object, 'spec');
  const name = textAt(spec, 'serviceAccountName') || 'default';
  const named = { ...spec, serviceAccountName: name, serviceAccount: name };
  const account = registry.store.get(
    `${registry.cluster}//serviceaccounts`,
    keyOf(namespace, name),
  )?.object;
  if (account === undefined) return { ...object, spec: named };
  const secrets = objectsAt(account, 'imagePullSecrets');
  const pulling =
    objectsAt(spec, 'imagePullSecrets').length > 0 || secrets.length === 0
      ? named
      : { ...named, imagePullSecrets: secrets };
  if (!wantsToken(spec, account)) return { ...object, spec: pulling };
  const volume = generateName('kube-api-access-', () => registry.clock.random());
  return { ...object, spec: withToken(pulling, volume) };
};
