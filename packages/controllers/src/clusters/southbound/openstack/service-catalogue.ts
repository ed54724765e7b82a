import { ConnectionError } from '@perigee/kube/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** An unreadable response means that the address is probably not Keystone's. */
export const unintelligible = (where: string, what: string): ConnectionError =>
  new ConnectionError(
    `${where} answered without ${what}; check that it is the address of Keystone`,
    {
      failure: 'unintelligible',
    },
  );

export const objectsAt = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The endpoint of a service of one of these types; undefined if the cloud has none. */
export const endpointOf = (
  catalogue: readonly JsonObject[],
  types: readonly string[],
  region: string | undefined,
): string | undefined => {
  const endpoints = catalogue
    .filter(({ type }) => types.includes(String(type)))
    .flatMap((service) => objectsAt(service.endpoints))
    .filter((endpoint) => endpoint.interface === 'public' && typeof endpoint.url === 'string');
  const here = endpoints.filter(
    ({ region: name, region_id: id }) => region === undefined || name === region || id === region,
  );
  const [entry] = here;
  return entry === undefined ? undefined : String(entry.url).replace(/(?<!\/)\/+$/, '');
};

/** Valid region names; other text from the remote side is not repeated in messages. */
const REGION = /^[\w.-]{1,64}$/;
const MOST_REGIONS = 20;

/** The regions in the catalogue. */
export const regionsOf = (catalogue: readonly JsonObject[]): readonly string[] => {
  const names = catalogue
    .flatMap((service) => objectsAt(service.endpoints))
    .flatMap(({ region_id: id, region }) => {
      const name = id ?? region;
      return typeof name === 'string' && REGION.test(name) ? [name] : [];
    });
  return [...new Set(names)].sort().slice(0, MOST_REGIONS);
};
