import type { MoverClock } from '../clock.ts';
import { type Entry, textOfPath } from '../ends/entry.ts';
import { PIECE_BYTES } from '../ends/pieces.ts';
import type { Source, SourceFolder } from '../ends/source.ts';
import type { Target, TargetFolder } from '../ends/target.ts';
import { MoveError, moveErrorOf, touching } from '../errors.ts';
import { type Decision, decideEntry, isWorkshop, type Rules } from './decide-entry.ts';
import { assertNotTooDeep } from './depth.ts';
import { count, noTotals, type Totals } from './totals.ts';

/** Entries that are scanned before others get a turn. */
const TURN = 256;

export interface ScanOptions {
  readonly source: Source;
  readonly target: Target;
  readonly rules: Rules;
  readonly clock: Pick<MoverClock, 'yield'>;
  readonly signal: AbortSignal;
  /** Gets the sums as they grow. */
  readonly totals?: Totals;
  /** Called when they have grown. */
  readonly onTotals?: () => void;
}

/**
 * Goes through both trees, decides about every entry, and adds up. It changes nothing, so that a tree that cannot
 * be moved is refused before anything is touched.
 */
export const scan = async (options: ScanOptions): Promise<Totals> => {
  const { source, target, rules, clock, signal, totals = noTotals(), onTotals } = options;
  let entryCount = 0;
  const turn = async (): Promise<void> => {
    if (++entryCount % TURN === 0) {
      onTotals?.();
      await clock.yield();
    }
    signal.throwIfAborted();
  };

  const refuseIfMust = (decision: Decision, path: string): void => {
    if (decision.do !== 'refuse') return;
    throw new MoveError(decision.reason, `source ${path}: ${decision.message}`, path);
  };

  const visit = async (
    from: SourceFolder,
    entry: Entry,
    to: { readonly folder: TargetFolder; readonly name: Buffer } | undefined,
    path: Buffer,
    depth: number,
  ): Promise<void> => {
    await turn();
    const text = () => textOfPath(path);
    const there = to && (await touching('target', text, () => to.folder.lookup(to.name)));
    const decision = decideEntry(entry, there, depth, rules);
    refuseIfMust(decision, text());
    const isLarge = decision.do === 'copy' && entry.size > PIECE_BYTES;
    count(totals, entry, decision, isLarge ? await target.resumable(path, entry) : 0);
    if (entry.kind !== 'folder') return;
    using inner = await touching('source', text, () => from.enter(entry.name));
    const isThere = decision.do === 'enter' && decision.isThere;
    using below =
      isThere && to ? await touching('target', text, () => to.folder.enter(to.name)) : undefined;
    await scanInside(inner, below, path, depth + 1);
  };

  const scanInside = async (
    from: SourceFolder,
    to: TargetFolder | undefined,
    path: Buffer,
    depth: number,
  ): Promise<void> => {
    assertNotTooDeep(depth, textOfPath(path));
    const below = (name: Buffer) =>
      path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name]);
    try {
      for await (const entry of from.entries()) {
        const there = to && { folder: to, name: entry.name };
        await visit(from, entry, there, below(entry.name), depth);
      }
    } catch (error) {
      throw moveErrorOf(error, 'source', textOfPath(path));
    }
    if (!to || !rules.mayReplace) return;
    for await (const name of to.names()) {
      await turn();
      if (!isWorkshop(name) && !(await from.has(name))) totals.entriesToDelete++;
    }
  };

  const { tree } = target;
  const to = tree && { folder: tree.parent, name: tree.name };
  await visit(source.parent, source.entry, to, Buffer.alloc(0), -1);
  return totals;
};
