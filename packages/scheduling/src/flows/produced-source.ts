import { createHash } from 'node:crypto';
import type {
  DataSource,
  DataSourceCopy,
  DataSourceWritten,
} from '@perigee/api/kinds/data/data-source';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { type Ground, isOnGround } from './ground.ts';
import { normalisePath } from './paths.ts';
import { PRODUCED_BY, PRODUCED_FROM } from './produced-marks.ts';

type Product = NonNullable<DataProcess['spec']['produces']>[number];
type DeclaredSource = NonNullable<Product['dataSource']>;

/** A DataSource that a process produces. */
export interface ProducedSource {
  readonly process: DataProcess;
  readonly declaration: DeclaredSource;
  readonly path: string;
}

const DIGEST_DIGITS = 16;

const dataNameOf = ({ process, declaration, path }: ProducedSource): string => {
  const { metadata, spec } = process;
  const parts = [metadata.namespace ?? '', spec.dataset.name, ...(path === '' ? [] : [path])];
  return declaration.dataName ?? parts.join('/');
};

/** Its name in the spec, or a unique one. */
const sourceNameOf = (product: ProducedSource): string => {
  const { process, declaration } = product;
  const { namespace = '' } = process.metadata;
  const identity = [namespace, declaration.system, declaration.type, dataNameOf(product)];
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return declaration.name ?? `produced-${namespace}-${digest.slice(0, DIGEST_DIGITS)}`;
};

/** All DataSources that a process produces, by name. */
export const producedSources = (process: DataProcess): ReadonlyMap<string, ProducedSource> =>
  new Map(
    (process.spec.produces ?? []).flatMap(({ dataSource: declaration, path }) => {
      if (declaration === undefined) return [];
      const product = { process, declaration, path: normalisePath(path) };
      return [[sourceNameOf(product), product] as const];
    }),
  );

/** The dataset that data was derived from, as namespace/name; absent for a DataSource of a user. */
export const producedFrom = ({ metadata }: Pick<DataSource, 'metadata'>): string | undefined =>
  metadata.annotations?.[PRODUCED_FROM];

const groundKeyOf = ({ metadata, spec }: DataProcess): string =>
  `${metadata.namespace}/${spec.dataset.name}`;

/** True if a process may update a DataSource: it produces the same one from the same dataset. */
export const mayProduce = (source: DataSource, product: ProducedSource): boolean => {
  const { system, type, name } = source.spec;
  return (
    producedFrom(source) === groundKeyOf(product.process) &&
    system === product.declaration.system &&
    type === product.declaration.type &&
    name === dataNameOf(product)
  );
};

interface DatedCopy extends DataSourceCopy {
  readonly operationUid?: string;
}

/** The clusters in which a process is complete, with its products there. */
const copiesBy = ({ process, path }: ProducedSource): readonly DatedCopy[] => {
  const { metadata, spec, status } = process;
  return (status?.clusters ?? [])
    .filter(({ phase }) => phase === 'Complete')
    .map(({ name, completionTime }) => ({
      cluster: name,
      claim: spec.dataset.name,
      ...present({ path: unlessEmpty(path) }),
      time: completionTime ?? formatTime(parseTime(metadata.creationTimestamp)),
      operationUid: metadata.uid,
    }));
};

const timeOf = ({ time = '' }: DataSourceCopy): string => time;

/**
 * The copies of products, merged with the recorded ones. Processes may be deleted and leave their data;
 * the last event of each cluster counts.
 */
export const producedCopies = (
  presentCopies: readonly DataSourceCopy[],
  producers: readonly ProducedSource[],
  ground: Ground | undefined,
  isRegistered: (cluster: string) => boolean,
): readonly DataSourceCopy[] => {
  const copiesByCluster = new Map<string, DatedCopy>();
  for (const copy of [...presentCopies, ...producers.flatMap(copiesBy)]) {
    const other = copiesByCluster.get(copy.cluster);
    if (other === undefined || timeOf(other) <= timeOf(copy))
      copiesByCluster.set(copy.cluster, copy);
  }
  return [...copiesByCluster.values()]
    .filter(({ cluster }) => isRegistered(cluster))
    .filter(({ cluster, ...copy }) => isOnGround({ name: cluster, ...copy }, ground))
    .map(({ operationUid, ...copy }) => copy)
    .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
};

/** The initial DataSource of a product, without clusters. */
export const newProducedSource = (name: string, product: ProducedSource): DataSourceWritten => {
  const { process, declaration } = product;
  const { system, type, attributes } = declaration;
  return {
    metadata: {
      name,
      annotations: {
        [PRODUCED_BY]: process.metadata.uid,
        [PRODUCED_FROM]: groundKeyOf(process),
      },
    },
    spec: {
      system,
      type,
      name: dataNameOf(product),
      locality: { clusterNames: [] },
      ...present({ attributes }),
      reclaimPolicy: 'Retain',
    },
  };
};
