import type { Conversion, StorageNames } from '../../resource/resource-description.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import { eventConversion } from './event-conversion.ts';

/** How the objects of a type are stored that have another form in the store. */
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

/** Where two groups or versions show the same objects, one of them is what is stored. */
export const storedElsewhere = (typeName: string): StoredElsewhere | undefined =>
  STORED_ELSEWHERE.get(typeName);
