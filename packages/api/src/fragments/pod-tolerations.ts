import { int64, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** The taints that a pod, or a whole placement, puts up with. */
export const tolerations = (description: string) =>
  list(
    description,
    object('A kind of taint that is tolerated.', {
      key: optional(string('The key of the taint; with Exists, empty means every key.')),
      operator: optional(
        oneOf('How the value is compared; Equal when left out. Lt and Gt compare numbers.', [
          'Exists',
          'Equal',
          'Lt',
          'Gt',
        ]),
      ),
      value: optional(string('The value to compare with; left out with Exists.')),
      effect: optional(oneOf('The effect that is tolerated; every effect when left out.', EFFECTS)),
      tolerationSeconds: optional(
        int64('For NoExecute: how long to stay once the taint is there; for ever when left out.'),
      ),
    }),
  );

export type Toleration = StoredOf<ReturnType<typeof tolerations>>[number];
