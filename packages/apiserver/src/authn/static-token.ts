import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ALL_CLUSTERS } from '../pki/cluster-units.ts';
import { sameSecret } from './same-secret.ts';
import { NONE, type Verdict } from './verdict.ts';

/** A secret that stands for a user for as long as the server runs. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
  /** Clusters in which it is valid: names of members, `root`, or `*` for all of them. */
  readonly clusters: readonly string[];
}

const isFor = ({ clusters }: StaticToken, cluster: string): boolean =>
  clusters.includes(cluster) || clusters.includes(ALL_CLUSTERS);

/** Looks at every token, so that the time that it takes does not tell which one it was. */
export const checkStaticToken = (
  tokens: readonly StaticToken[],
  cluster: string,
  token: string,
): Verdict => {
  const [found] = tokens.filter((known) => sameSecret(known.token, token) && isFor(known, cluster));
  return found === undefined || token === '' ? NONE : { kind: 'known', user: found.user };
};
