import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { DesiredTarget } from './execution-target.ts';

type Way = Pick<MemberCluster['spec'], 'apiEndpoint' | 'proxyURL' | 'insecureSkipTLSVerification'>;

/** The fields of a target that lead credentials elsewhere than the record says. */
export const detours = ({ spec }: DesiredTarget, way: Way): readonly string[] => [
  ...(way.apiEndpoint && way.apiEndpoint !== spec.apiEndpoint ? ['spec.apiEndpoint'] : []),
  ...(way.proxyURL ? ['spec.proxyURL'] : []),
  ...(way.insecureSkipTLSVerification ? ['spec.insecureSkipTLSVerification'] : []),
];

/** What the inventory has to say about a field of a target. */
export interface Say {
  /** Whether it is not somebody else's. */
  readonly mayWrite: boolean;
  /** Whether the inventory has written it: then it goes when the record no longer has it. */
  readonly holds: boolean;
}

/**
 * Fields that the inventory leaves as they are, although it may write them. Whoever wrote the record was
 * allowed to read its Secret, and so was who wrote the target; but the Secret of one must not come to the
 * address, or the proxy, of the other.
 */
export const withheldFields = (
  desired: DesiredTarget,
  { spec: present }: MemberCluster,
  sayOf: (field: 'apiEndpoint' | 'secretRef') => Say,
): ReadonlySet<string> => {
  const wished = desired.spec;
  const secret = sayOf('secretRef');
  const address = sayOf('apiEndpoint');
  const isSame = sameJson(wished.secretRef, present.secretRef);
  const written = address.mayWrite ? wished.apiEndpoint : undefined;
  const way = { ...present, apiEndpoint: written ?? present.apiEndpoint ?? '' };
  const keepsSecret =
    !isSame &&
    (wished.secretRef === undefined
      ? !secret.holds
      : !secret.mayWrite || detours(desired, way).length > 0);
  if (!keepsSecret) return new Set();
  return new Set(present.secretRef === undefined ? ['secretRef'] : ['secretRef', 'apiEndpoint']);
};
