import type { JsonObject } from '@perigee/schema/json';
import {
  int64,
  list,
  listMap,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { labelKey, labelValue } from '../placement/label-syntax.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** Marks on a cluster that keep work away; each writer owns its own marks. */
export const clusterTaints = (description: string) =>
  listMap(
    description,
    ['key', 'effect'],
    object('A mark that keeps work away from the cluster unless its placement tolerates it.', {
      key: labelKey('The key of the taint, such as example.com/maintenance.'),
      value: optional(labelValue('The value of the taint.')),
      effect: oneOf(
        'NoSchedule lets no new work in, PreferNoSchedule is advice that placement ignores, NoExecute also moves running work away.',
        TAINT_EFFECTS,
      ),
      timeAdded: optional(time('When the taint was added; tolerationSeconds count from here.')),
    }),
  );

/** The taints of clusters that a placement puts up with. */
export const clusterTolerations = (description: string) =>
  list(
    description,
    object('A kind of taint that is tolerated.', {
      key: optional(string('The key of the taint; left out together with Exists, every key.')),
      operator: optional(
        oneOf('Exists accepts any value, Equal (when left out) compares it.', ['Exists', 'Equal']),
      ),
      value: optional(string('The value to compare with, for Equal.')),
      effect: optional(
        oneOf('The effect that is tolerated; every effect when left out.', TAINT_EFFECTS),
      ),
      tolerationSeconds: optional(
        int64(
          'For NoExecute: how long the work stays once the taint is there; for ever when left out.',
        ),
      ),
    }),
  );

/** An empty word counts as none. */
export const normaliseClusterToleration = (toleration: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(toleration).filter(
      ([field, value]) => value !== '' || (field !== 'operator' && field !== 'effect'),
    ),
  );

export type ClusterTaint = StoredOf<ReturnType<typeof clusterTaints>>[number];
export type ClusterToleration = StoredOf<ReturnType<typeof clusterTolerations>>[number];
