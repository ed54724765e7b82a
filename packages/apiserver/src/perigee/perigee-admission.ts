import { deletionProblem } from '@perigee/admission/kinds/deletion-protection';
import { attributesFor, lacksRight, neededRights } from '@perigee/admission/rights/needed-rights';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { parentOf } from '@perigee/scheduling/queues/queue-names';
import type { JsonObject } from '@perigee/schema/json';
import type { AdmitKinds, RequiredRights } from '../logical-clusters/kind-admission.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { keyOf, type Registry } from '../registry/registry.ts';
import { TableView } from '../store/table-view.ts';
import { adaptKinds } from './adapt-kinds.ts';
import { storedBindingData } from './stored-binding-data.ts';
import { storedBindingQueue } from './stored-binding-queue.ts';
import { type Place, storedObjects } from './stored-objects.ts';

/** The present queues in the store. */
const storedQueues = ({
  store,
  cluster,
}: Pick<Registry, 'store' | 'cluster'>): (() => QueueFamily) => {
  const queues = new TableView(
    `${cluster}/${Queue.group}/${Queue.plural}`,
    (object: JsonObject) => object as never as Queue,
    parentOf,
  );
  const family: QueueFamily = {
    get: (name) => queues.get(name),
    childrenOf: (name) => queues.byIndex(name),
  };
  return () => {
    queues.refresh(store);
    return family;
  };
};

/** Finds operations as they are stored at the moment of a write. */
const storedOperations = (place: Place): FindOperation => {
  const { table, newest } = storedObjects(place);
  const tables = new Map(OPERATION_KINDS.map((kind) => [kind.kind, table(kind)]));
  return ({ kind, namespace, name }) => {
    // Anything may be written as a kind; its definition refuses what is none.
    const of = tables.get(kind);
    const operation = of === undefined ? undefined : newest(of, keyOf(namespace, name));
    return operation as never as Operation | undefined;
  };
};

/** The permissions that `perigee webhook` requires on a real cluster, checked by the server itself. */
export const perigeeRights: RequiredRights = (user, resource, { object, old }) =>
  neededRights(resource, object, old).map((right) => ({
    attributes: attributesFor(user, right),
    refusal: lacksRight(user, right),
  }));

/**
 * Admits the kinds of the language as `perigee webhook` does on a real cluster, by what is stored at the moment of the
 * write. In a member, nothing is judged beside other objects, and nothing keeps the control plane from taking away what
 * it has brought.
 * @param queueAll True if work without a queue is in the default one.
 */
export const perigeeAdmission =
  (queueAll = false): AdmitKinds =>
  (place) => {
    const { clock } = place;
    if (place.cluster !== ROOT_CLUSTER) return { adapt: adaptKinds(clock) };
    const queues = storedQueues(place);
    const carryData = storedBindingData(place);
    const holdForQueue = storedBindingQueue(place, { queues, queueAll });
    const checks = {
      // First data, then queues: one write makes all of it.
      admitBinding: (object: JsonObject, old: JsonObject | undefined) =>
        holdForQueue(carryData(object, old), old),
      queues,
      findOperation: storedOperations(place),
    };
    return {
      adapt: adaptKinds(clock, checks),
      deletionProblem: (object) => deletionProblem(object, queues()),
    };
  };
