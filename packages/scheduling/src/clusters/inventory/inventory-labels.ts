import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';

/** Labels of an execution target for location and owner. */
export const INVENTORY_LABELS = {
  type: 'globalscheduler.com/type',
  city: 'globalscheduler.com/city',
  province: 'globalscheduler.com/province',
  area: 'globalscheduler.com/area',
  country: 'globalscheduler.com/country',
  provider: 'globalscheduler.com/provider',
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
} as const;

export type Labels = { readonly [label: string]: string };

const LONGEST = 63;
const MARKS = /\p{Mark}/gu;
const FOREIGN_LETTER = /[\p{Letter}\p{Number}]/u;

/**
 * Letters that are invalid in labels become their code points, so that two cities never share a
 * value.
 */
const codeOf = (character: string): string => {
  if (/[A-Za-z0-9._-]/.test(character)) return character;
  return FOREIGN_LETTER.test(character) ? `u${character.codePointAt(0)?.toString(16)}` : '-';
};

/** Converts text to a label value: `São Paulo` becomes `Sao-Paulo`. Empty if nothing remains. */
export const labelValue = (text: string): string =>
  Array.from(text.normalize('NFKD').replace(MARKS, ''), codeOf)
    .join('')
    .replace(/-{2,}/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST)
    .replace(/(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/, '');

/** The labels derived from a record; absent fields get none. */
export const inventoryLabels = ({ spec }: Pick<ClusterRecord, 'spec'>): Labels => {
  const { type, geoLocation = {}, region = {}, operator = {} } = spec;
  const attributes = {
    type,
    city: geoLocation.city,
    province: geoLocation.province,
    area: geoLocation.area,
    country: geoLocation.country,
    provider: operator.operator,
    region: region.region,
    zone: region.availabilityZone,
  };
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([what, text]) => {
      const value = labelValue(text ?? '');
      return value === '' ? [] : [[INVENTORY_LABELS[what as keyof typeof attributes], value]];
    }),
  );
};
