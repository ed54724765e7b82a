import { deletionProblem } from '@perigee/admission/kinds/deletion-protection';
import { lacksRight, neededRights, wishFor } from '@perigee/admission/rights/needed-rights';
import type { JsonObject } from '@perigee/schema/json';
import type { AdmitKinds, RequiredRights } from '../logical-clusters/kind-admission.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { adaptKinds } from './adapt-kinds.ts';
import { storedBindingData } from './stored-binding-data.ts';
import { storedBindingQueue } from './stored-binding-queue.ts';
import { storedOperations } from './stored-operations.ts';
import { storedQueues } from './stored-queues.ts';

/** The permissions that `perigee webhook` requires on a real cluster, checked by the server itself. */
export const perigeeRights: RequiredRights = (user, resource, { object, old }) =>
  neededRights(resource, object, old).map((right) => ({
    attributes: wishFor(user, right),
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
