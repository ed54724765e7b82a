import type { Entry } from '../ends/entry.ts';
import type { KnownContent, Part, Room, Target, TargetFolder, TargetTree } from '../ends/target.ts';
import type { S3Place } from '../place.ts';
import type { S3Client } from './s3-client.ts';
import { fileEntry, folderEntry, prefixOf } from './s3-entry.ts';
import { openS3Part } from './s3-part.ts';
import { textOfS3Place } from './s3-place.ts';
import { removeAll, S3TargetFolder } from './s3-target-folder.ts';
import { giveUpUploads } from './upload-notes.ts';

/** Holds the tree, which may be all of a bucket. */
class S3TargetHolder implements TargetFolder {
  readonly #client: S3Client;
  readonly #path: string;
  readonly #entry: Entry | undefined;

  constructor(client: S3Client, path: string, entry: Entry | undefined) {
    this.#client = client;
    this.#path = path;
    this.#entry = entry;
  }

  lookup(): Entry | undefined {
    return this.#entry;
  }

  *names(): Generator<Buffer> {
    if (this.#entry) yield this.#entry.name;
  }

  enter(): TargetFolder {
    return new S3TargetFolder(this.#client, prefixOf(this.#path));
  }

  unlock(): void {}

  make(): TargetFolder {
    return new S3TargetFolder(this.#client, prefixOf(this.#path), true);
  }

  link(): void {
    throw new Error('a bucket holds no links');
  }

  setMode(): void {}

  async remove(): Promise<void> {
    if (this.#entry?.kind === 'file') await this.#client.remove(this.#path);
    else await removeAll(this.#client, prefixOf(this.#path));
  }

  address(): Buffer {
    return Buffer.from(this.#path);
  }

  finish(): void {}

  [Symbol.dispose](): void {}
}

const entryAt = async (
  client: S3Client,
  path: string,
  name: string,
): Promise<Entry | undefined> => {
  const inside = await client.list(prefixOf(path), { 'max-keys': '1' });
  if (inside.objects.length > 0) return folderEntry(name);
  const head = path === '' ? undefined : await client.head(path);
  return head && fileEntry(name, head);
};

/**
 * A tree in a bucket. Each object appears as a whole; all of them are there when the move is done. A store that
 * renames nothing cannot show the tree at once.
 */
export const openS3Target = async (place: S3Place, client: S3Client): Promise<Target> => {
  const { path } = place;
  const name = path.split('/').at(-1) || '.';
  const holder = new S3TargetHolder(client, path, await entryAt(client, path, name));
  const tree: TargetTree = { parent: holder, name: Buffer.from(name) };
  return {
    tree,
    isNew: false,
    keeps: { times: false, links: false, needsDigest: true },
    truePath: textOfS3Place(place),
    room: (): Room => ({ bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }),
    resumable: () => 0,
    prepare: async () => tree,
    partsAddress: Buffer.alloc(0),
    part: (_: Buffer, like: Entry, content?: KnownContent): Promise<Part> => {
      if (content === undefined) throw new Error('an object is read before it is written');
      return openS3Part(client, path, like, content);
    },
    commit: () => giveUpUploads(client, path),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
};
