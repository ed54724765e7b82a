import type { Isolation } from '@perigee/member/isolation/isolation';

/** A step of the start, or a warning that the operator must see. */
export type Progress =
  | { readonly step: 'server' }
  | { readonly step: 'members'; readonly count: number }
  | { readonly step: 'controllers' }
  | {
      /** Pods of these namespaces, or of all when empty, may run commands on this machine. */
      readonly step: 'processes';
      readonly namespaces: readonly string[];
      /** Folders of this machine that they may mount. */
      readonly hostPaths: readonly string[];
      readonly isolation: Isolation;
    };
