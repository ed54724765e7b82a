import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import type { WantedUser } from './impersonation-headers.ts';
import { NODE_NAME, splitServiceAccountUsername } from './service-account-user.ts';

/**
 * A mode of impersonation. All but the last are constrained: the verbs `impersonate-on:<mode>:<verb>` limit the
 * requests of the impersonated user.
 */
export interface ImpersonationMode {
  /** Empty for the unconstrained mode. */
  readonly name: string;
  /** True if it is for that user at all. */
  fits(impersonatedUser: WantedUser, requestor: UserInfo): boolean;
}

const NODE_PREFIX = 'system:node:';

/** The node of a user name. */
export const nodeOf = (username: string): string | undefined => {
  if (!username.startsWith(NODE_PREFIX)) return undefined;
  const name = username.slice(NODE_PREFIX.length);
  return checkDnsSubdomain(name).length === 0 ? name : undefined;
};

const hasOnlyName = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

/** True if the user is a service account that runs on that node. */
const runsOn = (node: string | undefined, { name, extra = {} }: UserInfo): boolean => {
  const [own, ...others] = extra[NODE_NAME] ?? [];
  return (
    node !== undefined &&
    own === node &&
    others.length === 0 &&
    splitServiceAccountUsername(name) !== undefined
  );
};

export const ASSOCIATED_NODE = 'associated-node';

/** In the order of precedence. */
export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  {
    name: ASSOCIATED_NODE,
    fits: (impersonatedUser, requestor) =>
      hasOnlyName(impersonatedUser) && runsOn(nodeOf(impersonatedUser.name), requestor),
  },
  {
    name: 'arbitrary-node',
    fits: (impersonatedUser) =>
      hasOnlyName(impersonatedUser) && nodeOf(impersonatedUser.name) !== undefined,
  },
  {
    name: 'serviceaccount',
    fits: (impersonatedUser) =>
      hasOnlyName(impersonatedUser) &&
      splitServiceAccountUsername(impersonatedUser.name) !== undefined,
  },
  {
    name: 'user-info',
    fits: ({ name }) =>
      nodeOf(name) === undefined && splitServiceAccountUsername(name) === undefined,
  },
  { name: '', fits: () => true },
];
