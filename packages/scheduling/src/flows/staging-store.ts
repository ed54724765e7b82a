import { type NamedPlace, placeOfUri } from './storage-place.ts';

/** An object store that relays data between clusters without a direct connection. */
export interface StagingStore {
  /** s3://bucket/folder, without a slash at its end. */
  readonly uri: string;
  readonly options: { readonly [name: string]: string };
  /** The Secret with its keys, in each namespace that may use it. */
  readonly secret: string;
}

export const ACCESS_KEY = 'access-key';
export const SECRET_KEY = 'secret-key';

const PARAMETERS = ['endpoint', 'region', 'path-style', 'secret'];
const USUAL_SECRET = 'perigee-staging';

/** Parses the operator's setting: s3://bucket/folder?endpoint=https://…&region=…&secret=name. */
export const parseStagingStore = (text: string): StagingStore | { readonly problem: string } => {
  const [uri = '', query = ''] = text.split('?', 2);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    return { problem: `there is no parameter ${unknown}, but ${PARAMETERS.join(', ')}` };
  }
  const { secret = USUAL_SECRET, ...options } = Object.fromEntries(parameters);
  const store = { uri: uri.replace(/\/+$/, ''), options, secret };
  const place = stagedPlace(store, '', { namespace: 'default', name: 'a' }, 0);
  if (place?.kind !== 's3')
    return { problem: 'write s3://bucket/folder?endpoint=https://…&secret=…' };
  return store;
};

/**
 * The folder of the store for a tree of an attempt, with keys from a Secret of the namespace. Each namespace has its
 * own folder, so that its keys can be limited to that.
 */
export const stagedPlace = (
  { uri, options }: StagingStore,
  secret: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  tree: number,
): NamedPlace | undefined => {
  const encryptOptions = [ACCESS_KEY, SECRET_KEY].map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: secret, key: name } },
  }));
  const folder = `${uri}/${namespace}/${name}/${tree}/`;
  const place = placeOfUri(folder, '', { options, encryptOptions });
  return place.kind === 'refused' ? undefined : place;
};
