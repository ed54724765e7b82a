import type { ObjectRef } from '@perigee/kube/client/client';

/** Refs of the controller that are no bindings: no namespace has such a name. */
export const QUEUE_REF = '~queue';
export const CLUSTER_REF = '~cluster';
/** Rechecks all waiting work. */
export const ANYWHERE: ObjectRef = { namespace: '~clusters', name: 'any' };
/** Reclaims room for work whose queue has less than it deserves. */
export const RECLAIM: ObjectRef = { namespace: '~dispatcher', name: 'reclaim' };
/** Rechecks the reported reasons of waiting work. */
export const REPORTS: ObjectRef = { namespace: '~dispatcher', name: 'said' };
/** Writes the next reason of waiting work. */
export const REPORT: ObjectRef = { namespace: '~dispatcher', name: 'report' };
export const GOES_ON: ObjectRef = { namespace: '~dispatcher', name: 'goes-on' };
