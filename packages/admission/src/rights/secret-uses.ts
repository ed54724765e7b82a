import { podDependencies } from '@perigee/scheduling/interpreter/pod-dependencies';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';

/** A Secret that an object names, or all those that it selects. */
export interface NamedSecret {
  /** The field that names it. */
  readonly field: string;
  /** Empty for every namespace. */
  readonly namespace: string;
  /** Empty for every Secret. */
  readonly name: string;
}

/** Uses of Secrets by an object. */
interface SecretUses {
  readonly secrets: readonly NamedSecret[];
  /** All fields that decide where the content goes: a user who changes them gets access to the content. */
  readonly usage: JsonValue;
}

type UsesOf = (spec: JsonObject, namespace: string) => SecretUses;

const referenceAt = (spec: JsonObject, field: string): readonly NamedSecret[] => {
  const { namespace, name } = { namespace: '', name: '', ...objectAt(spec, field) };
  return name === ''
    ? []
    : [{ field: `spec.${field}`, namespace: `${namespace}`, name: `${name}` }];
};

/** Options whose values stand in Secrets of the namespace of their object. */
const optionsAt = (
  place: JsonObject,
  list: string,
  at: string,
  namespace: string,
): readonly NamedSecret[] =>
  objectsAt(place, list).flatMap((option, index) => {
    const name = textAt(objectAt(option, 'valueFrom', 'secretKeyRef'), 'name');
    const field = `${at}.${list}[${index}].valueFrom.secretKeyRef`;
    return name === '' ? [] : [{ field, namespace, name }];
  });

const inventoryCluster: UsesOf = (spec) => ({
  secrets: referenceAt(spec, 'secretRef'),
  usage: [textAt(spec, 'type'), textAt(spec, 'apiEndpoint')],
});

const executionTarget: UsesOf = (spec) => ({
  secrets: [...referenceAt(spec, 'secretRef'), ...referenceAt(spec, 'impersonatorSecretRef')],
  usage: [
    textAt(spec, 'apiEndpoint'),
    textAt(spec, 'proxyURL'),
    objectAt(spec, 'proxyHeader'),
    spec.insecureSkipTLSVerification === true,
  ],
});

const dataset: UsesOf = (spec, namespace) => ({
  secrets: [
    ...optionsAt(spec, 'sharedEncryptOptions', 'spec', namespace),
    ...objectsAt(spec, 'mounts').flatMap((mount, index) =>
      optionsAt(mount, 'encryptOptions', `spec.mounts[${index}]`, namespace),
    ),
    ...optionsAt(
      objectAt(spec, 'dataRestoreLocation'),
      'encryptOptions',
      'spec.dataRestoreLocation',
      namespace,
    ),
  ],
  usage: [
    spec.mounts ?? [],
    spec.sharedOptions ?? {},
    spec.sharedEncryptOptions ?? [],
    spec.dataRestoreLocation ?? {},
  ],
});

const dataBackup: UsesOf = (spec, namespace) => ({
  secrets: optionsAt(spec, 'encryptOptions', 'spec', namespace),
  usage: [spec.backupPath ?? '', spec.options ?? {}, spec.encryptOptions ?? []],
});

const dataMigrate: UsesOf = (spec, namespace) => {
  const ssh = textAt(objectAt(spec, 'parallelOptions'), 'sshSecretName');
  return {
    secrets: [
      ...['from', 'to'].flatMap((end) =>
        optionsAt(
          objectAt(spec, end, 'externalStorage'),
          'encryptOptions',
          `spec.${end}.externalStorage`,
          namespace,
        ),
      ),
      ...(ssh === ''
        ? []
        : [{ field: 'spec.parallelOptions[sshSecretName]', namespace, name: ssh }]),
    ],
    // Its image and its options are programs and their arguments.
    usage: spec,
  };
};

/** Its pods read the Secrets that they name, in any cluster. */
const dataProcess: UsesOf = (spec, namespace) => {
  const processor = objectAt(spec, 'processor');
  const script = objectAt(processor, 'script');
  const pod = objectAt(processor, 'job', 'podSpec');
  const scriptPod = { volumes: script.volumes ?? [], containers: [script] };
  const secretsOf = (podSpec: JsonObject, field: string): readonly NamedSecret[] =>
    podDependencies(podSpec, namespace).flatMap(({ kind, name = '' }) =>
      kind === 'Secret' ? [{ field, namespace, name }] : [],
    );
  return {
    secrets: [
      ...secretsOf(scriptPod, 'spec.processor.script'),
      ...secretsOf(pod, 'spec.processor.job.podSpec'),
    ],
    usage: processor,
  };
};

const isSecret = (reference: JsonObject): boolean =>
  reference.kind === 'Secret' && reference.apiVersion === 'v1';

/** A policy propagates the selected objects to clusters where others may read them. */
const propagation: UsesOf = (spec, namespace) => ({
  secrets: objectsAt(spec, 'resourceSelectors').flatMap((selector, index) =>
    isSecret(selector)
      ? [
          {
            field: `spec.resourceSelectors[${index}]`,
            namespace: textAt(selector, 'namespace') || namespace,
            name: textAt(selector, 'name'),
          },
        ]
      : [],
  ),
  usage: spec.placement ?? {},
});

/** The scheduler chooses the clusters of a binding, and reads no Secrets. */
const binding: UsesOf = (spec) => {
  const resource = objectAt(spec, 'resource');
  const [namespace, name] = [textAt(resource, 'namespace'), textAt(resource, 'name')];
  const secrets = isSecret(resource) ? [{ field: 'spec.resource', namespace, name }] : [];
  return { secrets, usage: [] };
};

/** Extractors by plural and group of each kind that references Secrets. */
const USES: { readonly [resource: string]: UsesOf } = {
  'clusters.globalscheduler.com': inventoryCluster,
  'clusters.cluster.karmada.io': executionTarget,
  'datasets.data.fluid.io': dataset,
  'datamigrates.data.fluid.io': dataMigrate,
  'databackups.data.fluid.io': dataBackup,
  'dataprocesses.data.fluid.io': dataProcess,
  'propagationpolicies.policy.karmada.io': propagation,
  'clusterpropagationpolicies.policy.karmada.io': propagation,
  'resourcebindings.work.karmada.io': binding,
  'clusterresourcebindings.work.karmada.io': binding,
};

const usesIn = (uses: UsesOf, object: JsonObject): SecretUses =>
  uses(objectAt(object, 'spec'), textAt(objectAt(object, 'metadata'), 'namespace'));

const keyOf = ({ field, namespace, name }: NamedSecret): string =>
  JSON.stringify([field.replaceAll(/\[\d+\]/g, ''), namespace, name]);

/**
 * The Secrets that a write discloses: new references, and all of them when the destination of their content
 * changes. The author of the write needs the permission to read these. A write that changes neither discloses none,
 * whoever its author is.
 */
export const releasedSecrets = (
  { group, plural }: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NamedSecret[] => {
  const uses = USES[`${plural}.${group}`];
  if (uses === undefined) return [];
  const { secrets, usage } = usesIn(uses, object);
  if (old === undefined || secrets.length === 0) return secrets;
  const before = usesIn(uses, old);
  if (!sameJson(usage, before.usage)) return secrets;
  const earlierSecrets = new Set(before.secrets.map(keyOf));
  return secrets.filter((secret) => !earlierSecrets.has(keyOf(secret)));
};
