import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt, withField } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { checkQualifiedName } from '@perigee/schema/values/names';
import {
  compareQuantities,
  type Quantity,
  signOfQuantity,
  ZERO,
} from '@perigee/schema/values/quantity';
import { formatQuantity } from '@perigee/schema/values/quantity-text';
import { readQuantity } from '../quantities.ts';
import type { Rule } from '../type-rules.ts';
import { checkUnchanged, dnsSubdomainAt } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

const checkModes = (spec: JsonObject, path: string, ifNone: string): Errors => {
  const modes = textsAt(spec, 'accessModes');
  const field = `${path}.accessModes`;
  if (modes.length === 0) return [required(field, ifNone)];
  return [
    ...modes
      .filter((mode) => !ACCESS_MODES.includes(mode))
      .map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(modes.includes('ReadWriteOncePod') && new Set(modes).size > 1
      ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
};

const checkSize = (list: JsonObject, field: string): Errors => {
  const size = readQuantity(list.storage);
  return size !== undefined && signOfQuantity(size) <= 0
    ? [invalid(field, formatQuantity(size), 'must be greater than zero')]
    : [];
};

const claimSpecRule: Rule = (spec, path) => {
  const requests = objectAt(spec, 'resources', 'requests');
  const field = `${path}.resources[storage]`;
  return [
    ...checkModes(spec, path, 'at least 1 access mode is required'),
    ...(requests.storage === undefined ? [required(field)] : checkSize(requests, field)),
    ...dnsSubdomainAt(spec, path, 'storageClassName'),
  ];
};

export const STORAGE_RULES: readonly (readonly [type: string, rule: Rule])[] = [
  ['core.v1.PersistentVolumeClaimSpec', claimSpecRule],
];

/** The immutable fields of a claim; a bound one can change its size and attributes, but not lose its size. */
const fixedOfClaim = (claim: JsonObject, isBound: boolean, hasVolume: boolean): JsonObject => {
  const spec = objectAt(claim, 'spec');
  const { volumeName, volumeAttributesClassName, resources, ...rest } = spec;
  const isSized = objectAt(spec, 'resources').requests !== undefined;
  return {
    ...rest,
    ...(isBound ? { isSized } : { resources, volumeAttributesClassName }),
    ...(hasVolume ? { volumeName } : {}),
  };
};

/** A claim can shrink while its expansion has failed, but not below the size that it has. */
const checkShrinking = (claim: JsonObject, old: JsonObject): readonly FieldError[] => {
  const sizeAt = (object: JsonObject, ...path: readonly string[]): Quantity =>
    readQuantity(objectAt(object, ...path).storage) ?? ZERO;
  const size = sizeAt(claim, 'spec', 'resources', 'requests');
  const isLess =
    compareQuantities(size, sizeAt(old, 'spec', 'resources', 'requests')) < 0 &&
    compareQuantities(size, sizeAt(old, 'status', 'capacity')) <= 0;
  return isLess
    ? [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')]
    : [];
};

const claim: KindRule = (object, old) => {
  if (old === undefined) return [];
  const isBound = objectAt(object, 'status').phase === 'Bound';
  const before = objectAt(old, 'spec');
  const hasVolume = before.volumeName !== undefined;
  // A claim that was made before there was a default class may get that class later.
  const spec = objectAt(object, 'spec');
  const classed =
    before.storageClassName === undefined
      ? { ...object, spec: withField(spec, 'storageClassName', undefined) }
      : object;
  const isSame = sameJson(
    fixedOfClaim(classed, isBound, hasVolume),
    fixedOfClaim(old, isBound, hasVolume),
  );
  return [
    ...(isSame
      ? []
      : [
          forbidden(
            'spec',
            'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ),
        ]),
    ...checkShrinking(object, old),
    ...checkUnchanged(spec.volumeMode, before.volumeMode, 'volumeMode'),
  ];
};

/** The fields of a volume that are not its source. */
const BESIDE_SOURCE = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

const sourcesOf = (spec: JsonObject): readonly string[] =>
  Object.keys(spec)
    .filter((name) => !BESIDE_SOURCE.has(name) && spec[name] !== undefined)
    .toSorted((a, b) => Number(b === 'hostPath') - Number(a === 'hostPath'));

const volume: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  const capacity = objectAt(spec, 'capacity');
  const names = Object.keys(capacity);
  const [source, ...more] = sourcesOf(spec);
  const isMoved =
    old !== undefined &&
    source !== undefined &&
    !sameJson(spec[source], objectAt(old, 'spec')[source]);
  return [
    ...checkModes(spec, 'spec', ''),
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(names.length === 1 && names[0] === 'storage'
      ? []
      : [notSupported('spec.capacity', names.length === 0 ? null : capacity, ['storage'])]),
    ...checkSize(capacity, 'spec.capacity[storage]'),
    ...(source === undefined ? [required('spec', 'must specify a volume type')] : []),
    ...more.map((other) => forbidden(`spec.${other}`, 'may not specify more than 1 volume type')),
    ...(isMoved
      ? [
          forbidden(
            'spec.persistentvolumesource',
            'spec.persistentvolumesource is immutable after creation',
          ),
        ]
      : []),
  ];
};

const RECLAIMS = ['Delete', 'Retain'];

const storageClass: KindRule = (object, old) => [
  ...(RECLAIMS.includes(textAt(object, 'reclaimPolicy'))
    ? []
    : [notSupported('reclaimPolicy', textAt(object, 'reclaimPolicy'), RECLAIMS)]),
  ...(object.provisioner === '' ? [required('provisioner')] : []),
  ...(textAt(object, 'provisioner') === ''
    ? []
    : checkQualifiedName(textAt(object, 'provisioner').toLowerCase()).map((problem) =>
        invalid('provisioner', textAt(object, 'provisioner'), problem),
      )),
  ...(old === undefined
    ? []
    : ['provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
        checkUnchanged(textAt(object, name), textAt(old, name), name),
      )),
  ...(old === undefined ? [] : checkUnchanged(object.parameters, old.parameters, 'parameters')),
];

export const STORAGE_KIND_RULES: KindRules = [
  ['core.v1.PersistentVolumeClaim', claim],
  ['core.v1.PersistentVolume', volume],
  ['storage.v1.StorageClass', storageClass],
];
