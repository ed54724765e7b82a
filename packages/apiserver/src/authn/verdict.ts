import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';

/** Result of one authenticator for a request. */
export type Verdict =
  | {
      readonly kind: 'known';
      readonly user: UserInfo;
      /** Audiences of the credential among the requested ones; all of them if absent. */
      readonly audiences?: readonly string[];
    }
  /** There is no credential of this sort. */
  | { readonly kind: 'none' }
  /** A credential that is invalid. The reason is not for its sender. */
  | { readonly kind: 'refused'; readonly why: string };

export const NONE: Verdict = { kind: 'none' };

export const refusedVerdict = (why: string): Verdict => ({ kind: 'refused', why });
