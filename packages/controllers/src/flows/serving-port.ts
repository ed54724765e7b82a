import type { Work } from '@perigee/api/kinds/placement/work';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { keyOfOperation, type Operation } from '@perigee/scheduling/flows/operation';
import type { Transfer } from '@perigee/scheduling/flows/transfer';
import { nodePortFor, type TransferAddress } from '@perigee/scheduling/flows/transfer-routes';
import { numberIn, objectIn, objectsIn, textIn } from '@perigee/scheduling/interpreter/fields';
import { clusterOfWork, manifestOf, transfersOutOf, transferWorks } from './transfer-works.ts';

/** Node ports of other transfers out of a cluster. */
const takenPorts = (cache: Caches, operation: Operation, from: string): ReadonlySet<number> =>
  new Set(
    transfersOutOf(cache, from)
      .filter(({ metadata }) => metadata.uid !== operation.metadata.uid)
      .flatMap((other) => transferWorks(cache, keyOfOperation(other)))
      .map(manifestOf)
      .filter((object) => textIn(object, 'kind') === 'Service')
      .flatMap((object) => objectsIn(objectIn(object, 'spec'), 'ports'))
      .flatMap((port) => numberIn(port, 'nodePort') ?? []),
  );

/** The port of the server: a node port, or the one that the server chose itself, and keeps. */
export const servingPort = (
  transfer: Transfer,
  address: TransferAddress,
  from: string,
  reported: number | undefined,
  works: readonly Work[],
  cache: Caches,
): number | undefined => {
  if (address.kind === 'node-ports') {
    return nodePortFor(transfer, address, takenPorts(cache, transfer.operation, from));
  }
  if (reported !== undefined) return reported;
  const order = works
    .filter((work) => clusterOfWork(work) === from)
    .map(manifestOf)
    .find((object) => textIn(object, 'kind') === 'ConfigMap');
  const text = textIn(order ?? {}, 'data', 'serve.json');
  const port = text === '' ? 0 : Number(JSON.parse(text).serve?.port ?? 0);
  return port > 0 ? port : undefined;
};
