import type { MoverClock } from '../clock.ts';
import type { Entry } from '../ends/entry.ts';
import type { Source, SourceFolder } from '../ends/source.ts';
import { EndpointError, MoveError } from '../errors.ts';
import type { Counters } from '../jobs/counters.ts';
import type { PeerPlace } from '../place.ts';
import { PeerClient } from './peer-client.ts';

const below = (path: Buffer, name: Buffer): Buffer =>
  path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name]);

/** A folder that another mover serves. */
class PeerFolder implements SourceFolder {
  readonly entry: Entry;
  readonly #client: PeerClient;
  readonly #path: Buffer;

  constructor(client: PeerClient, path: Buffer, entry: Entry) {
    this.#client = client;
    this.#path = path;
    this.entry = entry;
  }

  entries(): AsyncIterable<Entry> {
    return this.#client.entries(this.#path);
  }

  lookup(name: Buffer): Promise<Entry | undefined> {
    return this.#client.entry(below(this.#path, name));
  }

  async has(name: Buffer): Promise<boolean> {
    return (await this.lookup(name)) !== undefined;
  }

  async enter(name: Buffer): Promise<SourceFolder> {
    const path = below(this.#path, name);
    const entry = await this.#client.entry(path);
    if (entry?.kind === 'folder') return new PeerFolder(this.#client, path, entry);
    throw new EndpointError('Changed', 'the folder is not there any more');
  }

  address(name: Buffer): Buffer {
    return below(this.#path, name);
  }

  async isUnchanged(): Promise<boolean> {
    return (await this.#client.entry(this.#path))?.version === this.entry.version;
  }

  [Symbol.dispose](): void {}
}

const NOTHING = Buffer.alloc(0);

/** A tree that another mover serves. */
export const openPeerSource = async (
  place: PeerPlace,
  counters: Counters,
  clock: MoverClock,
): Promise<Source> => {
  const client = new PeerClient(place, {
    clock,
    onRetry: (problem) => counters.addRetry(problem),
    isStopped: () => counters.isStopped,
  });
  const entry = await client.entry(NOTHING);
  if (entry === undefined) {
    client[Symbol.dispose]();
    throw new MoveError('SourceMissing', 'the other cluster has no such folder');
  }
  const root = new PeerFolder(client, NOTHING, entry);
  const parent: SourceFolder = {
    entry,
    entries: () => [entry],
    lookup: () => client.entry(NOTHING),
    has: () => true,
    enter: () => root,
    address: () => NOTHING,
    isUnchanged: () => true,
    [Symbol.dispose]: () => {},
  };
  return {
    entry,
    parent,
    truePath: place.url,
    finish: () => client.finish(),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
};
