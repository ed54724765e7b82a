import type { JsonObject } from '@perigee/schema/json';
import {
  changedAt,
  filled,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  withField,
} from '@perigee/schema/json-fields';
import type { Default } from '../type-defaults.ts';

/** The first address alone, which old clients write, decides when it differs from the list. */
const withPodAddresses = (status: JsonObject): JsonObject => {
  const address = textAt(status, 'podIP');
  const first = textAt(objectsAt(status, 'podIPs')[0] ?? {}, 'ip');
  if (address === first) return status;
  return address === ''
    ? withField(status, 'podIP', first)
    : withField(status, 'podIPs', [{ ip: address }]);
};

const withBlocks = (spec: JsonObject): JsonObject => {
  const block = textAt(spec, 'podCIDR');
  const first = textsAt(spec, 'podCIDRs')[0] ?? '';
  if (block === first) return spec;
  return block === '' ? withField(spec, 'podCIDR', first) : withField(spec, 'podCIDRs', [block]);
};

/** A node that says only what it has lets all of it be used. */
const withAllocatable = (status: JsonObject): JsonObject => {
  const capacity = objectAt(status, 'capacity');
  return Object.keys(capacity).length === 0 ? status : filled(status, { allocatable: capacity });
};

export const podAddresses: Default = (pod) => changedAt(pod, 'status', withPodAddresses);

export const node: Default = (object) =>
  changedAt(changedAt(object, 'spec', withBlocks), 'status', withAllocatable);
