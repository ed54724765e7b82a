import type { Entry } from '../ends/entry.ts';
import type { Source, SourceFolder } from '../ends/source.ts';
import { MoveError } from '../errors.ts';
import type { S3Place } from '../place.ts';
import type { S3Client, S3Object } from './s3-client.ts';
import { assertFileName, fileEntry, folderEntry, keyOf, prefixOf } from './s3-entry.ts';
import { listObjects, S3Listing } from './s3-listing.ts';
import { textOfS3Place } from './s3-place.ts';

interface Tree {
  readonly client: S3Client;
  readonly listing: S3Listing;
}

/**
 * Keys that begin alike. All folders of a tree share one listing, since it is gone through in the order of keys,
 * which is that of folders and what is in them.
 */
class S3SourceFolder implements SourceFolder {
  readonly entry: Entry;
  readonly #tree: Tree;
  readonly #prefix: string;
  readonly #names = new Set<string>();

  constructor(tree: Tree, prefix: string, name: string) {
    this.#tree = tree;
    this.#prefix = prefix;
    this.entry = folderEntry(name);
  }

  async *entries(): AsyncGenerator<Entry> {
    const { listing } = this.#tree;
    for (;;) {
      const object = await listing.peek();
      if (!object?.key.startsWith(this.#prefix)) return;
      const rest = object.key.slice(this.#prefix.length);
      const slash = rest.indexOf('/');
      const name = slash === -1 ? rest : rest.slice(0, slash);
      // Some programs make an object of the name of a folder, with a slash.
      if (rest === '') {
        listing.take();
        continue;
      }
      assertFileName(name, object.key);
      this.#names.add(name);
      if (slash === -1) {
        listing.take();
        yield fileEntry(name, object);
      } else {
        yield folderEntry(name);
        await this.#skip(`${this.#prefix}${name}/`);
      }
    }
  }

  /** Skips the objects of a folder that was not entered. */
  async #skip(prefix: string): Promise<void> {
    const { listing } = this.#tree;
    while ((await listing.peek())?.key.startsWith(prefix)) listing.take();
  }

  async lookup(name: Buffer): Promise<Entry | undefined> {
    const head = await this.#tree.client.head(keyOf(this.#prefix, name));
    return head && fileEntry(name.toString(), head, head.metadata);
  }

  has(name: Buffer): boolean {
    return this.#names.has(name.toString());
  }

  enter(name: Buffer): SourceFolder {
    const text = name.toString();
    return new S3SourceFolder(this.#tree, `${this.#prefix}${text}/`, text);
  }

  address(name: Buffer): Buffer {
    return Buffer.from(keyOf(this.#prefix, name));
  }

  /** A listing is no snapshot. Objects that are replaced are found by their ETags. */
  isUnchanged(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.#names.clear();
  }
}

/** Holds the tree, which may be all of a bucket, under the last step of its path. */
class S3SourceHolder implements SourceFolder {
  readonly entry: Entry;
  readonly #client: S3Client;
  readonly #path: string;
  #objects: readonly S3Object[] | undefined;

  constructor(client: S3Client, path: string, entry: Entry) {
    this.#client = client;
    this.#path = path;
    this.entry = entry;
  }

  *entries(): Generator<Entry> {
    yield this.entry;
  }

  async lookup(): Promise<Entry | undefined> {
    const head = await this.#client.head(this.#path);
    return head && fileEntry(this.entry.name.toString(), head, head.metadata);
  }

  has(): boolean {
    return true;
  }

  enter(): SourceFolder {
    const prefix = prefixOf(this.#path);
    const client = this.#client;
    // Whoever has scanned the tree copies what was listed then.
    const objects =
      this.#objects?.values() ??
      listObjects(client, prefix, (all) => {
        this.#objects = all;
      });
    const tree = { client, listing: new S3Listing(objects) };
    return new S3SourceFolder(tree, prefix, this.entry.name.toString());
  }

  address(): Buffer {
    return Buffer.from(this.#path);
  }

  isUnchanged(): boolean {
    return true;
  }

  [Symbol.dispose](): void {}
}

/** A tree in a bucket: an object, or all whose keys begin with the path and a slash. */
export const openS3Source = async (place: S3Place, client: S3Client): Promise<Source> => {
  const { path, isFolder } = place;
  const name = path.split('/').at(-1) || '.';
  const alike = await client.list(path, { 'max-keys': '1' });
  const [first] = alike.objects;
  const isObject = !isFolder && path !== '' && first?.key === path;
  const hasFolder = async (): Promise<boolean> =>
    (await client.list(prefixOf(path), { 'max-keys': '1' })).objects.length > 0;
  if (!isObject && path !== '' && !(await hasFolder())) {
    throw new MoveError('SourceMissing', `the source has nothing at ${textOfS3Place(place)}`);
  }
  const entry = isObject && first ? fileEntry(name, first) : folderEntry(name);
  return {
    entry,
    parent: new S3SourceHolder(client, path, entry),
    truePath: textOfS3Place(place),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
};
