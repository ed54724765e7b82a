import { generateName } from '@perigee/api/values/generated-name';
import type { JsonObject } from '@perigee/schema/json';
import { changedItems, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { AdmissionStep } from '../../registry/draft.ts';
import { metaOf } from '../../registry/metadata.ts';
import { keyOf } from '../../registry/registry.ts';
import { forbidden } from '../../status/object-refusals.ts';

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
const DEFAULT_ACCOUNT = 'default';
const MIRROR = 'kubernetes.io/config.mirror';
const TOKEN_SECONDS = 3607;

/** The volume with which a container reaches its API server as its service account. */
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

const withToken = (spec: JsonObject, freshName: () => string): JsonObject => {
  const volumeNames = objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name'));
  const existingName = volumeNames.find((volume) => volume.startsWith(VOLUME_PREFIX));
  const name = existingName ?? freshName();
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (container: JsonObject): JsonObject =>
    isMounted(container)
      ? container
      : { ...container, volumeMounts: [...objectsAt(container, 'volumeMounts'), mount] };
  const mountedSpec = ['initContainers', 'containers'].reduce(
    (pod, list) => changedItems(pod, list, mounted),
    spec,
  );
  if (mountedSpec === spec || existingName !== undefined) return mountedSpec;
  return { ...mountedSpec, volumes: [...objectsAt(spec, 'volumes'), tokenVolume(name)] };
};

const wantsToken = (spec: JsonObject, account: JsonObject): boolean =>
  (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) === true;

/**
 * Gives a new pod its service account, with the token and the image pull secrets. A missing account refuses the
 * pod. The account of a new namespace may be a moment late: kube-apiserver waits for it, whereas here the pod stays
 * without a token.
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
  const name = textAt(spec, 'serviceAccountName') || DEFAULT_ACCOUNT;
  const accountSpec = { ...spec, serviceAccountName: name, serviceAccount: name };
  const account = registry.store.get(
    `${registry.cluster}//serviceaccounts`,
    keyOf(namespace, name),
  )?.object;
  if (account === undefined) {
    if (name === DEFAULT_ACCOUNT) return { ...object, spec: accountSpec };
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden(resource, metaOf(object).name ?? '', why);
  }
  const secrets = objectsAt(account, 'imagePullSecrets');
  const pulling =
    objectsAt(spec, 'imagePullSecrets').length > 0 || secrets.length === 0
      ? accountSpec
      : { ...accountSpec, imagePullSecrets: secrets };
  if (!wantsToken(spec, account)) return { ...object, spec: pulling };
  const freshName = () => generateName(VOLUME_PREFIX, () => registry.clock.random());
  return { ...object, spec: withToken(pulling, freshName) };
};
