import { int64, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import type { ValidationRule } from '@perigee/schema/structural/structural-schema';

/** Pieces that a cluster's record and a scheduler's summary of its clusters have in common. */

const NAME = { maxLength: 128 };

export const geoLocationFields = {
  city: optional(string('The city.', NAME)),
  province: optional(string('The province or state.', NAME)),
  area: optional(string('The part of the country, such as West.', NAME)),
  country: optional(string('The country, best as its two-letter ISO code.', NAME)),
};

export const geoLocation = (description: string) => object(description, geoLocationFields);

export const regionFields = {
  region: optional(string('The region of the provider, such as us-west.', NAME)),
  availabilityZone: optional(string('The zone within the region, such as us-west-1.', NAME)),
};

export const operatorFields = {
  operator: optional(string('The name of the operator.', NAME)),
};

export const flavorFields = {
  flavorID: string('The name of the machine size, such as small or 2xlarge.', {
    minLength: 1,
    maxLength: 63,
  }),
  totalCapacity: int64('How many machines of this size there are.', { minimum: 0 }),
};

export const storageFields = {
  typeID: oneOf('The kind of disk.', ['sata', 'sas', 'ssd']),
  storageCapacity: int64('How much there is, in GiB.', { minimum: 0 }),
};

export const eipCapacity = () =>
  int64('How many public (elastic) IP addresses there are.', { minimum: 0 });
export const cpuCapacity = () => int64('How many CPU cores there are.', { minimum: 0 });
export const memCapacity = () => int64('How much memory there is, in GiB.', { minimum: 0 });

const HOST_NAME = '[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?';
const IPV6 = '[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*';

/** An IPv4 or IPv6 address or a host name; checked for its characters only. */
export const hostAddress = (description: string) =>
  check(string(description, { maxLength: 253 }), {
    rule: `self.matches('^(${HOST_NAME}|${IPV6})$')`,
    message: 'must be an IPv4 or IPv6 address or a host name',
  });

/**
 * For an atomic list of objects that differ in one field. It is not a list-map, because in
 * server-side apply a list-map refuses an element whose key is written in another spelling.
 */
export const distinct = (field: string): ValidationRule => ({
  rule: `self.all(a, self.exists_one(b, a.${field} == b.${field}))`,
  message: `every ${field} may appear only once`,
});

export type GeoLocation = StoredOf<ReturnType<typeof geoLocation>>;
