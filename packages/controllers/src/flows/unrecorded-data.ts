import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Copies } from '@perigee/scheduling/flows/dataset-copies';
import { datasetUses } from '@perigee/scheduling/flows/dataset-uses';
import { groundOf } from '@perigee/scheduling/flows/ground';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import {
  mayProduce,
  type ProducedSource,
  producedCopies,
  producedSources,
} from '@perigee/scheduling/flows/produced-source';
import { isRunHere } from '@perigee/scheduling/placement/binding/run-here';
import { sameJson } from '@perigee/schema/same-json';
import { parseTime } from '@perigee/schema/values/time';
import { operationsBringing } from './dataset-indexes.ts';
import { knownCopies } from './known-copies.ts';

/** How long the objects of new products may take to appear: somebody may have deleted them for good. */
const NEW_MS = 600_000;

/** The facts of copies that outlive their operations. */
const lasting = ({ clusters, origin }: Copies) => ({
  origin,
  clusters: clusters
    .filter(({ state }) => state === 'Complete' || state === 'Stale' || state === 'Partial')
    .map(({ name, state, time, operationUid }) => ({ name, state, time, operationUid })),
});

const isInDataset = (cache: Caches, dataset: Dataset, operation: Operation): boolean => {
  const { namespace = '', name } = dataset.metadata;
  const all = operationsBringing(cache, { namespace, name }).filter(
    ({ metadata }) => metadata.uid !== operation.metadata.uid,
  );
  const without = knownCopies(cache, dataset, all);
  return sameJson(lasting(without), lasting(knownCopies(cache, dataset, [...all, operation])));
};

const isInSource = (cache: Caches, source: DataSource, product: ProducedSource): boolean => {
  if (!mayProduce(source, product)) return true;
  const { metadata, spec } = product.process;
  const { namespace = '' } = metadata;
  const dataset = cache(Dataset).get({ namespace, name: spec.dataset.name });
  const copiesOf = (producers: readonly ProducedSource[]) =>
    producedCopies(
      source.status?.copies ?? [],
      producers,
      dataset && groundOf(dataset),
      (name) => cache(MemberCluster).get({ name }) !== undefined,
    );
  return sameJson(copiesOf([]), copiesOf([product]));
};

/**
 * True while an ended operation is the only object that knows of data that it has brought: what is deleted before its
 * data is recorded leaves data that nobody finds.
 */
export const isUnrecorded = (cache: Caches, operation: Operation, nowMs: number): boolean => {
  const { namespace = '' } = operation.metadata;
  const { clusters = [], conditions } = statusOf(operation);
  if (!clusters.some(({ phase }) => phase === 'Complete')) return false;
  const endMs = parseTime(
    conditions[0]?.lastTransitionTime ?? operation.metadata.creationTimestamp,
  );
  const isNew = nowMs < endMs + NEW_MS;
  const isLost = datasetUses(operation)
    .filter(({ does }) => does !== 'read')
    .some(({ dataset: name, place }) => {
      const dataset = cache(Dataset).get({ namespace, name });
      if (dataset?.status === undefined) return place !== undefined && isNew;
      if (dataset.metadata.deletionTimestamp !== undefined || !isRunHere(dataset)) return false;
      return !isInDataset(cache, dataset, operation);
    });
  if (isLost || operation.kind !== 'DataProcess') return isLost;
  return [...producedSources(operation as DataProcess)].some(([name, product]) => {
    const source = cache(DataSource).get({ name });
    return source === undefined ? isNew : !isInSource(cache, source, product);
  });
};
