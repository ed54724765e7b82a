import { toCrd } from '@perigee/api/kind/crd';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { servedResources } from '../../src/crd/served-resources.ts';

/** All kinds of the language, as a server serves them that has their CRDs. */
export const kindsAsServed = allKinds.flatMap((kind) => servedResources(toCrd(kind)));
