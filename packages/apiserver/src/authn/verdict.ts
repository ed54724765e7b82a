import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';

/** Result of one authenticator for a request. */
export type Verdict =
  | {
      readonly kind: 'known';
      readonly user: UserInfo;
      /** For whom the credential was made, of those that were asked about; all of them unless given. */
      readonly audiences?: readonly string[];
    }
  /** There is no credential of this sort. */
  | { readonly kind: 'none' }
  /** There is one, and it is no good. The reason is not for whoever sent it. */
  | { readonly kind: 'refused'; readonly why: string };

export const NONE: Verdict = { kind: 'none' };

export const refused = (why: string): Verdict => ({ kind: 'refused', why });
