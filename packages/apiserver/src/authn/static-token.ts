import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ALL_CLUSTERS } from '../pki/cluster-units.ts';
import { sameSecret } from './same-secret.ts';
import { NONE, type Verdict } from './verdict.ts';

/** A token of a user that is valid as long as the server runs. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
  /** Clusters in which it is valid: names of members, `root`, or `*` for all of them. */
  readonly clusters: readonly string[];
}

const isFor = ({ clusters }: StaticToken, cluster: string): boolean =>
  clusters.includes(cluster) || clusters.includes(ALL_CLUSTERS);

/** Compares with every token, so that the duration does not reveal which one matched. */
export const checkStaticToken = (
  tokens: readonly StaticToken[],
  cluster: string,
  token: string,
): Verdict => {
  const [matchingToken] = tokens.filter(
    (candidate) => sameSecret(candidate.token, token) && isFor(candidate, cluster),
  );
  return matchingToken === undefined || token === ''
    ? NONE
    : { kind: 'known', user: matchingToken.user };
};
