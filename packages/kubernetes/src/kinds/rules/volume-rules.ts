import { duplicate, type FieldError, forbidden, invalid, missing } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { dnsLabelAt, notEmpty, requireTexts } from './checks.ts';

type Errors = readonly FieldError[];

/** The field that names the source of a volume, for the commonest types of volumes. */
const NAMED_BY: { readonly [source: string]: string } = {
  secret: 'secretName',
  configMap: 'name',
  persistentVolumeClaim: 'claimName',
  hostPath: 'path',
};

/** Of several sources, the first in the order of Kubernetes counts. */
const IN_ORDER = ['emptyDir', 'hostPath', 'gitRepo', 'gcePersistentDisk', 'secret', 'nfs'];

const rank = (source: string): number => {
  const index = IN_ORDER.indexOf(source);
  return index < 0 ? IN_ORDER.length : index;
};

const checkSource = (volume: JsonObject, path: string): Errors => {
  const sources = Object.keys(volume)
    .filter((name) => name !== 'name' && volume[name] !== undefined)
    .toSorted((a, b) => rank(a) - rank(b));
  const [first = '', ...more] = sources;
  const name = NAMED_BY[first];
  const source = objectAt(volume, first);
  const at = `${path}.${first}`;
  return [
    ...more.map((other) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 volume type'),
    ),
    ...(name === undefined
      ? []
      : first === 'secret' || first === 'configMap'
        ? requireTexts(source, at, name)
        : notEmpty(source, at, name)),
  ];
};

/** The volumes that containers can mount, and what is wrong with the others. */
export const checkVolumes = (
  spec: JsonObject,
  path: string,
): { readonly names: ReadonlySet<string>; readonly errors: Errors } => {
  const names = new Set<string>();
  const errors = objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const name = textAt(volume, 'name');
    const problems = [
      ...checkSource(volume, at),
      ...notEmpty(volume, at, 'name'),
      ...dnsLabelAt(volume, at, 'name'),
      ...(names.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ];
    if (problems.length === 0) names.add(name);
    return problems;
  });
  return { names, errors };
};

export const checkMounts = (
  container: JsonObject,
  volumes: ReadonlySet<string>,
  path: string,
): Errors => {
  const paths = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const name = textAt(mount, 'name');
    const mountPath = textAt(mount, 'mountPath');
    const errors = [...notEmpty(mount, at, 'name')];
    if (mount.name !== undefined && !volumes.has(name)) errors.push(missing(`${at}.name`, name));
    errors.push(...notEmpty(mount, at, 'mountPath'));
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    return errors;
  });
};
