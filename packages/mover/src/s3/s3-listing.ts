import type { S3Client, S3Object } from './s3-client.ts';

/** Objects of a tree that are kept for the second time that it is gone through. */
const MOST_KEPT = 20_000;

/** All objects whose keys begin with a prefix, in the order of their keys. The next page is under way while one is used. */
export const listObjects = async function* (
  client: S3Client,
  prefix: string,
  /** Gets all of them at the end, unless they are too many. */
  onAll: (objects: readonly S3Object[]) => void,
): AsyncGenerator<S3Object> {
  const all: S3Object[] = [];
  let page = client.list(prefix);
  for (let isKept = true; ; ) {
    const { objects, next } = await page;
    isKept &&= all.length + objects.length <= MOST_KEPT;
    if (isKept) all.push(...objects);
    else all.length = 0;
    if (next !== undefined) {
      page = client.list(prefix, { 'continuation-token': next });
      // The next turn of the loop handles the error.
      page.catch(() => {});
    }
    yield* objects;
    if (next !== undefined) continue;
    if (isKept) onAll(all);
    return;
  }
};

/** Goes through objects, with a peek at the next one. */
export class S3Listing {
  readonly #objects: AsyncIterator<S3Object> | Iterator<S3Object>;
  #next: Promise<IteratorResult<S3Object>> | undefined;

  constructor(objects: AsyncIterator<S3Object> | Iterator<S3Object>) {
    this.#objects = objects;
  }

  /** The object that comes next. */
  async peek(): Promise<S3Object | undefined> {
    this.#next ??= Promise.resolve(this.#objects.next());
    const { done, value } = await this.#next;
    return done ? undefined : value;
  }

  /** Goes on to the one after. */
  take(): void {
    this.#next = undefined;
  }
}
