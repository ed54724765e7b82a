import type { MoverClock } from '../clock.ts';
import type { Entry } from '../ends/entry.ts';
import type { Source, SourceFolder } from '../ends/source.ts';
import { MoveError } from '../errors.ts';
import type { Counters } from '../jobs/counters.ts';
import type { HttpPlace } from '../place.ts';
import { HttpClient, type HttpHead } from './http-client.ts';
import { type Link, linksOf } from './http-index.ts';

/** Files whose sizes are asked for at a time. */
const AT_ONCE = 16;

const folderEntry = (name: string): Entry => ({
  name: Buffer.from(name),
  kind: 'folder',
  size: 0,
  allocated: 0,
  modifiedMs: 0,
  version: '',
  mode: 0o755,
});

const fileEntry = (name: string, { size, modifiedMs, version }: HttpHead): Entry => {
  if (!Number.isSafeInteger(size)) {
    throw new MoveError(
      'EndpointRefused',
      `source ${name}: the server does not tell its size`,
      name,
    );
  }
  return {
    name: Buffer.from(name),
    kind: 'file',
    size,
    allocated: size,
    modifiedMs,
    ...(modifiedMs === 0 && { isTimeless: true }),
    version,
    mode: 0o644,
  };
};

/** An index page. */
class HttpSourceFolder implements SourceFolder {
  readonly entry: Entry;
  readonly #client: HttpClient;
  readonly #url: URL;
  readonly #links = new Map<string, Link>();

  constructor(client: HttpClient, url: URL, name: string) {
    this.#client = client;
    this.#url = url;
    this.entry = folderEntry(name);
  }

  async *entries(): AsyncGenerator<Entry> {
    const { text, url } = await this.#client.page(this.#url);
    const links = linksOf(text, url);
    for (const link of links) this.#links.set(link.name, link);
    for (let at = 0; at < links.length; at += AT_ONCE) {
      yield* await Promise.all(
        links
          .slice(at, at + AT_ONCE)
          .map(async ({ name, isFolder, url: child }) =>
            isFolder ? folderEntry(name) : fileEntry(name, await this.#client.head(child)),
          ),
      );
    }
  }

  async lookup(name: Buffer): Promise<Entry | undefined> {
    const link = this.#links.get(name.toString());
    if (link === undefined) return undefined;
    return link.isFolder
      ? folderEntry(link.name)
      : fileEntry(link.name, await this.#client.head(link.url));
  }

  has(name: Buffer): boolean {
    return this.#links.has(name.toString());
  }

  #urlOf(name: Buffer): URL {
    const link = this.#links.get(name.toString());
    if (link === undefined) throw new Error('only what a page links to is read');
    return link.url;
  }

  enter(name: Buffer): SourceFolder {
    return new HttpSourceFolder(this.#client, this.#urlOf(name), name.toString());
  }

  address(name: Buffer): Buffer {
    return Buffer.from(this.#urlOf(name).href);
  }

  isUnchanged(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.#links.clear();
  }
}

/** A file of a web server, or the files of an index page and those below it. */
export const openHttpSource = async (
  place: HttpPlace,
  counters: Counters,
  clock: MoverClock,
): Promise<Source> => {
  const client = new HttpClient(place, {
    clock,
    onRetry: (problem) => counters.addRetry(problem),
    isStopped: () => counters.isStopped,
  });
  const { url, ...head } = await client.head(new URL(place.url));
  const isFolder = url.pathname.endsWith('/');
  const last = url.pathname.split('/').filter(Boolean).at(-1) ?? '';
  const name = isFolder ? '.' : decodeURIComponent(last);
  if (isFolder && !head.isPage) {
    const message = `source ${url.origin}${url.pathname} is no index page`;
    throw new MoveError('EndpointRefused', message);
  }
  if (/[/\0]/.test(name) || name === '..') {
    throw new MoveError('PathOutside', `source ${url.pathname}: no file can have this name`);
  }
  const entry = isFolder ? folderEntry(name) : fileEntry(name, head);
  const parent: SourceFolder = {
    entry,
    entries: () => [entry],
    lookup: async () => (isFolder ? entry : fileEntry(name, await client.head(url))),
    has: () => true,
    enter: () => new HttpSourceFolder(client, url, name),
    address: () => Buffer.from(url.href),
    isUnchanged: () => true,
    [Symbol.dispose]: () => {},
  };
  const truePath = `${url.origin}${url.pathname}`;
  return { entry, parent, truePath, [Symbol.dispose]: () => client[Symbol.dispose]() };
};
