import type { JsonObject } from '@perigee/schema/json';
import { age, text, textColumn, wide } from './column.ts';
import { at, isBeingDeleted, textAt, textsAt } from './fields.ts';
import { quantityText } from './quantity-cell.ts';

const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

const accessModes = (object: JsonObject, ...path: readonly string[]): string => {
  const modes = textsAt(object, ...path);
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
};

const phase = (object: JsonObject): string =>
  isBeingDeleted(object) ? 'Terminating' : textAt(object, 'status', 'phase');

const storageClass = (object: JsonObject): string =>
  textAt(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') ||
  textAt(object, 'spec', 'storageClassName');

const classColumns = [
  text('StorageClass', 'The class of storage that it is of.', storageClass),
  textColumn(
    'VolumeAttributesClass',
    'The class of its adjustable attributes.',
    ['spec', 'volumeAttributesClassName'],
    '<unset>',
  ),
];

const volumeMode = wide(
  'VolumeMode',
  'Whether it is a file system or a bare device.',
  (object) => textAt(object, 'spec', 'volumeMode') || '<unset>',
);

export const persistentVolumeColumns = [
  text('Capacity', 'How much it holds.', (object) =>
    quantityText(at(object, 'spec', 'capacity', 'storage')),
  ),
  text('Access Modes', 'How it may be mounted.', (object) =>
    accessModes(object, 'spec', 'accessModes'),
  ),
  textColumn('Reclaim Policy', 'What becomes of it after its claim.', [
    'spec',
    'persistentVolumeReclaimPolicy',
  ]),
  text('Status', 'Whether it is free, in use or broken.', phase),
  text('Claim', 'The claim that it is bound to.', (object) => {
    const claim = at(object, 'spec', 'claimRef');
    return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
  }),
  ...classColumns,
  textColumn('Reason', 'Why it is in this state.', ['status', 'reason']),
  age,
  volumeMode,
];

const isBound = (claim: JsonObject): boolean => textAt(claim, 'spec', 'volumeName') !== '';

export const persistentVolumeClaimColumns = [
  text('Status', 'Whether it has its volume.', phase),
  textColumn('Volume', 'The volume that it is bound to.', ['spec', 'volumeName']),
  text('Capacity', 'How much that volume holds.', (claim) =>
    isBound(claim) ? quantityText(at(claim, 'status', 'capacity', 'storage')) : '',
  ),
  text('Access Modes', 'How that volume may be mounted.', (claim) =>
    isBound(claim) ? accessModes(claim, 'status', 'accessModes') : '',
  ),
  ...classColumns,
  age,
  volumeMode,
];

const isDefaultClass = (object: JsonObject): boolean =>
  [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ].some((key) => textAt(object, 'metadata', 'annotations', key) === 'true');

export const storageClassColumns = [
  text(
    'Name',
    'The name of the class, and whether claims get it that name none.',
    (object) => textAt(object, 'metadata', 'name') + (isDefaultClass(object) ? ' (default)' : ''),
  ),
  textColumn('Provisioner', 'Who makes volumes of this class.', ['provisioner']),
  textColumn('ReclaimPolicy', 'What becomes of its volumes.', ['reclaimPolicy'], 'Delete'),
  textColumn(
    'VolumeBindingMode',
    'When a claim gets its volume.',
    ['volumeBindingMode'],
    'Immediate',
  ),
  text(
    'AllowVolumeExpansion',
    'Whether its volumes can grow.',
    (object) => object.allowVolumeExpansion === true,
  ),
  age,
];
