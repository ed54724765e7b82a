import type { MoverClock } from '../clock.ts';
import type { Source } from '../ends/source.ts';
import type { Target } from '../ends/target.ts';
import type { Counters } from '../jobs/counters.ts';
import type { Place, TargetPlace } from '../place.ts';

/** Counters and clock of ends that are reached over a network. */
export interface EndOptions {
  readonly counters: Counters;
  readonly clock: MoverClock;
}

/** The source of an order, by the kind of its place. Only the program for that is loaded: a start is mostly loading. */
export const openSource = async (
  place: Place,
  { counters, clock }: EndOptions,
): Promise<Source> => {
  switch (place.kind) {
    case 'local': {
      const { openLocalSource } = await import('../local/local-source.ts');
      return openLocalSource(place);
    }
    case 's3': {
      const { openS3Client } = await import('../s3/s3-place.ts');
      const { openS3Source } = await import('../s3/s3-source.ts');
      return openS3Source(place, openS3Client(place, 'source', counters, clock));
    }
    case 'http': {
      const { openHttpSource } = await import('../http/http-source.ts');
      return openHttpSource(place, counters, clock);
    }
    case 'peer': {
      const { openPeerSource } = await import('../peer/peer-source.ts');
      return openPeerSource(place, counters, clock);
    }
  }
};

/** The target of an order, by the kind of its place. */
export const openTarget = async (
  place: TargetPlace,
  { counters, clock }: EndOptions,
): Promise<Target> => {
  switch (place.kind) {
    case 'local': {
      const { LocalTarget } = await import('../local/local-target.ts');
      return new LocalTarget(place);
    }
    case 's3': {
      const { openS3Client } = await import('../s3/s3-place.ts');
      const { openS3Target } = await import('../s3/s3-target.ts');
      return openS3Target(place, openS3Client(place, 'target', counters, clock));
    }
  }
};
