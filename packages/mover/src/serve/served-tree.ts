import type { Entry } from '../ends/entry.ts';
import type { Source, SourceFolder } from '../ends/source.ts';
import { openLocalFile, openLocalSource } from '../local/local-source.ts';
import type { LocalPlace } from '../place.ts';

/** Entry at the end of a path, and the folder that holds it. */
export interface FoundEntry extends Disposable {
  readonly entry: Entry;
  readonly folder: SourceFolder;
}

/** Steps of a path as it came from elsewhere; nothing for one that leads out of the tree. */
const stepsIn = (path: Buffer): readonly Buffer[] | undefined => {
  if (path.length === 0) return [];
  const steps = path
    .toString('latin1')
    .split('/')
    .map((step) => Buffer.from(step, 'latin1'));
  const isBad = steps.some((step) => {
    const name = step.toString('latin1');
    return name === '' || name === '.' || name === '..' || step.includes(0);
  });
  return isBad ? undefined : steps;
};

/**
 * Goes down from the root of a tree, through open folders and never through a link, so that nothing but the tree is
 * reached, whatever somebody does to it meanwhile.
 */
export const findEntry = async (
  place: LocalPlace,
  path: Buffer,
): Promise<FoundEntry | undefined> => {
  const steps = stepsIn(path);
  if (steps === undefined) return undefined;
  using open = new DisposableStack();
  const source: Source = open.use(openLocalSource(place));
  let { entry, parent: folder } = source;
  for (const step of steps) {
    if (entry.kind !== 'folder') return undefined;
    folder = open.use(await folder.enter(entry.name));
    const next = await folder.lookup(step);
    if (next === undefined) return undefined;
    entry = next;
  }
  const resources = open.move();
  return { entry, folder, [Symbol.dispose]: () => resources.dispose() };
};

export const openFound = ({ entry, folder }: FoundEntry) =>
  openLocalFile(folder.address(entry.name));
