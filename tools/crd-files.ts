import { toCrd } from '@perigee/api/kind/crd';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { stringify } from 'yaml';

const HEADER = '# Generated from packages/api by `npm run crds`. Do not edit.\n';

/** The text of each CRD by file name: what deploy/crds must hold. */
export const crdFiles = (): ReadonlyMap<string, string> =>
  new Map(
    allKinds.map((kind) => [
      `${kind.group}_${kind.plural}.yaml`,
      HEADER + stringify(toCrd(kind), { lineWidth: 100, aliasDuplicateObjects: false }),
    ]),
  );
