import { normalisePath } from './paths.ts';
import type { Refusal } from './validate-operation.ts';

/** A folder inside of a cluster: of a PersistentVolumeClaim, or of the machine that a pod runs on. */
export type StoragePlace =
  | { readonly kind: 'claim'; readonly claim: string; readonly path: string }
  | { readonly kind: 'host'; readonly folder: string; readonly path: string };

export type FoundPlace = StoragePlace | ({ readonly kind: 'refused' } & Refusal);

const refused = (message: string): FoundPlace => ({
  kind: 'refused',
  reason: 'PathNotSupported',
  message,
});

const climbsOut = (path: string): boolean => path.split('/').includes('..');

/** A folder of a claim; the claim of a dataset has its name. */
export const claimPlace = (claim: string, path: string | undefined, said: string): FoundPlace => {
  if (climbsOut(path ?? '')) return refused(`${said}: the path climbs out of its root`);
  if (!/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(claim)) {
    return refused(`${said}: "${claim}" is no name of a claim`);
  }
  return { kind: 'claim', claim, path: normalisePath(path) };
};

const NOT_YET =
  'only local:///folder, pvc://claim/folder and dataset://namespace/name/folder can be copied';

/** The folder that a URL means, for pods of a namespace. */
export const placeOfUri = (uri: string, namespace: string): FoundPlace => {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s.exec(uri) ?? [];
  const [first = '', ...steps] = rest.split('/');
  switch (scheme) {
    case 'local':
      if (!rest.startsWith('/')) return refused(`${uri}: write local:///folder`);
      if (climbsOut(rest)) return refused(`${uri}: the path climbs out of its root`);
      return { kind: 'host', folder: `/${normalisePath(rest)}`, path: '' };
    case 'pvc':
      return claimPlace(first, steps.join('/'), uri);
    case 'dataset': {
      const [name = '', ...below] = steps;
      if (first === namespace) return claimPlace(name, below.join('/'), uri);
      return {
        kind: 'refused',
        reason: 'TargetDatasetNamespaceNotSame',
        message: `${uri} is in another namespace, where pods of ${namespace} cannot mount it`,
      };
    }
    default:
      return refused(`${uri}: ${NOT_YET}`);
  }
};

/** A folder further down. */
export const below = (place: FoundPlace, path: string): FoundPlace =>
  place.kind === 'refused'
    ? place
    : { ...place, path: [place.path, path].filter((one) => one !== '').join('/') };
