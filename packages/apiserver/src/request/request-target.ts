import { present } from '@perigee/schema/present';
/** Target of a path of the API. */
export interface RequestTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Behind the name of a namespace these are parts of it; everything else is something in it. */
const PARTS_OF_NAMESPACES: readonly string[] = ['status', 'finalize'];

/** The parts of a path; a slash at its end is none of them, and a part that is empty is one. */
const partsOf = (path: string): readonly string[] => path.replace(/^\/|\/$/g, '').split('/');

const isInNamespace = ([first, name, plural]: readonly string[]): boolean =>
  first === 'namespaces' &&
  name !== undefined &&
  plural !== undefined &&
  !PARTS_OF_NAMESPACES.includes(plural);

const parseTarget = (path: string): RequestTarget | undefined => {
  const [root, ...parts] = partsOf(path);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group, version, ...rest] = root === 'api' ? ['', ...parts] : parts;
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const inNamespace = isInNamespace(rest);
  const [plural = '', name, ...subresource] = inNamespace ? rest.slice(2) : rest;
  const namespace = inNamespace ? rest[1] : undefined;
  return {
    group,
    version,
    plural,
    ...present({ namespace, name }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join('/') }),
  };
};

/** Cache of the last path, since several handlers of a request parse it one after the other. */
let latest: { readonly path: string; readonly target: RequestTarget | undefined } = {
  path: '',
  target: undefined,
};

/** The resource that a path names; undefined when it names none, such as a document of discovery. */
export const requestTarget = (path: string): RequestTarget | undefined => {
  if (latest.path !== path) latest = { path, target: parseTarget(path) };
  return latest.target;
};
