import type { Entry } from '../ends/entry.ts';
import type { TargetFolder } from '../ends/target.ts';
import type { S3Client } from './s3-client.ts';
import { fileEntry, folderEntry, keyOf } from './s3-entry.ts';

/** Deletes all objects whose keys begin so. */
export const removeAll = async (client: S3Client, prefix: string): Promise<void> => {
  for (
    let token: string | undefined, isFirst = true;
    isFirst || token !== undefined;
    isFirst = false
  ) {
    const { objects, next } = await client.list(prefix, {
      ...(token !== undefined && { 'continuation-token': token }),
    });
    await Promise.all(objects.map(({ key }) => client.remove(key)));
    token = next;
  }
};

/** Keys that begin alike, in a bucket that is written to. There is no folder itself: it is there when a key is. */
export class S3TargetFolder implements TargetFolder {
  readonly #client: S3Client;
  readonly #prefix: string;
  #there: Promise<ReadonlyMap<string, Entry>> | undefined;

  constructor(client: S3Client, prefix: string, isFresh = false) {
    this.#client = client;
    this.#prefix = prefix;
    if (isFresh) this.#there = Promise.resolve(new Map());
  }

  async #list(): Promise<ReadonlyMap<string, Entry>> {
    const there = new Map<string, Entry>();
    for (
      let token: string | undefined, isFirst = true;
      isFirst || token !== undefined;
      isFirst = false
    ) {
      const { objects, prefixes, next } = await this.#client.list(this.#prefix, {
        delimiter: '/',
        ...(token !== undefined && { 'continuation-token': token }),
      });
      for (const object of objects) {
        const name = object.key.slice(this.#prefix.length);
        if (name !== '') there.set(name, fileEntry(name, object));
      }
      for (const prefix of prefixes) {
        const name = prefix.slice(this.#prefix.length, -1);
        if (name !== '') there.set(name, folderEntry(name));
      }
      token = next;
    }
    return there;
  }

  #entries(): Promise<ReadonlyMap<string, Entry>> {
    this.#there ??= this.#list();
    return this.#there;
  }

  async lookup(name: Buffer): Promise<Entry | undefined> {
    return (await this.#entries()).get(name.toString());
  }

  async *names(): AsyncGenerator<Buffer> {
    for (const name of (await this.#entries()).keys()) yield Buffer.from(name);
  }

  enter(name: Buffer): TargetFolder {
    return new S3TargetFolder(this.#client, `${keyOf(this.#prefix, name)}/`);
  }

  unlock(): void {}

  make(name: Buffer): TargetFolder {
    return new S3TargetFolder(this.#client, `${keyOf(this.#prefix, name)}/`, true);
  }

  link(): void {
    throw new Error('a bucket holds no links');
  }

  setMode(): void {}

  async remove(name: Buffer): Promise<void> {
    const entry = await this.lookup(name);
    const key = keyOf(this.#prefix, name);
    if (entry?.kind === 'folder') await removeAll(this.#client, `${key}/`);
    else await this.#client.remove(key);
  }

  address(name: Buffer): Buffer {
    return Buffer.from(keyOf(this.#prefix, name));
  }

  finish(): void {}

  [Symbol.dispose](): void {
    this.#there = undefined;
  }
}
