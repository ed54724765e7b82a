import { isHeadless } from '@perigee/kubernetes/kinds/services/needs';
import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';

const [IPV4, IPV6] = ['IPv4', 'IPv6'];
const OTHER: { readonly [family: string]: string } = { [IPV4]: IPV6, [IPV6]: IPV4 };

const POLICY = 'spec.ipFamilyPolicy';

/** A headless service without a selector: its endpoints decide on the families. */
const isOpen = (spec: JsonObject): boolean =>
  isHeadless(spec) && Object.keys(objectAt(spec, 'selector')).length === 0;

const policyOf = (spec: JsonObject): string => {
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy !== '') return policy;
  return isOpen(spec) ? 'RequireDualStack' : 'SingleStack';
};

const checkPolicy = (spec: JsonObject, policy: string): readonly FieldError[] => {
  if (policy !== 'SingleStack') return [];
  const why = (what: string) =>
    `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
  return [
    ...(textsAt(spec, 'clusterIPs').length === 2
      ? [invalid(POLICY, policy, why('cluster IPs'))]
      : []),
    ...(textsAt(spec, 'ipFamilies').length === 2
      ? [invalid(POLICY, policy, why('IP families'))]
      : []),
  ];
};

/** Addresses without families imply theirs; this cluster has one family. */
const checkAddresses = (spec: JsonObject): readonly FieldError[] => {
  const addresses = textsAt(spec, 'clusterIPs');
  const familyCount = textsAt(spec, 'ipFamilies').length;
  return addresses.flatMap((address, index) =>
    index >= familyCount && address.includes(':')
      ? [
          invalid(
            `spec.clusterIPs[${index}]`,
            addresses,
            `${IPV6} is not configured on this cluster`,
          ),
        ]
      : [],
  );
};

const checkFamilies = (families: readonly string[], policy: string): readonly FieldError[] => [
  ...(policy === 'RequireDualStack'
    ? [invalid(POLICY, policy, 'this cluster is not configured for dual-stack services')]
    : []),
  ...families.flatMap((family, index) =>
    family === IPV4
      ? []
      : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
  ),
];

export type Chosen = { readonly spec: JsonObject } | { readonly errors: readonly FieldError[] };

/** Chooses the address families of a service, in a cluster that has IPv4 alone. */
export const chooseFamilies = (spec: JsonObject): Chosen => {
  const ipFamilyPolicy = policyOf(spec);
  const early = [...checkPolicy(spec, ipFamilyPolicy), ...checkAddresses(spec)];
  if (early.length > 0) return { errors: early };
  const requestedFamilies = textsAt(spec, 'ipFamilies');
  const [first = IPV4, ...more] = requestedFamilies;
  if (isOpen(spec)) {
    const isSingle = ipFamilyPolicy === 'SingleStack' || more.length > 0;
    const ipFamilies = isSingle ? [first, ...more] : [first, OTHER[first] ?? IPV6];
    return { spec: { ...spec, ipFamilies, ipFamilyPolicy } };
  }
  const errors = checkFamilies(requestedFamilies, ipFamilyPolicy);
  if (errors.length > 0) return { errors };
  return { spec: { ...spec, ipFamilies: [first, ...more], ipFamilyPolicy } };
};
