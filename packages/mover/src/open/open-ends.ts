import type { MoverClock } from '../clock.ts';
import type { MaybePromise, Source } from '../ends/source.ts';
import type { Target } from '../ends/target.ts';
import { openHttpSource } from '../http/http-source.ts';
import type { Counters } from '../jobs/counters.ts';
import { openLocalSource } from '../local/local-source.ts';
import { LocalTarget } from '../local/local-target.ts';
import { openPeerSource } from '../peer/peer-source.ts';
import type { Place, TargetPlace } from '../place.ts';
import { openS3Client } from '../s3/s3-place.ts';
import { openS3Source } from '../s3/s3-source.ts';
import { openS3Target } from '../s3/s3-target.ts';

/** What ends that are reached over a network need. */
export interface EndOptions {
  readonly counters: Counters;
  readonly clock: MoverClock;
}

/** The source of an order, by the kind of its place. */
export const openSource = (place: Place, { counters, clock }: EndOptions): MaybePromise<Source> => {
  switch (place.kind) {
    case 'local':
      return openLocalSource(place);
    case 's3':
      return openS3Source(place, openS3Client(place, 'source', counters, clock));
    case 'http':
      return openHttpSource(place, counters, clock);
    case 'peer':
      return openPeerSource(place, counters, clock);
  }
};

/** The target of an order, by the kind of its place. */
export const openTarget = (
  place: TargetPlace,
  { counters, clock }: EndOptions,
): MaybePromise<Target> => {
  switch (place.kind) {
    case 'local':
      return new LocalTarget(place);
    case 's3':
      return openS3Target(place, openS3Client(place, 'target', counters, clock));
  }
};
