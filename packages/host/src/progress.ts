import type { Isolation } from '@perigee/member/isolation/isolation';

/** What is being done during a start, and what its operator should know of it. */
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
