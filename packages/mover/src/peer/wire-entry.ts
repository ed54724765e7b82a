import type { Entry } from '../ends/entry.ts';
import { EndpointError } from '../errors.ts';

/** An entry as one mover sends it to another: names are bytes, and travel as such. */
interface WireEntry extends Omit<Entry, 'name' | 'linkTo' | 'recorded'> {
  readonly name: string;
  readonly linkTo?: string;
}

const KINDS: readonly unknown[] = ['file', 'folder', 'link', 'special'] satisfies Entry['kind'][];

export const encodePath = (path: Buffer): string => path.toString('base64url');
export const decodePath = (text: string): Buffer => Buffer.from(text, 'base64url');

export const encodeEntry = (entry: Entry): string => {
  const { name, kind, size, allocated, modifiedMs, version, mode, linkTo } = entry;
  const wire: WireEntry = {
    name: encodePath(name),
    kind,
    size,
    allocated,
    modifiedMs,
    version,
    mode,
    ...(linkTo !== undefined && { linkTo: encodePath(linkTo) }),
  };
  return JSON.stringify(wire);
};

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

const refuse = (): never => {
  throw new EndpointError('Refused', 'the other mover tells of an entry that none can be');
};

/** A name that leads anywhere else than right below its folder would write outside of the tree. */
const nameOf = (text: unknown): Buffer => {
  if (typeof text !== 'string') return refuse();
  const name = decodePath(text);
  const isName =
    name.length > 0 && !name.includes('/') && !name.includes(0) && name.toString() !== '..';
  return isName ? name : refuse();
};

/** Reads an entry that another machine has sent. */
export const decodeEntry = (text: string): Entry => {
  const wire = JSON.parse(text) as Partial<WireEntry>;
  const { kind, size, allocated, modifiedMs, version, mode, linkTo } = wire;
  const isEntry =
    KINDS.includes(kind) &&
    isCount(size) &&
    isCount(allocated) &&
    isCount(mode) &&
    typeof modifiedMs === 'number' &&
    Number.isFinite(modifiedMs) &&
    typeof version === 'string';
  if (!isEntry) return refuse();
  return {
    name: nameOf(wire.name),
    kind: kind as Entry['kind'],
    size: size as number,
    allocated: allocated as number,
    modifiedMs: modifiedMs as number,
    version: version as string,
    mode: (mode as number) & 0o777,
    ...(kind === 'link' && { linkTo: decodePath(String(linkTo ?? '')) }),
  };
};
