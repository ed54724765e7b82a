import type { Offer } from '@perigee/scheduling/clusters/inventory/finding';
import {
  type CloudFigures,
  openStackOffer,
} from '@perigee/scheduling/clusters/inventory/openstack-offer';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { CloudRefusal } from '../../../errors.ts';
import type { OpenStackClient, Service } from './openstack-client.ts';
import { objectsAt, unintelligible } from './service-catalogue.ts';

const MOST_PAGES = 20;

/** Undefined if the cloud forbids the request. */
const unlessForbidden = async (answer: Promise<JsonObject>): Promise<JsonObject | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CloudRefusal && (error.code === 403 || error.code === 404))
      return undefined;
    throw error;
  }
};

/** Reads all pages of a list, such as `flavors` with `flavors_links`. */
const readPages = async (
  client: OpenStackClient,
  service: Service,
  path: string,
  list: string,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> => {
  const items: JsonObject[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined && page < MOST_PAGES; page += 1) {
    const body = await client.get(service, next, signal);
    if (!Array.isArray(body[list])) throw unintelligible(`${service}${path}`, list);
    items.push(...objectsAt(body[list]));
    const link = objectsAt(body[`${list}_links`]).find(({ rel }) => rel === 'next');
    next = typeof link?.href === 'string' ? link.href : undefined;
  }
  return items;
};

const readLimits = async (client: OpenStackClient, service: Service, signal: AbortSignal) => {
  const { limits } = await client.get(service, '/limits', signal);
  const absolute = isJsonObject(limits) ? limits.absolute : undefined;
  if (!isJsonObject(absolute)) throw unintelligible(`${service}/limits`, 'limits');
  return absolute;
};

/** Reads the capacity and the offers of a cloud to the project, from Nova and, if there is one, Cinder. */
export const readCloud = async (client: OpenStackClient, signal: AbortSignal): Promise<Offer> => {
  const compute = await readLimits(client, 'compute', signal);
  const [flavors, statistics, hasVolumes] = await Promise.all([
    readPages(client, 'compute', '/flavors/detail', 'flavors', signal),
    unlessForbidden(client.get('compute', '/os-hypervisors/statistics', signal)),
    client.has('volume', signal),
  ]);
  const hypervisors = statistics?.hypervisor_statistics;
  const figures: CloudFigures = {
    compute,
    flavors,
    ...present({ hypervisors: isJsonObject(hypervisors) ? hypervisors : undefined }),
  };
  if (!hasVolumes) return openStackOffer(figures);
  const [volume, volumeTypes] = await Promise.all([
    readLimits(client, 'volume', signal),
    readPages(client, 'volume', '/types', 'volume_types', signal),
  ]);
  return openStackOffer({ ...figures, volume, volumeTypes });
};
