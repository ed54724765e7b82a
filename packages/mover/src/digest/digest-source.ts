import type { MoverClock } from '../clock.ts';
import { type Entry, textOfPath } from '../ends/entry.ts';
import { piecesOf } from '../ends/pieces.ts';
import type { SourceFolder } from '../ends/source.ts';
import { touching } from '../errors.ts';
import type { Counters } from '../jobs/counters.ts';
import { toWire } from '../jobs/job.ts';
import { Transfer } from '../jobs/transfer.ts';
import { openSource } from '../open/open-ends.ts';
import { openSourceFiles } from '../open/open-worker-ends.ts';
import type { Place } from '../place.ts';
import { isWorkshop } from '../plan/decide-entry.ts';
import { assertNotTooDeep } from '../plan/depth.ts';
import { fileDigest, TreeDigest } from './tree-digest.ts';

export interface DigestedTree {
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
}

/** Reads a whole tree, and reports what it holds, as the result of a move would. */
export const digestSource = async (
  place: Place,
  { counters, clock }: { readonly counters: Counters; readonly clock: MoverClock },
): Promise<DigestedTree> => {
  const digest = new TreeDigest();
  const transfer = new Transfer(counters);
  let [files, bytes] = [0, 0];
  using source = await openSource(place, { counters, clock });
  using content = await openSourceFiles(place, counters, clock);

  const read = async (folder: SourceFolder, entry: Entry, path: Buffer): Promise<void> => {
    const { size, allocated, modifiedMs, mode, version, name } = entry;
    const from = toWire(folder.address(name));
    const facts = { size, allocated, modifiedMs, mode, version, from, to: '', path: toWire(path) };
    const text = () => textOfPath(path);
    const pieces: Buffer[] = [];
    for (const { offset, length } of piecesOf(size)) {
      const stretch = { path: text, offset, length };
      using file = await touching('source', text, () => content.open(facts, stretch));
      pieces.push(await transfer.digest(file, 'source', stretch));
    }
    digest.addFile(path, size, fileDigest(pieces));
    files++;
    bytes += size;
  };

  const take = async (folder: SourceFolder, entry: Entry, path: Buffer, depth: number) => {
    if (entry.kind === 'link') digest.addLink(path, entry.linkTo ?? Buffer.alloc(0));
    if (entry.kind === 'file') await read(folder, entry, path);
    if (entry.kind !== 'folder') return;
    assertNotTooDeep(depth, textOfPath(path));
    using inner = await folder.enter(entry.name);
    for await (const each of inner.entries()) {
      const below =
        path.length === 0 ? each.name : Buffer.concat([path, Buffer.from('/'), each.name]);
      if (!isWorkshop(each.name)) await take(inner, each, below, depth + 1);
    }
  };
  await take(source.parent, source.entry, Buffer.alloc(0), 0);
  return { digest: digest.toString(), files, bytes };
};
