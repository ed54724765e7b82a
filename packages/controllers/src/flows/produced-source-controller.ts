import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ObjectRef } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { groundOf } from '@perigee/scheduling/flows/ground';
import {
  mayProduce,
  newProducedSource,
  type ProducedSource,
  producedCopies,
  producedFrom,
  producedSources,
} from '@perigee/scheduling/flows/produced-source';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-produced-data';
const MADE_BY = 'source-made-by';
const FROM = 'source-made-from';
const MADE_IN = 'source-made-in';

const isEnded = ({ status }: DataProcess): boolean =>
  (status?.clusters ?? []).some(({ phase }) => phase === 'Complete');

const namesOf = (process: DataProcess): readonly string[] =>
  isEnded(process) ? [...producedSources(process).keys()] : [];

const fromOf = (source: DataSource): readonly string[] => {
  const from = producedFrom(source);
  return from === undefined ? [] : [from];
};

const madeIn = (source: DataSource): readonly string[] =>
  producedFrom(source) === undefined ? [] : (source.spec.locality.clusterNames ?? []);

/** The processes that produce a DataSource, unless another owner created it. */
const producersOf = (
  { name }: ObjectRef,
  present: DataSource | undefined,
  { cache, events }: ReconcileContext,
): readonly ProducedSource[] =>
  cache(DataProcess)
    .byIndex(MADE_BY, name)
    .flatMap((process) => producedSources(process).get(name) ?? [])
    .filter((produced) => {
      if (present === undefined || mayProduce(present, produced)) return true;
      const message = `the DataSource ${name} is about other data, or was not made of this dataset`;
      events.warning(produced.process, 'ProductNameTaken', message);
      return false;
    });

const keep = async (ref: ObjectRef, context: ReconcileContext): Promise<undefined> => {
  const { cache, client, signal } = context;
  const present = cache(DataSource).get(ref);
  if (present?.metadata.deletionTimestamp !== undefined) return;
  const [first, ...others] = producersOf(ref, present, context);
  if (present === undefined && first === undefined) return;
  if (present !== undefined && producedFrom(present) === undefined) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  const source =
    present ??
    (await client.create(
      DataSource,
      newProducedSource(ref.name, first as ProducedSource),
      options,
    ));
  const producers = (first === undefined ? [] : [first, ...others]).filter((one) =>
    mayProduce(source, one),
  );
  const [namespace = '', name = ''] = (producedFrom(source) ?? '').split('/');
  const dataset = cache(Dataset).get({ namespace, name });
  const recordedCopies = source.status?.copies ?? [];
  const copies = producedCopies(
    recordedCopies,
    producers,
    dataset && groundOf(dataset),
    (cluster) => {
      const member = cache(MemberCluster).get({ name: cluster });
      return member !== undefined && member.metadata.deletionTimestamp === undefined;
    },
  );
  // The status is written first: it survives the deletion of the operations.
  const updatedSource = sameJson(copies as never, recordedCopies as never)
    ? source
    : await patchStatus(client, DataSource, source, { copies }, options);
  const locality = { clusterNames: copies.map(({ cluster }) => cluster) };
  if (sameJson(locality as never, updatedSource.spec.locality as never)) return;
  await client.update(
    DataSource,
    { ...updatedSource, spec: { ...updatedSource.spec, locality } },
    options,
  );
};

/** Registers the products of processes as DataSources, as long as copies exist. */
export const producedSourceController = (): ControllerDefinition =>
  defineController({
    name: 'produced-sources',
    for: DataSource,
    concurrency: 8,
    watches: [
      watch(DataProcess, {
        when: (now, before) =>
          !sameJson(now?.status?.clusters as never, before?.status?.clusters as never),
        map: (process) => namesOf(process).map((name) => ({ name })),
      }),
      watch(Dataset, {
        atStart: false,
        when: (now, before) =>
          now === undefined ||
          now.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
          !sameJson(now.status?.clusters as never, before?.status?.clusters as never),
        map: ({ metadata: { namespace, name } }, cache) =>
          cache(DataSource).byIndex(FROM, `${namespace}/${name}`).map(refOf),
      }),
      watch(MemberCluster, {
        atStart: false,
        when: (now, before) =>
          now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp,
        map: ({ metadata }, cache) => cache(DataSource).byIndex(MADE_IN, metadata.name).map(refOf),
      }),
    ],
    indexes: [
      index(DataProcess, MADE_BY, namesOf),
      index(DataSource, FROM, fromOf),
      index(DataSource, MADE_IN, madeIn),
    ],
    reconcile: keep,
  });
