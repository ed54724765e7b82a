import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { portWarnings } from './port-warnings.ts';

type Texts = readonly string[];

const NO_FUNCTION = (since: string, field: string): string =>
  `non-functional in ${since}+; use the "${field}" field instead`;

const DEPRECATED_NOTES: { readonly [key: string]: string } = {
  'scheduler.alpha.kubernetes.io/critical-pod': NO_FUNCTION('v1.16', 'priorityClassName'),
  'security.alpha.kubernetes.io/sysctls': NO_FUNCTION('v1.11', 'sysctls'),
  'security.alpha.kubernetes.io/unsafe-sysctls': NO_FUNCTION('v1.11', 'sysctls'),
};

const DEPRECATED_VOLUMES: { readonly [source: string]: string } = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

const SELECTS_NOTHING = 'a null labelSelector results in matching no pod';

/** Warnings about entries of a list with the same key. */
const repeated = (spec: JsonObject, list: string, key: string, path: string): Texts => {
  const keys = new Set<string>();
  return objectsAt(spec, list).flatMap((item, index) => {
    const text = textAt(item, key);
    if (!keys.has(text)) {
      keys.add(text);
      return [];
    }
    return [`${path}.${list}[${index}].${key}: duplicate ${key} ${goQuote(text)}`];
  });
};

const affinityWarnings = (spec: JsonObject, path: string): Texts =>
  ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(spec, 'affinity', kind);
    const at = `${path}.affinity.${kind}`;
    const requiredField = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferredField = 'preferredDuringSchedulingIgnoredDuringExecution';
    return [
      ...objectsAt(affinity, requiredField).flatMap((term, index) =>
        term.labelSelector === undefined
          ? [`${at}.${requiredField}[${index}].labelSelector: ${SELECTS_NOTHING}`]
          : [],
      ),
      ...objectsAt(affinity, preferredField).flatMap((term, index) =>
        objectAt(term, 'podAffinityTerm').labelSelector === undefined
          ? [`${at}.${preferredField}[${index}].podAffinityTerm.labelSelector: ${SELECTS_NOTHING}`]
          : [],
      ),
    ];
  });

/** A variable may build upon an earlier one of its name; otherwise that one is lost. */
const variableWarnings = (container: JsonObject, path: string): Texts => {
  const names = new Set<string>();
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const name = textAt(variable, 'name');
    const reference = `$(${name})`;
    const value = textAt(variable, 'value');
    const isNew = !names.has(name);
    names.add(name);
    const buildsOn =
      variable.valueFrom === undefined && value !== reference && value.includes(reference);
    return isNew || buildsOn
      ? []
      : [
          `${path}.env[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
        ];
  });
};

/** Warnings about a pod, or about the template of pods at a path. */
export const podWarnings = (pod: JsonObject, at: string): Texts => {
  const spec = objectAt(pod, 'spec');
  const path = `${at}spec`;
  const notes = mapAt(pod, 'metadata', 'annotations');
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, list).map(
      (container, index) => [container, `${path}.${list}[${index}]`] as const,
    ),
  );
  return [
    ...objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
      constraint.labelSelector === undefined
        ? [`${path}.topologySpreadConstraints[${index}].labelSelector: ${SELECTS_NOTHING}`]
        : [],
    ),
    ...Object.entries(DEPRECATED_NOTES).flatMap(([key, why]) =>
      notes[key] === undefined ? [] : [`${at}metadata.annotations[${key}]: ${why}`],
    ),
    ...objectsAt(spec, 'volumes').flatMap((volume, index) =>
      Object.entries(DEPRECATED_VOLUMES).flatMap(([source, why]) =>
        volume[source] === undefined ? [] : [`${path}.volumes[${index}].${source}: ${why}`],
      ),
    ),
    ...repeated(spec, 'hostAliases', 'ip', path),
    ...repeated(spec, 'imagePullSecrets', 'name', path),
    ...objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) =>
      textAt(secret, 'name') === ''
        ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`]
        : [],
    ),
    ...containers.flatMap(([container, where]) => variableWarnings(container, where)),
    ...portWarnings(containers),
    ...((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
      ? [
          `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, path),
  ];
};
