import type { S3Client, S3Object } from './s3-client.ts';

/** All objects whose keys begin with a prefix, in the order of their keys. The next page is under way while one is used. */
export class S3Listing {
  readonly #objects: AsyncGenerator<S3Object>;
  #next: Promise<IteratorResult<S3Object>> | undefined;

  constructor(client: S3Client, prefix: string) {
    this.#objects = S3Listing.#pages(client, prefix);
  }

  static async *#pages(client: S3Client, prefix: string): AsyncGenerator<S3Object> {
    let page = client.list(prefix);
    for (;;) {
      const { objects, next } = await page;
      if (next !== undefined) {
        page = client.list(prefix, { 'continuation-token': next });
        // The next turn of the loop handles the error.
        page.catch(() => {});
      }
      yield* objects;
      if (next === undefined) return;
    }
  }

  /** The object that comes next. */
  async peek(): Promise<S3Object | undefined> {
    this.#next ??= this.#objects.next();
    const { done, value } = await this.#next;
    return done ? undefined : value;
  }

  /** Goes on to the one after. */
  take(): void {
    this.#next = undefined;
  }
}
