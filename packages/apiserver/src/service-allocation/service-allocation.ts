import { metaOf } from '../registry/metadata.ts';
import { keyOf, type Registry } from '../registry/registry.ts';
import { allocateService } from './allocate-service.ts';
import { AllocationIndex } from './allocation-index.ts';
import { parseServiceRange, USUAL_SERVICE_RANGE } from './service-network.ts';

/** Gives the services of one API their addresses and ports, each to one service only. */
export const serviceAllocation = (
  registry: Pick<Registry, 'store' | 'cluster' | 'clock'>,
  serviceRange: string = USUAL_SERVICE_RANGE,
): NonNullable<Registry['allocate']> => {
  const addresses = parseServiceRange(serviceRange);
  const index = new AllocationIndex(registry);
  const chance = () => registry.clock.random();
  return (resource, object, old) => {
    if (resource.group !== '' || resource.plural !== 'services') return object;
    const { namespace, name = '' } = metaOf(object);
    const isTaken = index.takenFrom(keyOf(namespace, name));
    return allocateService(resource, object, old, { addresses, isTaken, chance });
  };
};
