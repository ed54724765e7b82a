import type { Conversion, StorageNames } from '../../resource/resource-description.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import { eventConversion } from './event-conversion.ts';

/** Stored form of the objects of a type that are stored as another version or group. */
export interface StoredElsewhere {
  readonly type: string;
  readonly storage: StorageNames;
  readonly conversion: Conversion;
}

const STORED_ELSEWHERE: ReadonlyMap<string, StoredElsewhere> = new Map([
  [
    'events.v1.Event',
    {
      type: 'core.v1.Event',
      storage: { group: '', plural: 'events', version: 'v1' },
      conversion: eventConversion,
    },
  ],
  [
    'autoscaling.v1.HorizontalPodAutoscaler',
    {
      type: 'autoscaling.v2.HorizontalPodAutoscaler',
      storage: { group: 'autoscaling', plural: 'horizontalpodautoscalers', version: 'v2' },
      conversion: autoscalerConversion,
    },
  ],
]);

/** The stored form, if two groups or versions serve the same objects and another one than this is stored. */
export const storedElsewhere = (typeName: string): StoredElsewhere | undefined =>
  STORED_ELSEWHERE.get(typeName);
