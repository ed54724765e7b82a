import type { Entry } from '../ends/entry.ts';
import type { Keeping } from '../ends/target.ts';
import type { Order } from '../order.ts';
import { staysInside } from './link-target.ts';

/** The rules of a move, as far as one entry is concerned. */
export interface Rules extends Pick<Order, 'compare' | 'special' | 'outsideLinks'> {
  /** True if entries in the way may be removed: the target becomes like the source, or belongs to this move alone. */
  readonly mayReplace: boolean;
  /** Abilities of the target. */
  readonly keeps: Keeping;
}

/** Action for one entry of the source. */
export type Decision =
  | { readonly do: 'enter'; readonly isThere: boolean }
  /** The file is taken from the source. */
  | { readonly do: 'copy'; readonly replaces: number }
  /** The file is there; its bytes are only read. */
  | { readonly do: 'check'; readonly fixMode: boolean }
  | { readonly do: 'link'; readonly isThere: boolean }
  /** Something of another kind has its name, and goes first. */
  | { readonly do: 'clear'; readonly next: Decision }
  | { readonly do: 'skip'; readonly why: 'special' | 'outside-link' }
  | {
      readonly do: 'refuse';
      readonly reason: 'SpecialFile' | 'SymlinkOutside' | 'TargetConflict' | 'SourceIncomplete';
      readonly message: string;
    };

/** Begins the name of folders in which copies are made; they are part of no tree. */
export const WORKSHOP = '.perigee-mover';

export const isWorkshop = (name: Buffer): boolean =>
  name.subarray(0, WORKSHOP.length).equals(Buffer.from(WORKSHOP));

/** A time that was set differs from the one that was read by less than this. */
const TIME_STEP_MS = 0.002;

const hasSameMetadata = (source: Entry, target: Entry): boolean =>
  !source.isTimeless &&
  source.size === target.size &&
  Math.abs(source.modifiedMs - target.modifiedMs) < TIME_STEP_MS;

const decideFile = (source: Entry, target: Entry | undefined, rules: Rules): Decision => {
  if (target === undefined) return { do: 'copy', replaces: 0 };
  const mayBeThere =
    rules.compare === 'content' || !rules.keeps.times
      ? source.size === target.size
      : hasSameMetadata(source, target);
  return mayBeThere
    ? { do: 'check', fixMode: source.mode !== target.mode }
    : { do: 'copy', replaces: target.allocated };
};

const decideLink = (source: Entry, target: Entry | undefined): Decision => {
  const isThere = target?.linkTo?.equals(source.linkTo ?? Buffer.alloc(0)) ?? false;
  const link: Decision = { do: 'link', isThere };
  return target === undefined || isThere ? link : { do: 'clear', next: link };
};

const decideFresh = (source: Entry, target: Entry | undefined, rules: Rules): Decision => {
  switch (source.kind) {
    case 'folder':
      return { do: 'enter', isThere: target !== undefined };
    case 'link':
      return decideLink(source, target);
    default:
      return decideFile(source, target, rules);
  }
};

/**
 * Decides on the action for an entry of the source, given the entry of the target under the same name.
 *
 * @param folderDepth how deep the folder of the entry is; 0 is the root of the tree
 */
export const decideEntry = (
  source: Entry,
  target: Entry | undefined,
  folderDepth: number,
  rules: Rules,
): Decision => {
  if (isWorkshop(source.name)) {
    const message =
      'the source holds a copy that is not finished; finish it, or delete this folder';
    return { do: 'refuse', reason: 'SourceIncomplete', message };
  }
  if (source.kind === 'special') {
    if (rules.special === 'skip') return { do: 'skip', why: 'special' };
    const message = 'it is a socket, a pipe or a device; "special": "skip" leaves these out';
    return { do: 'refuse', reason: 'SpecialFile', message };
  }
  if (source.kind === 'link' && !staysInside(source.linkTo ?? Buffer.alloc(0), folderDepth)) {
    if (rules.outsideLinks === 'skip') return { do: 'skip', why: 'outside-link' };
    const message = 'the link leads out of the tree; "outsideLinks": "skip" leaves these out';
    return { do: 'refuse', reason: 'SymlinkOutside', message };
  }
  if (source.kind === 'link' && !rules.keeps.links) {
    if (rules.special === 'skip') return { do: 'skip', why: 'special' };
    const message =
      'it is a link, which the target cannot hold; "special": "skip" leaves these out';
    return { do: 'refuse', reason: 'SpecialFile', message };
  }
  if (target === undefined || target.kind === source.kind) {
    return decideFresh(source, target, rules);
  }
  if (rules.mayReplace) return { do: 'clear', next: decideFresh(source, undefined, rules) };
  const message = `the target has a ${target.kind} where the source has a ${source.kind}; "mode": "sync" replaces it`;
  return { do: 'refuse', reason: 'TargetConflict', message };
};
