import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { IssuedToken, TokenOrder } from './token-order.ts';

/** Decision on a request, as an access review returns it. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
}

/** Permissions of a user in a namespace. */
export interface AccessRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** User and audiences of a token, or the reason why it is invalid. */
export type TokenOwner =
  | { readonly user: UserInfo; readonly audiences?: readonly string[] }
  | { readonly problem: string };

type Maybe<T> = T | Promise<T>;

/** Authentication and authorization, as the review kinds and the tokens of service accounts need them. */
export interface Access {
  allowed(attributes: Attributes): Maybe<AccessAnswer>;
  rulesFor(user: UserInfo, namespace: string): Maybe<AccessRules>;
  /** The default audiences are those of the API. */
  ownerOf(token: string, audiences: readonly string[]): Maybe<TokenOwner>;
  /** Absent if the server issues no tokens. */
  readonly issueToken?: (order: TokenOrder) => Maybe<IssuedToken>;
}

/** The user of requests without credentials. */
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Access to a server without authentication: all users are allowed all requests. */
export const openAccess: Access = {
  allowed: () => ({ allowed: true }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
  ownerOf: () => ({ problem: 'invalid bearer token' }),
};
