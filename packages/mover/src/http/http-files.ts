import { fromWire } from '../jobs/job.ts';
import type { SourceFiles } from '../jobs/worker-ends.ts';
import type { HttpPlace } from '../place.ts';
import { HttpClient } from './http-client.ts';
import { StreamFile } from './stream-file.ts';
import type { RetryOptions } from './with-retries.ts';

export const httpSourceFiles = (place: HttpPlace, retries: RetryOptions): SourceFiles => {
  const client = new HttpClient(place, retries);
  return {
    open: (facts, stretch) => {
      const url = new URL(fromWire(facts.from).toString());
      const open = (from: number, to: number) => client.get(url, facts, from, to);
      return new StreamFile({ open, version: facts.version }, stretch, retries);
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
};
