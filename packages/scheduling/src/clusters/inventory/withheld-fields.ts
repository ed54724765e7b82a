import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { sameJson } from '@perigee/schema/same-json';
import type { DesiredTarget } from './execution-target.ts';

type Connection = Pick<
  MemberCluster['spec'],
  'apiEndpoint' | 'proxyURL' | 'insecureSkipTLSVerification'
>;

/** Fields of a target that would send credentials elsewhere than to the record's address. */
export const detours = ({ spec }: DesiredTarget, connection: Connection): readonly string[] => [
  ...(connection.apiEndpoint && connection.apiEndpoint !== spec.apiEndpoint
    ? ['spec.apiEndpoint']
    : []),
  ...(connection.proxyURL ? ['spec.proxyURL'] : []),
  ...(connection.insecureSkipTLSVerification ? ['spec.insecureSkipTLSVerification'] : []),
];

/** Field ownership of the inventory on a target. */
export interface FieldOwnership {
  /** No other manager owns the field. */
  readonly mayWrite: boolean;
  /** The inventory owns the field: it disappears when the record drops it. */
  readonly holds: boolean;
}

/**
 * Fields that the inventory leaves unchanged although it owns them. The author of the record could
 * read its Secret, and the author of the target that one's; but the Secret of one must not be sent
 * to the address or proxy of the other.
 */
export const withheldFields = (
  desired: DesiredTarget,
  { spec: targetSpec }: MemberCluster,
  ownershipOf: (field: 'apiEndpoint' | 'secretRef') => FieldOwnership,
): ReadonlySet<string> => {
  const desiredSpec = desired.spec;
  const secret = ownershipOf('secretRef');
  const address = ownershipOf('apiEndpoint');
  const isSame = sameJson(desiredSpec.secretRef, targetSpec.secretRef);
  const newEndpoint = address.mayWrite ? desiredSpec.apiEndpoint : undefined;
  const connection = { ...targetSpec, apiEndpoint: newEndpoint ?? targetSpec.apiEndpoint ?? '' };
  const keepsSecret =
    !isSame &&
    (desiredSpec.secretRef === undefined
      ? !secret.holds
      : !secret.mayWrite || detours(desired, connection).length > 0);
  if (!keepsSecret) return new Set();
  return new Set(targetSpec.secretRef === undefined ? ['secretRef'] : ['secretRef', 'apiEndpoint']);
};
